import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { StandInOptions } from './stand-in.ts';

export type StandIn = { readonly url: string; stop(): Promise<void> };

const program = path.join(import.meta.dirname, 'stand-in.ts');

/** Starts the stand-in in a process of its own; resolves once its bodies are computed and it listens. */
export async function startStandIn(options: StandInOptions): Promise<StandIn> {
  const child = spawn(process.execPath, [program, JSON.stringify(options)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const failed = exited.then(([code]) => Promise.reject(new Error(`the stand-in ended with ${code}`)));
  failed.catch(() => {});
  const [port] = await Promise.race([once(createInterface(child.stdout), 'line'), failed]);
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      child.stdin.end();
      await exited;
    },
  };
}
