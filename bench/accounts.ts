import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { exitCode } from '../src/model/exit-code.ts';
import { formatCount } from '../src/support/english.ts';
import { type ServiceOptions, startService } from './fixed-responses.ts';
import { callsheet, type Ended, environment, program, runProgram } from './measure.ts';
import { query } from './server.ts';
import { type Growth, median } from './tables.ts';
import { type Bench, profiling, scaled } from './workload.ts';

const each = { clients: 20, campaigns: 20 };

/** Measures what a start, a night, `status`, the page and a scrape take, with 10 accounts and up to 2,000. */
export async function measureAccounts(bench: Bench): Promise<Growth[]> {
  const sizes = [...new Set([10, 100, 1_000, 2_000].map((accounts) => scaled(bench, accounts)))];
  const bySize: (readonly Values[])[] = [];
  for (const accounts of sizes) {
    const runs: Values[] = [];
    for (let run = 1; run <= bench.runs; run++) {
      const values = {
        ...(await measureNights(bench, accounts)),
        ...(await measureOutage(bench, accounts)),
        ...(await measureEqual(bench, accounts)),
      };
      runs.push(values);
      process.stderr.write(`${formatCount(accounts)} accounts: ${JSON.stringify(values)}\n`);
    }
    bySize.push(runs);
  }
  const names = Object.keys(lines) as Name[];
  return [
    {
      title: `Accounts: ${each.clients} clients and ${each.campaigns} campaigns each, service takes 0 ms`,
      of: 'accounts',
      sizes,
      lines: names.map((name) => ({
        ...lines[name],
        values: bySize.map((runs) => median(runs.map((values) => values[name]))),
      })),
    },
    await measureDigests(bench),
  ];
}

/** Measures nights with a digest for each account. */
async function measureDigests(bench: Bench): Promise<Growth> {
  const sizes = [...new Set([40, 400, 2_000].map((accounts) => scaled(bench, accounts)))];
  const values: (readonly number[])[] = [];
  for (const accounts of sizes) {
    const runs: (readonly number[])[] = [];
    for (let run = 1; run <= bench.runs; run++) runs.push(await measureMailedNights(bench, accounts));
    values.push(runs[0]!.map((_, index) => median(runs.map((each) => each[index]!))));
    process.stderr.write(`${formatCount(accounts)} digests: ${JSON.stringify(values.at(-1))}\n`);
  }
  return {
    title: `Digests: one for each account, of ${each.campaigns} campaigns`,
    of: 'digests',
    sizes,
    lines: ['first night', 'second night', 'second night again: nothing is due']
      .flatMap((what) => [what, `${what}, CPU`])
      .map((what, index) => ({
        what,
        unit: 's',
        values: values.map((each) => each[index]!),
      })),
  };
}

async function measureMailedNights(bench: Bench, accounts: number): Promise<number[]> {
  return await withAccounts(bench, accounts, {}, async ({ env, folder }) => {
    const digests = Array.from({ length: accounts }, (_, index) => ({
      name: `Office ${index + 1}`,
      to: ['ana@example.com'],
      accounts: [`account-${index + 1}`],
    }));
    const file = path.join(folder, 'digests.json');
    await writeFile(file, JSON.stringify(digests));
    const settings = { ...env, DIGEST_TO: '', DIGESTS_FILE: file };
    const tomorrow = Temporal.Now.plainDateISO('UTC').add({ days: 1 }).toString();
    const nights = [callsheet('run'), program('night.ts', tomorrow), program('night.ts', tomorrow)];
    const times: number[] = [];
    for (const night of nights) {
      const { figures } = await run(night, settings);
      times.push(figures.wallMs!, figures.cpuMs!);
    }
    return times;
  });
}

const lines = {
  startMs: { what: 'start: `migrate --status`', unit: 's' },
  nightMs: { what: 'first night', unit: 's' },
  nightCpuMs: { what: 'first night, CPU', unit: 's' },
  nightBytes: { what: 'first night, peak', unit: 'MB' },
  laterMs: { what: 'second night', unit: 's' },
  statusMs: { what: '`status`', unit: 's' },
  statusBytes: { what: '`status`, output', unit: 'kB' },
  pageMs: { what: 'page', unit: 'ms' },
  pageBytes: { what: 'page, HTML', unit: 'kB' },
  metricsMs: { what: '`/metrics`', unit: 'ms' },
  metricsBytes: { what: '`/metrics`, text', unit: 'kB' },
  outageMs: { what: 'outage: night', unit: 's' },
  outageLogLines: { what: 'outage: log lines', unit: 'number' },
  outageLogBytes: { what: 'outage: log', unit: 'kB' },
  outageMailBytes: { what: 'outage: alert mail', unit: 'kB' },
  outageAlerts: { what: 'outage: alerts', unit: 'number' },
  equalAlerts: { what: 'equal accounts: alerts', unit: 'number' },
  equalMailBytes: { what: 'equal accounts: alert mail', unit: 'kB' },
  equalStatusLines: { what: 'equal accounts: lines of `status`', unit: 'number' },
} satisfies Record<string, Omit<Growth['lines'][number], 'values'>>;

type Name = keyof typeof lines;
type Values = Readonly<Record<Name, number>>;

