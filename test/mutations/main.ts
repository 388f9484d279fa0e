import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { type Break, breakOfPromise, tableOf, tryBreaks } from './breaks.ts';
import { type Part, parts } from './parts.ts';
import { promises } from './promises.ts';
import { type FileScore, isSurvivor, type Mutant, type Report, scoreOf, scoresOf } from './report.ts';
import { breaksOfStatements, isolatesAccounts } from './statements.ts';

// `npm run mutate [-- PART… FILE…]` breaks the promises of promises.ts and the conditions of statements, and prints the
// tests that noticed. It mutates each part with Stryker, and prints scores and survivors by file. Files or folders limit
// the breaks to these. Results are kept: a mutant is tried again only if its file or its tests changed.

const cache = 'node_modules/.cache/mutate';
const stryker = 'node_modules/@stryker-mutator/core/bin/stryker.js';

function optionsOf({ name, mutate }: Part) {
  return {
    mutate,
    testRunner: 'vitest',
    // Stryker would need TypeScript's API, which TypeScript 7 doesn't have. No test needs the file.
    tsconfigFile: 'none',
    vitest: { configFile: 'test/mutations/vitest.config.ts', related: false },
    // Tests compare whole texts: emptying each string proves little and takes hours.
    mutator: { excludedMutations: ['StringLiteral'] },
    ignorePatterns: ['/outbox', '/.callsheet'],
    incremental: true,
    incrementalFile: `${cache}/${name}/incremental.json`,
    reporters: ['json', 'progress-append-only'],
    jsonReporter: { fileName: `${cache}/${name}/report.json` },
    // Node strips no types below node_modules.
    tempDirName: path.join(tmpdir(), 'callsheet-mutated'),
    concurrency: Math.max(1, Math.floor(availableParallelism() / 2)),
    // A slow mutant on a busy machine must not count as killed.
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
 * Forgets mutants that Stryker would never try again: it doesn't know the tests of code that runs while a module loads, or
 * of modules that no test loaded.
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

async function attempt(breaks: readonly Break[]): Promise<void> {
  const noticed = await tryBreaks(breaks);
  const survivors = noticed.filter(({ test }) => test === null);
  process.stdout.write(`${tableOf(noticed)}\n`);
  for (const { broken } of survivors)
    process.stdout.write(`nothing noticed ${broken.file}: ${broken.name}\n`);
  if (survivors.length > 0) process.exitCode = 1;
}

const args = process.argv.slice(2);
const files = args.filter((each) => /^(src|migrations)\//.test(each));
const wanted = args.filter((each) => !files.includes(each));
const names = ['promises', 'accounts', 'statements', ...parts.map(({ name }) => name)];
/** `digest` names all parts in that folder, `digest/.` only the part of the files directly in it. */
const isNamed = (each: string, name: string) =>
  each === `${name}/.` || each === name || name.startsWith(`${each}/`);
const unknown = wanted.find((each) => !names.some((name) => isNamed(each, name)));
if (unknown !== undefined) throw new Error(`there is no part ${unknown}: ${names.join(', ')}`);
const isWanted = (name: string) => wanted.length === 0 || wanted.some((each) => isNamed(each, name));

const isInFiles = ({ file }: Break) => files.length === 0 || files.some((each) => file.startsWith(each));

if (isWanted('promises')) {
  await attempt(promises.map(breakOfPromise).filter(isInFiles));
}
if (isWanted('accounts')) await attempt(breaksOfStatements().filter(isolatesAccounts).filter(isInFiles));
if (isWanted('statements'))
  await attempt(breaksOfStatements().filter((broken) => !isolatesAccounts(broken) && isInFiles(broken)));
for (const part of parts.filter(({ name }) => isWanted(name))) {
  const scores = await mutate(part);
  process.stdout.write(describe(part, scores));
  if (scores.some(({ survivors, outdated }) => survivors.length + outdated.length > 0)) process.exitCode = 1;
}
