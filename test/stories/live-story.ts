import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { backfill } from '../../src/job/backfill.ts';
import { type Night, runUntilDone, simulateNight, withClock } from '../../src/job/demo/simulate-night.ts';
import { replay } from '../../src/job/replay.ts';
import { type Dataset, generateDataset } from '../../src/simulator/dataset.ts';
import { changing, type Middleware } from '../../src/simulator/middleware.ts';
import { playStory, type Story } from '../../src/simulator/story.ts';
import { never } from '../support/nights.ts';
import { openWorld, type World } from '../support/world.ts';
import * as oracle from './oracle.ts';
import type { BuiltMail, Digest, Observed, Settings, Silence } from './state.ts';

/** What somebody does after a run of a night. */
export type Deed = 'second run' | 'backfill' | 'replay';

export type Life = {
  readonly story: Story;
  /** Its date. */
  readonly firstNight: string;
  /** What somebody does after each night. */
  readonly deeds?: readonly (Deed | null)[];
  /** Days that are backfilled before the first night. */
  readonly daysOfHistory?: number;
  /** The accounts that the settings don't name, night by night: they leave, and join or come back. */
  readonly away?: readonly (readonly string[])[];
  readonly silence?: Silence;
  readonly digests?: readonly Digest[];
  readonly dataset?: Dataset;
  readonly settings?: (world: World, dataset: Dataset) => Promise<World['environment']>;
};

export type LivedNight = {
  readonly number: number;
  /** Its messages are there as files. */
  readonly outbox: string;
  /** The digests that must have arrived. */
  readonly mails: readonly BuiltMail[];
};

export type OpenLife = Awaited<ReturnType<typeof openLife>>;

/** A story from its first night, in Callsheet and in the oracle. */
export async function openLife(life: Life) {
  const {
    story,
    firstNight,
    silence = () => undefined,
    daysOfHistory = 0,
    digests = digestsOf(story),
  } = life;
  const dateOf = (day: number) => Temporal.PlainDate.from(firstNight).add({ days: day }).toString();
  const { dataset = generateDataset(1, undefined, story.accounts), deeds = [], away = [] } = life;
  const accountsOf = (number: number) =>
    story.accounts.map(({ name }) => name).filter((name) => !away[number]?.includes(name));
  const played = playStory(story, firstNight, dataset);
  const world = await openWorld({ dataset: played.dataset, intercept: silenced(played.intercept, silence) });
  const state = oracle.createState(story, played, digests, dateOf, silence);
  const environment = {
    ...world.environment,
    ...(await life.settings?.(world, played.dataset)),
  };

  async function nightOf(number: number): Promise<Night> {
    const changed = story.nights
      .slice(0, number + 1)
      .flat()
      .flatMap((event) => (event.event === 'setting changed' ? [[event.name, event.value]] : []));
    return {
      environment: {
        ...environment,
        ...(await environmentOf(world, environment, digests, accountsOf(number))),
        ...Object.fromEntries(changed),
        OUTBOX_DIR: path.join(world.folder, dateOf(number)),
      },
      databaseUrl: world.databaseUrl,
      startsAt: `${dateOf(number)}T06:30:00Z`,
      events: story.nights[number] ?? [],
    };
  }
  const settingsOf = (number: number, { environment }: Night): Settings => ({
    accounts: accountsOf(number),
    lookback: Number(environment.LOOKBACK_DAYS ?? 3),
    catchUp: 31,
  });

  async function live(number: number): Promise<LivedNight> {
    const night = await nightOf(number);
    const settings = settingsOf(number, night);
    let mails: readonly BuiltMail[] = [];
    await simulateNight(
      night,
      (outside) => played.startNight(number, outside),
      () => {},
      never,
      async () => {
        if (await hasFinished(world)) mails = oracle.live(state, number, settings);
        else oracle.liveKilled(state, number, settings, await observe(world, dateOf, number));
      },
    );
    mails = [...mails, ...oracle.live(state, number, settings)];
    const deed = deeds[number] ?? null;
    const since = Math.min(...settings.accounts.map((name) => state.since.get(name) ?? Infinity));
    if (deed !== null && since < Infinity) {
      await act(night, deed, dateOf(since - 3), dateOf(since - 1));
      if (deed === 'second run') mails = [...mails, ...oracle.live(state, number, settings)];
      if (deed === 'replay') oracle.replay(state, number, settings);
      if (deed === 'backfill') oracle.backfill(state, number, since - 3, since - 1, settings);
    }
    return { number, outbox: night.environment.OUTBOX_DIR!, mails };
  }

  if (daysOfHistory > 0) {
    const first = await nightOf(0);
    await act(first, 'backfill', dateOf(-daysOfHistory), dateOf(-2));
    // Before the first night, nothing is wrong yet.
    state.nights = [];
    oracle.backfill(state, 0, -daysOfHistory, -2, settingsOf(0, first));
    state.nights = story.nights;
  }
  return { world, story, state, dateOf, live, close: () => world.close() };
}

