import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { type Break, breakOfPromise, tableOf, tryBreaks } from './breaks.ts';
import { type Part, parts } from './parts.ts';
import { promises } from './promises.ts';
import { type FileScore, isSurvivor, type Mutant, type Report, scoreOf, scoresOf } from './report.ts';
import { breaksOfStatements, isOfAccounts } from './statements.ts';

// `npm run mutate [-- PART… FILE…]`: breaks the promises of promises.ts and the conditions of statements, and prints what
// noticed; mutates each part by Stryker, and prints scores and survivors by file. With files or folders, breaks in these
// alone.
// Incremental: results are kept, and a mutant is tried again only where its file or its tests have changed.

const cache = 'node_modules/.cache/mutate';
const stryker = 'node_modules/@stryker-mutator/core/bin/stryker.js';

/** Stryker's options for a part. */
function optionsOf({ name, mutate }: Part) {
  return {
    mutate,
    testRunner: 'vitest',
    // Stryker would read it with TypeScript's API, which TypeScript 7 doesn't have, and needs it for no test of ours.
    tsconfigFile: 'none',
    vitest: { configFile: 'test/mutations/vitest.config.ts', related: false },
    // Words are held by the tests that compare whole texts; to empty each one of them proves little, and takes hours.
    mutator: { excludedMutations: ['StringLiteral'] },
    ignorePatterns: ['/outbox', '/.callsheet'],
    incremental: true,
    incrementalFile: `${cache}/${name}/incremental.json`,
    reporters: ['json', 'progress-append-only'],
    jsonReporter: { fileName: `${cache}/${name}/report.json` },
    // Not below node_modules, where Node strips no types.
    tempDirName: path.join(tmpdir(), 'callsheet-mutated'),
    concurrency: Math.max(1, Math.floor(availableParallelism() / 2)),
    // However busy the machine: a mutant that is merely slow isn't killed.
    timeoutMS: 15_000,
    allowConsoleColors: false,
  };
}

async function mutate(part: Part): Promise<FileScore[]> {
  const folder = path.join(cache, part.name);
  await mkdir(folder, { recursive: true });
  const config = path.join(folder, 'stryker.config.json');
  await writeFile(config, JSON.stringify(optionsOf(part)));
  const child = spawn(process.execPath, [stryker, 'run', config], {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, MUTATED_PART: JSON.stringify(part) },
  });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`Stryker ended with ${code} on ${part.name}`);
  await forgetUncovered(path.join(folder, 'incremental.json'));
  return scoresOf(await readReport(path.join(folder, 'report.json')));
}

const readReport = async (file: string): Promise<Report> => JSON.parse(await readFile(file, 'utf8'));

/**
 * Stryker doesn't know which tests cover what is mutated while a module is loaded, so no new test makes it try that again;
 * nor does it know that of a module which no test loaded.
 */
async function forgetUncovered(file: string): Promise<void> {
  const { files, ...rest } = await readReport(file);
  const kept = Object.entries(files).map(([name, { mutants, ...file }]) => {
    const isForgotten = (mutant: Mutant) =>
      mutant.status === 'NoCoverage' || (mutant.static === true && isSurvivor(mutant));
    return [name, { ...file, mutants: mutants.filter((mutant) => !isForgotten(mutant)) }];
  });
  await writeFile(file, JSON.stringify({ ...rest, files: Object.fromEntries(kept) }));
}

function describe({ name }: Part, scores: readonly FileScore[]): string {
  const sum = (field: 'mutants' | 'killed' | 'equivalent') =>
    scores.reduce((total, score) => total + score[field], 0);
  const lines = scores.flatMap((score) => [
    `${scoreOf([score]).toFixed(1).padStart(6)}  ${score.file}: ${score.killed} of ${score.mutants} killed`,
    ...score.survivors.flatMap(({ at, line, becomes }) => [
      `          ${at}: - ${line}`,
      `          ${at}: + ${becomes}`,
    ]),
    ...score.outdated.map(({ becomes }) => `          no survivor any more: ${becomes}`),
  ]);
  const total = `${name}: ${scoreOf(scores).toFixed(1)}, ${sum('killed')} of ${sum('mutants')} killed, ${sum('equivalent')} equivalent`;
  return `${[...lines, total].join('\n')}\n\n`;
}

/** Prints what noticed each break, and what nothing noticed. */
async function attempt(breaks: readonly Break[]): Promise<void> {
  const noticed = await tryBreaks(breaks);
  const survivors = noticed.filter(({ test }) => test === null);
  process.stdout.write(`${tableOf(noticed)}\n`);
  for (const { broken } of survivors)
    process.stdout.write(`nothing noticed ${broken.file}: ${broken.name}\n`);
  if (survivors.length > 0) process.exitCode = 1;
}

const args = process.argv.slice(2);
/** Only what is broken in these files. */
const files = args.filter((each) => /^(src|migrations)\//.test(each));
const wanted = args.filter((each) => !files.includes(each));
const names = ['promises', 'accounts', 'statements', ...parts.map(({ name }) => name)];
/** `digest` is all parts in that folder, `digest/.` the one of its own files. */
const isNamed = (each: string, name: string) =>
  each === `${name}/.` || each === name || name.startsWith(`${each}/`);
const unknown = wanted.find((each) => !names.some((name) => isNamed(each, name)));
if (unknown !== undefined) throw new Error(`there is no part ${unknown}: ${names.join(', ')}`);
const isWanted = (name: string) => wanted.length === 0 || wanted.some((each) => isNamed(each, name));

const isInFiles = ({ file }: Break) => files.length === 0 || files.some((each) => file.startsWith(each));

if (isWanted('promises')) {
  await attempt(promises.map(breakOfPromise).filter(isInFiles));
}
if (isWanted('accounts')) await attempt(breaksOfStatements().filter(isOfAccounts).filter(isInFiles));
if (isWanted('statements'))
  await attempt(breaksOfStatements().filter((broken) => !isOfAccounts(broken) && isInFiles(broken)));
for (const part of parts.filter(({ name }) => isWanted(name))) {
  const scores = await mutate(part);
  process.stdout.write(describe(part, scores));
  if (scores.some(({ survivors, outdated }) => survivors.length + outdated.length > 0)) process.exitCode = 1;
}
