import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Environment } from '../config/environment.ts';
import { addDays, type Day, yesterday } from '../model/day.ts';
import { Failure } from '../model/errors.ts';
import { embeddedPrograms } from '../private-postgres/server.ts';
import { generateDataset } from '../simulator/dataset.ts';
import { type Simulator, startSimulator } from '../simulator/server.ts';
import { withStory } from '../simulator/story.ts';
import { dropSchemas } from '../warehouse/schema/drop.ts';
import { backfill } from './backfill.ts';
import { nightly } from './nightly.ts';
import type { AppContext } from './run/app-context.ts';
import { migrate } from './run/database.ts';
import type { RunReport } from './run/run.ts';

/** All files of the demo, its Postgres included. */
export const directory = path.join('.callsheet', 'demo');

export type DemoWorld = {
  readonly simulator: Simulator;
  /** Its address, and a token that it accepts throughout. */
  readonly service: { readonly url: string; readonly token: string };
  /** The settings for the simulator, as an operator would write them. */
  readonly environment: Environment;
  readonly story: DemoStory;
};

/** The story of the last night. */
export type DemoStory = {
  /** The start of the demo. Its nights are at this time, today and on the two days before. */
  readonly now: Temporal.Instant;
  /** The day of the last night's digest. */
  readonly day: Day;
  readonly corrected: { readonly account: string; readonly day: Day };
  readonly thinned: { readonly account: string; readonly day: Day };
  readonly refused: string;
  /** Changes the service: from now on it reports other counts for earlier days. */
  readonly begin: () => void;
};

/**
 * The simulator with its story, and the settings for it. Of the real environment, only the logging settings
 * apply. Throws a configuration Failure, before it writes a file, if there is no private Postgres, as in the
 * image.
 */
export async function openDemoWorld(real: Environment, now: Temporal.Instant): Promise<DemoWorld> {
  requirePostgres();
  const day = yesterday(now, 'UTC');
  const corrected = { account: 'coast', day: addDays(day, -2) };
  const thinned = { account: 'north', day: addDays(day, -1) };
  const refused = 'valley';
  const { dataset, begin } = withStory(generateDataset(), { corrected, thinned });
  const outbox = path.join(directory, 'outbox');
  await rm(outbox, { recursive: true, force: true });
  const accounts = dataset.accounts.map(({ name, token }) => ({ name, sidtoken: token }));
  const digests = [
    { name: 'Campaigns', to: ['manager@example.com'], accounts: ['north', 'coast'] },
    { name: 'Valley', to: ['valley@example.com'], accounts: [refused] },
  ];
  const environment = {
    ACCOUNTS_FILE: await writeSettings('accounts.json', accounts),
    DIGESTS_FILE: await writeSettings('digests.json', digests),
    ALERT_TO: 'ops@example.com',
    OUTBOX_DIR: outbox,
    LOG_FORMAT: real.LOG_FORMAT || 'pretty',
    // The demo prints what it does; the log is for more detail.
    LOG_LEVEL: real.LOG_LEVEL || 'silent',
  };
  // Started last: if one of the steps above failed, nobody would close it, and the process would stay up.
  const simulator = await startSimulator({ dataset });
  const tokenOf = (account: string) => dataset.accounts.find(({ name }) => name === account)!.token;
  const story = {
    now,
    day,
    corrected,
    thinned,
    refused,
    begin() {
      begin();
      simulator.revoke(tokenOf(refused));
    },
  };
  const service = { url: simulator.url, token: tokenOf(thinned.account) };
  return { simulator, service, environment: { ...environment, SERVICE_BASE_URL: service.url }, story };
}

function requirePostgres(): void {
  try {
    embeddedPrograms();
  } catch {
    const detail = 'the demo starts a Postgres of its own, which is not installed here';
    throw new Failure('INVALID_CONFIGURATION', detail, {
      advice: 'run it in a clone, after npm ci: npm run demo',
    });
  }
}

async function writeSettings(name: string, content: unknown): Promise<string> {
  const file = path.join(directory, name);
  await mkdir(directory, { recursive: true });
  await writeFile(file, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  return file;
}

/** A new warehouse in the demo's database: each demo tells its story from the beginning. */
export async function renewWarehouse(url: string): Promise<void> {
  await dropSchemas(url);
  await migrate(url);
}

const daysOfHistory = 35;

/** Five weeks of history, as of two nights ago. */
export async function loadHistory(
  app: AppContext,
  { now, day }: DemoStory,
  signal: AbortSignal,
): Promise<void> {
  const to = addDays(day, -2);
  const request = { command: 'demo', from: addDays(to, 1 - daysOfHistory), to, accounts: null };
  await backfill(nightsAgo(app, now, 2), request, signal);
}

/** The nightly run of the night before, in which nothing happens. */
export async function runQuietNight(
  app: AppContext,
  { now }: DemoStory,
  signal: AbortSignal,
): Promise<RunReport> {
  const { mail, ...config } = app.config;
  // The database's clock shows today, so the last night's day counts as missing: no news for anybody.
  const quiet = { ...app, config: { ...config, mail: { ...mail, alertTo: [] } } };
  return await nightly(nightsAgo(quiet, now, 1), demoRun, signal);
}

/** The last night, with its story. */
export async function runLastNight(
  app: AppContext,
  { now, begin }: DemoStory,
  signal: AbortSignal,
): Promise<RunReport> {
  begin();
  return await nightly(nightsAgo(app, now, 0), demoRun, signal);
}

const demoRun = { command: 'demo', days: null, accounts: null, digest: true, scheduledFor: null };

/** The app with its clock set so many nights back. */
function nightsAgo(app: AppContext, now: Temporal.Instant, nights: number): AppContext {
  const clock = () => now.subtract({ hours: 24 * nights });
  return { ...app, clock };
}
