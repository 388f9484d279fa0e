import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { type Broken, promises } from './promises.ts';

/** What became of a break: the test that noticed it; null where none did. */
export type Noticed = { readonly broken: Broken; readonly test: string | null; readonly seconds: number };

/** Breaks each promise in a copy of the repository, and runs its tests until one of them fails. */
export async function breakPromises(): Promise<Noticed[]> {
  const copy = await mkdtemp(path.join(tmpdir(), 'callsheet-broken-'));
  try {
    await copyRepository(copy);
    const noticed: Noticed[] = [];
    for (const broken of promises) {
      noticed.push(await breakOne(copy, broken));
      process.stderr.write(`${noticed.length} of ${promises.length}: ${broken.promise}\n`);
    }
    return noticed;
  } finally {
    await rm(copy, { recursive: true });
  }
}

async function copyRepository(copy: string): Promise<void> {
  const listed = await output('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard']);
  for (const file of listed.split('\0').filter((name) => name !== '' && name !== 'node_modules')) {
    await mkdir(path.join(copy, path.dirname(file)), { recursive: true });
    await copyFile(file, path.join(copy, file));
  }
  await symlink(await realpath('node_modules'), path.join(copy, 'node_modules'));
}

async function output(command: string, args: readonly string[]): Promise<string> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  return await text(child.stdout);
}

async function breakOne(copy: string, broken: Broken): Promise<Noticed> {
  const file = path.join(copy, broken.file);
  const whole = await readFile(file, 'utf8');
  if (whole.split(broken.find).length !== 2) throw new Error(`not once in ${broken.file}: ${broken.find}`);
  await writeFile(
    file,
    whole.replace(broken.find, () => broken.replace),
  );
  try {
    const began = performance.now();
    const test = await firstFailure(copy, broken.tests);
    return { broken, test, seconds: (performance.now() - began) / 1_000 };
  } finally {
    await writeFile(file, whole);
  }
}

/** The first test of these files that fails: its file and title; null where all pass. */
async function firstFailure(copy: string, tests: readonly string[]): Promise<string | null> {
  const results = path.join(copy, 'results.json');
  const args = ['run', '--bail=1', '--reporter=json', `--outputFile=${results}`, ...tests];
  const projects = ['--config=test/mutations/promises.config.ts', '--project=unit', '--project=integration'];
  const vitest = path.join(copy, 'node_modules/vitest/vitest.mjs');
  const child = spawn(process.execPath, [vitest, ...args, ...projects], { cwd: copy, stdio: 'ignore' });
  const [code] = await once(child, 'exit');
  if (code === 0) return null;
  const { testResults } = JSON.parse(await readFile(results, 'utf8')) as JsonResults;
  for (const { name, message, assertionResults } of testResults) {
    const failed = assertionResults.find(({ status }) => status === 'failed');
    if (failed) return `${path.relative(copy, name)}: ${failed.fullName}`;
    if (message) throw new Error(`${name} could not be run: ${message}`);
  }
  throw new Error(`vitest ended with ${code}, and no test failed: ${tests.join(', ')}`);
}

/** What is read of vitest's report. */
type JsonResults = {
  readonly testResults: readonly {
    readonly name: string;
    readonly message: string;
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
};

/** The table of docs/mutations.md. */
export function tableOfPromises(all: readonly Noticed[]): string {
  const rows = all.map(({ broken, test, seconds }) => {
    const noticed = test === null ? '**nothing**' : test.replace(/^(.*?): /, '`$1`: ');
    return `| ${broken.promise} | \`${broken.file}\` | ${noticed} | ${seconds.toFixed(1)} |\n`;
  });
  return `| promise | broken in | noticed by | s |\n|---|---|---|---:|\n${rows.join('')}`;
}
