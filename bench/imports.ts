import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { compileCache, program } from './measure.ts';
import { type Figures, medians, type Section } from './tables.ts';
import type { Bench } from './workload.ts';

/** Measures what the import of each package and of our own code takes, with a warm compile cache. */
export async function measureImports({ runs }: Bench): Promise<Section[]> {
  await importAll();
  const measured: Readonly<Record<string, Figures>>[] = [];
  for (let run = 1; run <= runs; run++) measured.push(await importAll());
  const lines = Object.keys(measured[0]!).map((what) => ({
    what,
    figures: medians(measured.map((each) => each[what]!)),
  }));
  return [{ title: 'Imports: what `run` loads', lines, targets: [] }];
}

async function importAll(): Promise<Readonly<Record<string, Figures>>> {
  const env = { ...process.env, NODE_COMPILE_CACHE: compileCache };
  const child = spawn(process.execPath, program('import-all.ts'), {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [printed] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  return JSON.parse(printed);
}
