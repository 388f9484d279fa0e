/** Imports what `run` loads, and prints time and memory of each part. It imports nothing else. */
import type { Figures } from './tables.ts';

/** In this order; each line is without what the lines before it have loaded. */
const imports: Readonly<Record<string, readonly string[]>> = {
  commander: ['commander'],
  pino: ['pino'],
  zod: ['zod'],
  ky: ['ky'],
  'p-queue': ['p-queue'],
  pg: ['pg'],
  kysely: ['kysely'],
  'kysely/migration': ['kysely/migration'],
  'node-cron': ['node-cron'],
  nodemailer: ['nodemailer/lib/mail-composer', 'nodemailer/lib/smtp-connection'],
  'csv-stringify': ['csv-stringify/sync'],
  'hono/html': ['hono/html'],
  'd3-scale': ['d3-scale'],
  'src: settings and the service': ['../src/config/load.ts', '../src/service/service.ts'],
  'src: the warehouse': ['../src/warehouse/schema/migrate.ts', '../src/warehouse/load/campaign-days.ts'],
  'src: digests and mail': ['../src/digest/compose.ts', '../src/mail/smtp.ts'],
  'src: the rest of `run`': ['../src/cli/program.ts', '../src/cli/commands/run.ts'],
};

const measured: Record<string, Figures> = {
  'Node itself': { ...spent(), memoryMB: process.memoryUsage.rss() / 1e6 },
};

/** The time of this process, and its CPU time: other load on the machine lengthens only the first. */
function spent() {
  const { user, system } = process.cpuUsage();
  return { queryMs: performance.now(), loadMs: (user + system) / 1e3 };
}

async function measure(what: string, load: () => unknown): Promise<void> {
  const [began, before] = [spent(), process.memoryUsage.rss()];
  await load();
  measured[what] = {
    queryMs: spent().queryMs - began.queryMs,
    loadMs: spent().loadMs - began.loadMs,
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
