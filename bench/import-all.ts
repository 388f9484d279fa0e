/** Imports what `run` loads, and prints time and memory of each part. It imports nothing else. */
import type { Figures } from './tables.ts';

/** In this order; each line is without what the lines before it have loaded. */
const imports: Readonly<Record<string, readonly string[]>> = {
  commander: ['commander'],
  pino: ['pino'],
  zod: ['zod'],
  'ky, p-queue': ['ky', 'p-queue'],
  pg: ['pg'],
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

const measured: Record<string, Figures> = {
  'Node itself': { queryMs: performance.now(), memoryMB: process.memoryUsage.rss() / 1e6 },
};

async function measure(what: string, load: () => unknown): Promise<void> {
  const [began, before] = [performance.now(), process.memoryUsage.rss()];
  await load();
  measured[what] = {
    queryMs: performance.now() - began,
    memoryMB: (process.memoryUsage.rss() - before) / 1e6,
  };
}

// Node loads it at its first use.
await measure('fetch', () => new Response());
for (const [what, modules] of Object.entries(imports))
  await measure(what, async () => {
    for (const module of modules) await import(module);
  });
process.stdout.write(JSON.stringify(measured));
