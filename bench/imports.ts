import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
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
  const { stdout } = await promisify(execFile)(process.execPath, program('import-all.ts'), { env });
  return JSON.parse(stdout);
}
