import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, mkdtemp, readFile, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { parseAst } from 'vitest/node';
import type { Attempt, Result } from './bench.ts';
import type { Broken } from './promises.ts';

export type Break = {
  readonly name: string;
  readonly file: string;
  /** The test that has to notice; without it any test may, the nearest first. */
  readonly test?: string;
  readonly apply: (source: string) => string;
};

/** A break, and the test that noticed it; null if none did. */
export type Noticed = { readonly broken: Break; readonly result: Result; readonly seconds: number };

export function breakOfPromise({ promise, file, find, replace, test }: Broken): Break {
  const apply = (source: string) => {
    if (source.split(find).length !== 2) throw new Error(`not once in ${file}: ${find}`);
    return source.replace(find, () => replace);
  };
  return { name: promise, file, apply, test };
}

/** Copies of the repository, one for each core of CI. */
const copies = 2;

/** Tries the breaks in copies of the repository. Returns the results in the order of the breaks. */
export async function tryBreaks(breaks: readonly Break[]): Promise<Noticed[]> {
  const noticed = new Map<Break, Noticed>();
  const left = breaks.values();
  const work = async () => {
    await using bench = await openBench();
    for (const broken of left) {
      const found = await attempt(bench, broken);
      noticed.set(broken, found);
      process.stderr.write(
        `${noticed.size} of ${breaks.length}: ${broken.file}: ${broken.name}: ${outcomeOf(found)}\n`,
      );
    }
  };
  await Promise.all(Array.from({ length: copies }, work));
  return breaks.map((broken) => noticed.get(broken)!);
}

async function attempt(bench: Bench, broken: Break): Promise<Noticed> {
  const { file, test } = broken;
  const changed = broken.apply(await readFile(file, 'utf8'));
  // Throws if the file can't be parsed: any test would notice that.
  parseAst(changed, { lang: 'ts' });
  const began = performance.now();
  const result = await bench.attempt({ file, changed, ...(test && { test }) });
  return { broken, result, seconds: (performance.now() - began) / 1_000 };
}

type Bench = AsyncDisposable & {
  attempt(attempt: Attempt): Promise<Result>;
};

async function openBench(): Promise<Bench> {
  const copy = await mkdtemp(path.join(tmpdir(), 'callsheet-broken-'));
  await copyRepository(copy);
  // A process in the copy, because tests start programs by paths relative to the working directory.
  const child = fork(path.join(copy, 'test/mutations/bench.ts'), {
    cwd: copy,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const exited = once(child, 'exit');
  const failed = exited.then(([code]) => Promise.reject(new Error(`a copy ended with ${code}`)));
  failed.catch(() => {});
  return {
    async attempt(attempt) {
      child.send(attempt);
      const [result] = await Promise.race([once(child, 'message'), failed]);
      return result;
    },
    async [Symbol.asyncDispose]() {
      if (child.connected) child.disconnect();
      await exited;
      await rm(copy, { recursive: true });
    },
  };
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

export function outcomeOf({ result, seconds }: Noticed): string {
  if ('unusable' in result) return `can't be loaded: ${result.unusable}`;
  return `${result.test ?? 'NOTHING noticed'} (${seconds.toFixed(1)} s)`;
}