/** Those of three accounts, or one of forty offices. */
function digestsOf({ accounts }: Story): readonly Digest[] {
  const names = accounts.map(({ name }) => name);
  const board = { to: 'board@example.com', accounts: names };
  const rest: Digest[] = [
    { ...board, name: 'Week', every: 'week' },
    { ...board, name: 'Month', every: 'month' },
  ];
  if (!names.includes('north'))
    return [{ name: 'Offices', every: 'day', to: 'manager@example.com', accounts: names }, ...rest];
  return [
    { name: 'Campaigns', every: 'day', to: 'manager@example.com', accounts: ['north', 'coast'] },
    { name: 'Valley', every: 'day', to: 'valley@example.com', accounts: ['valley'] },
    ...rest,
  ];
}

/** The service leaves out the counts that a campaign doesn't report. */
function silenced(intercept: Middleware, silence: Silence): Middleware {
  return async (request, next) => {
    const leaveOut = changing((envelope) => {
      if (!Array.isArray(envelope.result) || request.operation === 'getClients') return envelope;
      return {
        ...envelope,
        result: envelope.result.map((record) =>
          without(record, silence(request.account ?? '', record.campaign)),
        ),
      };
    });
    return await leaveOut(
      request,
      async (changed = request) => (await intercept(changed, next)) ?? (await next(changed)),
    );
  };
}

/** Null as the service may send it; what can't be read stays. */
function without(record: Record<string, unknown>, silent: ReturnType<Silence>): Record<string, unknown> {
  const name = silent === 'liveAnswers' ? 'liveanswers' : silent;
  if (name === undefined || typeof record[name] !== 'number') return record;
  return { ...record, [name]: null };
}

/** Settings with these accounts alone, and with what the digests have of them. */
async function environmentOf(
  { folder }: World,
  { ACCOUNTS_FILE }: World['environment'],
  all: readonly Digest[],
  accounts: readonly string[],
): Promise<World['environment']> {
  const known = JSON.parse(await readFile(ACCOUNTS_FILE!, 'utf8')) as { name: string }[];
  const accountsFile = path.join(folder, 'accounts-of-night.json');
  await writeFile(accountsFile, JSON.stringify(known.filter(({ name }) => accounts.includes(name))), {
    mode: 0o600,
  });
  const digests = all
    .map(({ to, ...digest }) => ({
      ...digest,
      to: [to],
      accounts: digest.accounts.filter((name) => accounts.includes(name)),
    }))
    .filter((digest) => digest.accounts.length > 0);
  const digestsFile = path.join(folder, 'digests.json');
  await writeFile(digestsFile, JSON.stringify(digests));
  return {
    DIGEST_TO: '',
    ACCOUNTS_FILE: accountsFile,
    DIGESTS_FILE: digestsFile,
    ALERT_TO: 'ops@example.com',
    RETRIES: '0',
    LOG_LEVEL: 'silent',
  };
}

async function act(night: Night, deed: Deed, from: string, to: string): Promise<void> {
  await withClock(night, async (app, _, wait) => {
    if (deed === 'second run') await runUntilDone(app, wait, never);
    if (deed === 'backfill') await backfill(app, { command: 'backfill', from, to, accounts: null }, never);
    if (deed === 'replay')
      await replay(app, { command: 'replay', from, to: '2099-12-31', accounts: null }, never);
  });
}

/** The request at which the last run was to be killed never came. */
async function hasFinished(world: World): Promise<boolean> {
  const [run] = await world.query<{ outcome: string | null }>(
    'select outcome from etl.runs order by run_id desc limit 1',
  );
  return run?.outcome != null;
}

/** How far a killed run came, by the ledger. */
async function observe(world: World, dateOf: (day: number) => string, night: number): Promise<Observed> {
  const date = dateOf(night);
  const windows = await world.query<{ key: string }>(
    `select a.name || ' ' || w.day as key from etl.windows w join warehouse.accounts a using (account_id)
     where w.synced_run_date = $1 or w.failed_at > (select max(started_at) from etl.runs)`,
    [date],
  );
  const walks = await world.query<{ name: string }>(
    `select a.name from etl.walks w join warehouse.accounts a using (account_id)
     where w.run_date = $1 and w.verdict = 'complete'`,
    [date],
  );
  const clients = await world.query<{ key: string; balance: string }>(
    `select a.name || ' ' || c.client_id as key, c.balance::text
     from warehouse.clients c join warehouse.accounts a using (account_id)`,
  );
  return {
    windowWasSynced: (account: string, day: number) =>
      windows.some(({ key }) => key === `${account} ${dateOf(day)}`),
    walkWasComplete: (account: string) => walks.some(({ name }) => name === account),
    client: (account: string, id: number) => clients.find(({ key }) => key === `${account} ${id}`),
  };
}
