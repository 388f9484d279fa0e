import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';

/** A Node program as it is started: what follows `node`, and its environment. */
export type Program = { readonly args: readonly string[]; readonly environment: Record<string, string> };

/** What a process took, from outside. */
export type Measured = {
  readonly wallMs: number;
  /** User and system time of the process, threads included. */
  readonly cpuMs: number;
  readonly peakMB: number;
  /** What it printed as the time of its work alone; null where it printed none. */
  readonly workMs: number | null;
};

const peak = path.join(import.meta.dirname, 'peak.cjs');

/** Runs a program to its end and says what it took; one that fails is an Error with the end of what it said. */
export async function measure({ args, environment }: Program): Promise<Measured> {
  const { PATH, HOME } = process.env;
  const began = performance.now();
  const child = spawn(process.execPath, ['--require', peak, ...args], {
    env: { PATH, HOME, ...environment },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    cwd: path.dirname(import.meta.dirname),
  });
  const stdout = text(child.stdout!);
  const stderr = text(child.stderr!);
  const used = text(child.stdio[3] as Readable);
  const [code, signal] = await once(child, 'exit');
  const wallMs = performance.now() - began;
  if (code !== 0)
    throw new Error(`${args.join(' ')} ended with ${signal ?? code}:\n${(await stderr).slice(-2_000)}`);
  return { wallMs, workMs: workOf(await stdout), ...JSON.parse(await used) };
}

function workOf(stdout: string): number | null {
  const told = /^\{"workMs":([\d.]+)\}$/m.exec(stdout);
  return told ? Number(told[1]) : null;
}

/** Of each measure its own median. */
export function medians(measured: readonly Measured[]): Measured {
  const of = (pick: (each: Measured) => number) => median(measured.map(pick));
  return {
    wallMs: of((each) => each.wallMs),
    cpuMs: of((each) => each.cpuMs),
    peakMB: of((each) => each.peakMB),
    workMs: measured.some((each) => each.workMs === null) ? null : of((each) => each.workMs!),
  };
}

export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((one, other) => one - other);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
