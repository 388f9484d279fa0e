import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Environment } from '../../config/environment.ts';
import { addDays, type Day, today } from '../../model/day.ts';
import { chartId } from '../../model/digest.ts';
import { Failure } from '../../model/errors.ts';
import type { OnProgress } from '../../model/run.ts';
import { embeddedPrograms } from '../../private-postgres/server.ts';
import { generateDataset } from '../../simulator/dataset.ts';
import { type Simulator, startSimulator } from '../../simulator/server.ts';
import { stories } from '../../simulator/stories.ts';
import { type PlayedStory, playStory, type StoryEvent } from '../../simulator/story.ts';
import { openWarehouse, type Queries } from '../../warehouse/db/database.ts';
import { type RunRecord, readRuns } from '../../warehouse/queries/run-history.ts';
import { backfill } from '../backfill.ts';
import { migrate } from '../run/database.ts';
import { type Night, runUntilDone, simulateNight, withClock } from './simulate-night.ts';

/** All files of the demo, its Postgres included. */
export const directory = path.join('.callsheet', 'demo');

/** The demo's mails, in a folder for each night. */
export const mailDirectory = path.join(directory, 'mails');

export const demoStory = stories['bad-fortnight']!;

export type DemoWorld = {
  readonly simulator: Simulator;
  /** Its address, and a token that it accepts throughout. */
  readonly service: { readonly url: string; readonly token: string };
  /** The settings for the simulator, as an operator would write them. */
  readonly environment: Environment;
  readonly played: PlayedStory;
  /** The start of the demo. Its nights are at this time; the last one is today. */
  readonly now: Temporal.Instant;
};

export type LivedNight = {
  readonly date: Day;
  readonly events: readonly StoryEvent[];
  /** The run and its retries. */
  readonly runs: readonly RunRecord[];
  readonly mails: readonly NightMail[];
};

export type NightMail = {
  readonly to: string;
  readonly subject: string;
  /** Its HTML, with the chart inside. */
  readonly page: string;
};

/**
 * The simulator with its story, and the settings for it. Of the real environment, only the logging settings
 * apply. Throws a configuration Failure, before it writes a file, if there is no private Postgres, as in the
 * image.
 */
export async function openDemoWorld(real: Environment, now: Temporal.Instant): Promise<DemoWorld> {
  try {
    embeddedPrograms();
  } catch {
    const detail = 'the demo needs its own Postgres, which is not installed here';
    throw new Failure('INVALID_CONFIGURATION', detail, {
      advice: 'in a clone, after npm ci, run: npm run demo',
    });
  }
  const base = generateDataset(1, () => now, demoStory.accounts);
  const played = playStory(demoStory, dateOf(0, now), base);
  const accounts = base.accounts.map(({ name, token }) => ({ name, sidtoken: token }));
  const digests = [
    { name: 'Campaigns', to: ['manager@example.com'], accounts: ['north', 'coast'] },
    { name: 'Valley', to: ['valley@example.com'], accounts: ['valley'] },
  ];
  const environment = {
    ACCOUNTS_FILE: await writeSettings('accounts.json', accounts),
    DIGESTS_FILE: await writeSettings('digests.json', digests),
    ALERT_TO: 'ops@example.com',
    INSTALLATION: 'demo',
    DIGEST_FROM: 'Callsheet demo <callsheet@localhost>',
    OUTBOX_DIR: mailDirectory,
    // The clock of a night stands still while a request is repeated.
    RETRIES: '0',
    LOG_FORMAT: real.LOG_FORMAT || 'pretty',
    // The demo prints what it does; the log is for more detail.
    LOG_LEVEL: real.LOG_LEVEL || 'silent',
  };
  // Started last: if one of the steps above failed, nobody would close it, and the process would stay up.
  const simulator = await startSimulator({ dataset: played.dataset, intercept: played.intercept });
  const service = { url: simulator.url, token: base.accounts[0]!.token };
  return {
    simulator,
    service,
    environment: { ...environment, SERVICE_BASE_URL: service.url },
    played,
    now,
  };
}

