import { spawn } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { createVitest, parseAst, type TestModule, type Vitest } from 'vitest/node';
import type { Broken } from './promises.ts';

/** Something that is broken on purpose, and the tests that have to notice, in the order in which they are tried. */
export type Break = {
  readonly name: string;
  readonly file: string;
  readonly tests: readonly string[];
  /** The file with the break. */
  readonly apply: (source: string) => string;
};

/** What became of a break: the test that noticed it; null where none did. */
export type Noticed = { readonly broken: Break; readonly test: string | null; readonly seconds: number };

export function breakOfPromise({ promise, file, find, replace, tests }: Broken): Break {
  const apply = (source: string) => {
    if (source.split(find).length !== 2) throw new Error(`not once in ${file}: ${find}`);
    return source.replace(find, () => replace);
  };
  return { name: promise, file, tests, apply };
}

/** Two cores are what CI has. */
const copies = 2;

/** Tries each break in a copy of the repository, on two copies at once, each with a Vitest and a Postgres that stay. */
export async function tryBreaks(breaks: readonly Break[]): Promise<Noticed[]> {
  const noticed = new Map<Break, Noticed>();
  const left = breaks.values();
  const work = async () => {
    await using bench = await openBench();
    for (const broken of left) {
      const found = await bench.attempt(broken);
      noticed.set(broken, found);
      const how = found.test === null ? ': NOTHING noticed' : '';
      process.stderr.write(`${noticed.size} of ${breaks.length}: ${broken.file}: ${broken.name}${how}\n`);
    }
  };
  await Promise.all(Array.from({ length: copies }, work));
  return breaks.map((broken) => noticed.get(broken)!);
}

type Bench = AsyncDisposable & { attempt(broken: Break): Promise<Noticed> };

async function openBench(): Promise<Bench> {
  const copy = await mkdtemp(path.join(tmpdir(), 'callsheet-broken-'));
  await copyRepository(copy);
  const staying = await openVitest(copy);

  async function attempt(broken: Break): Promise<Noticed> {
    const file = path.join(copy, broken.file);
    const whole = await readFile(file, 'utf8');
    const changed = broken.apply(whole);
    // Of a file that can't be parsed any test would notice something.
    parseAst(changed, { lang: 'ts' });
    const began = performance.now();
    await writeFile(file, changed);
    // The database that tests copy is migrated once, when Vitest begins.
    const isMigration = broken.file.startsWith('migrations/');
    const vitest = isMigration ? await openVitest(copy) : staying;
    vitest.invalidateFile(file);
    try {
      const test = await firstFailure(vitest, copy, broken.tests).catch((error: Error) => {
        // A migration that fails leaves nothing to test.
        if (isMigration) return `${broken.file}: ${error.message}`;
        throw error;
      });
      return { broken, test, seconds: (performance.now() - began) / 1_000 };
    } finally {
      await writeFile(file, whole);
      vitest.invalidateFile(file);
      if (isMigration) await vitest.close();
    }
  }

  return {
    attempt,
    async [Symbol.asyncDispose]() {
      await staying.close();
      await rm(copy, { recursive: true });
    },
  };
}

async function openVitest(copy: string): Promise<Vitest> {
  return await createVitest('test', {
    root: copy,
    config: path.join(copy, 'test/mutations/promises.config.ts'),
    project: ['unit', 'integration'],
    watch: false,
    reporters: [{}],
    maxWorkers: 1,
    testTimeout: 60_000,
  });
}

/** The first test of these files that fails: its file and title; null where all pass. */
async function firstFailure(vitest: Vitest, copy: string, tests: readonly string[]): Promise<string | null> {
  for (const file of tests) {
    const specifications = (await vitest.globTestSpecifications([file])).filter(
      ({ moduleId }) => path.relative(copy, moduleId) === file,
    );
    if (specifications.length === 0) throw new Error(`${file} is no test of ours`);
    const { testModules } = await vitest.runTestSpecifications(specifications);
    const failed = testModules.find(
      (each) => path.relative(copy, each.moduleId) === file && each.state() !== 'passed',
    );
    if (failed) return `${file}: ${titleOf(failed)}`;
  }
  return null;
}

/** What failed: a test, or what comes before all tests of the file. */
function titleOf(failed: TestModule): string {
  const [test] = failed.children.allTests('failed');
  return test?.fullName ?? `before its tests: ${failed.errors()[0]?.message ?? 'unknown'}`;
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

/** The table of docs/mutations.md. */
export function tableOf(all: readonly Noticed[]): string {
  const rows = all.map(({ broken, test, seconds }) => {
    const noticed = test === null ? '**nothing**' : test.replace(/^(.*?): /, '`$1`: ');
    return `| ${broken.name} | \`${broken.file}\` | ${noticed} | ${seconds.toFixed(1)} |\n`;
  });
  return `| promise | broken in | noticed by | s |\n|---|---|---|---:|\n${rows.join('')}`;
}
