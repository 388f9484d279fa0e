import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { type Figures, medians, type Section } from './tables.ts';
import type { Bench } from './workload.ts';

/** What `run` loads, in this order; each line is without what the lines before it have loaded. */
const imports: Readonly<Record<string, readonly string[]>> = {
  commander: ['commander'],
  pino: ['pino'],
  zod: ['zod'],
  'ky, p-queue': ['ky', 'p-queue'],
  'pg, pg-cursor': ['pg', 'pg-cursor'],
  kysely: ['kysely', 'kysely/migration'],
  'node-cron': ['node-cron'],
  'nodemailer, hono/html, csv-stringify': [
    'nodemailer/lib/mail-composer',
    'nodemailer/lib/smtp-connection',
    'hono/html',
    'csv-stringify/sync',
  ],
  'src: settings and the service': ['../src/config/load.ts', '../src/service/service.ts'],
  'src: the warehouse': ['../src/warehouse/schema/migrate.ts', '../src/warehouse/load/windows.ts'],
  'src: digests and mail': ['../src/digest/compose.ts', '../src/mail/smtp.ts'],
  'src: the rest of `run`': ['../src/cli/program.ts', '../src/cli/commands/run.ts'],
};

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
  const child = spawn(process.execPath, [import.meta.filename], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [printed] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  return JSON.parse(printed);
}

if (process.argv[1] === import.meta.filename) {
  const { enableCompileCache } = await import('node:module');
  enableCompileCache(path.join(import.meta.dirname, '../node_modules/.cache/compiled'));
  const measured: Record<string, Figures> = {
    'Node itself': { queryMs: performance.now(), memoryMB: process.memoryUsage.rss() / 1e6 },
  };
  const measure = async (what: string, load: () => unknown) => {
    const [began, before] = [performance.now(), process.memoryUsage.rss()];
    await load();
    measured[what] = {
      queryMs: performance.now() - began,
      memoryMB: (process.memoryUsage.rss() - before) / 1e6,
    };
  };
  // Node loads it at its first use.
  await measure('fetch', () => new Response());
  for (const [what, modules] of Object.entries(imports))
    await measure(what, async () => {
      for (const module of modules) await import(module);
    });
  process.stdout.write(JSON.stringify(measured));
}