async function measureNights(bench: Bench, accounts: number) {
  return await withAccounts(bench, accounts, {}, async ({ env, databaseUrl }) => {
    const start = await run(callsheet('migrate', '--status'), env);
    const night = await run([...profiling(bench), ...callsheet('run')], env);
    await requireRows(databaseUrl, accounts, 1);
    const status = await run([...profiling(bench), ...callsheet('status')], env);
    const [page, metrics] = await measureServer(env);
    const tomorrow = Temporal.Now.plainDateISO('UTC').add({ days: 1 }).toString();
    const later = await run(program('night.ts', tomorrow), env);
    await requireRows(databaseUrl, accounts, 2);
    return {
      startMs: start.figures.wallMs!,
      nightMs: night.figures.wallMs!,
      nightCpuMs: night.figures.cpuMs!,
      nightBytes: night.figures.peakMB! * 1e6,
      laterMs: later.figures.wallMs!,
      statusMs: status.figures.wallMs!,
      statusBytes: Buffer.byteLength(status.stdout),
      pageMs: page.ms,
      pageBytes: page.bytes,
      metricsMs: metrics.ms,
      metricsBytes: metrics.bytes,
    };
  });
}

/** A night in which the service answers nothing but 503. */
async function measureOutage(bench: Bench, accounts: number) {
  return await withAccounts(bench, accounts, { status: 503 }, async ({ env, folder }) => {
    const night = await run(callsheet('run'), env, exitCode.unavailable);
    return {
      outageMs: night.figures.wallMs!,
      outageLogLines: countLines(night.stderr),
      outageLogBytes: Buffer.byteLength(night.stderr),
      outageMailBytes: await readMailBytes(folder),
      outageAlerts: await countAlerts(env),
    };
  });
}

/** A night in which each token yields the campaigns of the first one. */
async function measureEqual(bench: Bench, accounts: number) {
  return await withAccounts(bench, accounts, { equal: true }, async ({ env, folder }) => {
    await run(callsheet('run'), env);
    const status = await run(callsheet('status'), env, exitCode.done, exitCode.runAgain);
    return {
      equalAlerts: await countAlerts(env),
      equalMailBytes: await readMailBytes(folder),
      equalStatusLines: countLines(status.stdout),
    };
  });
}

type Installation = {
  readonly env: NodeJS.ProcessEnv;
  readonly databaseUrl: string;
  readonly folder: string;
};

/** Does `work` with a new installation of so many accounts. */
async function withAccounts<T>(
  { server }: Bench,
  count: number,
  service: ServiceOptions,
  work: (installation: Installation) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(path.join(tmpdir(), 'callsheet-bench-'));
  const { url: serviceUrl, stop } = await startService({ ...each, ...service });
  const accounts = Array.from({ length: count }, (_, index) => ({ name: `account-${index + 1}` }));
  try {
    return await server.withDatabase(async (databaseUrl) => {
      const env = await environment({ serviceUrl, databaseUrl, folder }, accounts);
      return await work({ env: { ...env, ALERT_TO: 'ops@example.com' }, databaseUrl, folder });
    });
  } finally {
    await stop();
    await rm(folder, { recursive: true });
  }
}

/** Runs a program to its end. Throws if its exit code is none of these. */
async function run(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  ...codes: readonly number[]
): Promise<Ended> {
  const ended = await runProgram(args, env);
  const expected = codes.length === 0 ? [exitCode.done] : codes;
  if (expected.some((code) => code === ended.code)) return ended;
  throw new Error(`${args.join(' ')} ended with ${ended.code}:\n${ended.stderr.slice(-2_000)}`);
}

async function requireRows(url: string, accounts: number, days: number): Promise<void> {
  const [{ rows }] = await query(
    url,
    `select ((select count(*) from warehouse.clients) + (select count(*) from etl.campaign_days))::float8 as rows`,
  );
  const expected = accounts * (each.clients + days * each.campaigns);
  if (rows !== expected) throw new Error(`${accounts} accounts: ${rows} rows instead of ${expected}`);
}

const requests = 5;

/** The page and the metrics as `schedule` serves them. It doesn't begin a run: the next one is in years. */
async function measureServer(env: NodeJS.ProcessEnv) {
  const port = await freePort();
  const settings = {
    ...env,
    HTTP_PORT: String(port),
    SCHEDULE: '0 0 29 2 *',
  };
  const child = spawn(process.execPath, callsheet('schedule'), {
    env: settings,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const exited = once(child, 'exit');
  try {
    for await (const line of createInterface(child.stderr)) if (line.includes('waiting for')) break;
    child.stderr.resume();
    return [
      await request(`http://127.0.0.1:${port}/`),
      await request(`http://127.0.0.1:${port}/metrics`),
    ] as const;
  } finally {
    child.kill();
    await exited;
  }
}

/** The median time of some requests, and the bytes of the body before compression. */
async function request(url: string) {
  const times: number[] = [];
  let bytes = 0;
  for (let count = 1; count <= requests; count++) {
    const began = performance.now();
    const response = await fetch(url);
    bytes = (await response.arrayBuffer()).byteLength;
    times.push(performance.now() - began);
    if (!response.ok) process.stderr.write(`${url}: status ${response.status}\n`);
  }
  return { ms: median(times), bytes };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

const countLines = (text: string) => text.split('\n').length - 1;

async function readMailBytes(folder: string): Promise<number> {
  const outbox = path.join(folder, 'outbox');
  const mails = (await readdir(outbox)).filter((name) => name.startsWith('alert-'));
  const sizes = await Promise.all(mails.map(async (name) => (await stat(path.join(outbox, name))).size));
  return sizes.reduce((total, size) => total + size, 0);
}

async function countAlerts(env: NodeJS.ProcessEnv): Promise<number> {
  const { stdout } = await run(callsheet('status', '--json'), env, exitCode.done, exitCode.runAgain);
  return JSON.parse(stdout).alerts.length;
}
