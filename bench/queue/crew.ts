import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { callsheetOf, type ListedAccount, type Place } from '../programs.ts';

const cwd = path.resolve(import.meta.dirname, '../..');

async function start(place: Place, accounts: readonly ListedAccount[], command: readonly string[]) {
  const { args, environment } = await callsheetOf(accounts, place, command, null);
  const { PATH, HOME } = process.env;
  return spawn(process.execPath, args, {
    env: { PATH, HOME, ...environment },
    stdio: ['ignore', 'ignore', 'pipe'],
    cwd,
  });
}

/** Does `work` while so many workers wait for windows. */
export async function withCrew<T>(
  place: Place,
  accounts: readonly ListedAccount[],
  workers: number,
  concurrency: number,
  work: () => Promise<T>,
): Promise<T> {
  const crew: ChildProcess[] = [];
  for (let started = 0; started < workers; started++) {
    const worker = await start(place, accounts, ['worker', '--concurrency', String(concurrency)]);
    crew.push(worker);
    await once(createInterface(worker.stderr!), 'line');
    worker.stderr!.resume();
  }
  try {
    return await work();
  } finally {
    for (const worker of crew) worker.kill('SIGTERM');
    await Promise.all(crew.map((worker) => worker.exitCode ?? once(worker, 'exit')));
  }
}

/** How long a command took, as it says itself: without the start of its process. */
export async function timed(
  place: Place,
  accounts: readonly ListedAccount[],
  command: readonly string[],
): Promise<number> {
  const child = await start(place, accounts, command);
  const [said, [code]] = await Promise.all([text(child.stderr!), once(child, 'close')]);
  const last = said.trim().split('\n').at(-1)!;
  if (code !== 0) throw new Error(`${command.join(' ')} ended with ${code}: ${last}`);
  return JSON.parse(last).ms;
}