async function writeSettings(name: string, content: unknown): Promise<string> {
  const file = path.join(directory, name);
  await mkdir(directory, { recursive: true });
  await writeFile(file, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  return file;
}

/** Drops the demo's warehouse with all its data, and creates it anew: each demo loads its figures again. */
export async function renewWarehouse(url: string): Promise<void> {
  {
    await using warehouse = openWarehouse(url, 1);
    for (const name of ['warehouse', 'etl'])
      await warehouse.schema.dropSchema(name).ifExists().cascade().execute();
  }
  await migrate(url);
}

const daysOfHistory = 35;

/** Five weeks of history, and the night before `firstNight`: from then on a night has little to sync. */
export async function loadHistory(
  world: DemoWorld,
  databaseUrl: string,
  firstNight: number,
  onProgress: OnProgress,
  signal: AbortSignal,
): Promise<void> {
  const { played, now } = world;
  const to = addDays(dateOf(firstNight - 2, now), -1);
  const request = { command: 'demo', from: addDays(to, 1 - daysOfHistory), to, accounts: null };
  played.startNight(firstNight - 1, null);
  await withClock(nightOf(world, databaseUrl, firstNight - 2), async (app) => {
    await backfill({ ...app, onProgress }, request, signal);
  });
  await withClock({ ...nightOf(world, databaseUrl, firstNight - 1), events: [] }, async (app, _, wait) => {
    await runUntilDone({ ...app, onProgress }, wait, signal);
  });
  // Mails of history are none of the demo's.
  await rm(mailDirectory, { recursive: true, force: true });
}

/** Lives through the nights from `firstNight`, counted from 0, to today's. */
export async function* liveNights(
  world: DemoWorld,
  { queries, databaseUrl }: { readonly queries: Queries; readonly databaseUrl: string },
  firstNight: number,
  onProgress: OnProgress,
  signal: AbortSignal,
): AsyncGenerator<LivedNight> {
  let lastRun = (await readRuns(queries, 1))[0]!.run;
  for (let number = firstNight; number < demoStory.nights.length; number++) {
    signal.throwIfAborted();
    const night = nightOf(world, databaseUrl, number);
    await simulateNight(night, (outside) => world.played.startNight(number, outside), onProgress, signal);
    const runs = (await readRuns(queries, maxRunsOfNight)).filter(({ run }) => run > lastRun);
    lastRun = runs[0]?.run ?? lastRun;
    yield {
      date: dateOf(number, world.now),
      events: night.events,
      runs,
      mails: await readMails(night.environment.OUTBOX_DIR!),
    };
  }
}

/** More than `RETRY_FOR` has room for. */
const maxRunsOfNight = 50;

/** The date of a night: the last one is today. */
const dateOf = (night: number, now: Temporal.Instant): Day =>
  addDays(today(now, 'UTC'), night + 1 - demoStory.nights.length);

function nightOf({ environment, now }: DemoWorld, databaseUrl: string, number: number): Night {
  const date = dateOf(number, now);
  const settings = demoStory.nights
    .slice(0, number + 1)
    .flat()
    .flatMap((event) => (event.event === 'setting changed' ? [[event.name, event.value]] : []));
  return {
    environment: {
      ...environment,
      ...Object.fromEntries(settings),
      OUTBOX_DIR: path.join(mailDirectory, date),
    },
    databaseUrl,
    // Retries of a night that begins in the evening would go on into the next day. The last night is now.
    startsAt: number === demoStory.nights.length - 1 ? now.toString() : `${date}T06:30:00Z`,
    events: demoStory.nights[number] ?? [],
  };
}

/** Writes the HTML of each mail in a folder next to it. */
async function readMails(folder: string): Promise<NightMail[]> {
  // Only the demo and tests need it: if it isn't installed, there is no demo.
  const { default: PostalMime } = await import('postal-mime');
  const names = await readdir(folder).catch(() => []);
  const mails: NightMail[] = [];
  for (const name of names.filter((name) => name.endsWith('.eml')).sort()) {
    const mail = await PostalMime.parse(await readFile(path.join(folder, name)), {
      attachmentEncoding: 'base64',
    });
    const chart = mail.attachments.find(({ contentId }) => contentId === `<${chartId}>`);
    const html = mail.html ?? `<pre>${mail.text?.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</pre>`;
    // Short enough for a line of a terminal.
    const page = path.join(folder, name.replace(/@[^@]*\.eml$/, '.html'));
    await writeFile(page, html.replaceAll(`cid:${chartId}`, `data:image/png;base64,${chart?.content}`), {
      mode: 0o600,
    });
    mails.push({ to: mail.to![0]!.address!, subject: mail.subject!, page });
  }
  return mails;
}
