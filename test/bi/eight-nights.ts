import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import pg from 'pg';
import { backfill } from '../../src/job/backfill.ts';
import { liveNight, type Night, withClock } from '../../src/job/demo/live-night.ts';
import { THREE_ACCOUNTS } from '../../src/simulator/accounts.ts';
import { type Dataset, generateDataset } from '../../src/simulator/dataset.ts';
import { changing, type Middleware } from '../../src/simulator/middleware.ts';
import { playStory, type Story } from '../../src/simulator/story.ts';
import { createOracle, type ExpectedRow, type Oracle } from '../stories/oracle.ts';
import { never } from '../support/nights.ts';
import { openWorld, type World } from '../support/world.ts';

/** Something of everything that the twelve questions ask about. The last night is today, and nothing runs on it. */
const story: Story = {
  about: 'what analysts ask about',
  accounts: THREE_ACCOUNTS,
  nights: [
    [],
    [{ event: 'clients added', account: 'north', clients: 12 }],
    [{ event: 'late correction', account: 'coast', daysAgo: 2, percent: 76 }],
    [
      { event: 'campaign withdrawn', account: 'valley', daysAgo: 2 },
      { event: 'clients removed', account: 'coast', clients: 3 },
    ],
    [
      { event: 'balances spent', account: 'north', clients: 6 },
      { event: 'campaign added later', account: 'north', daysAgo: 2 },
    ],
    [],
    [
      { event: 'half listed', account: 'coast', daysAgo: 1 },
      { event: 'campaigns missing', account: 'north', daysAgo: 2 },
      { event: 'token refused', account: 'valley' },
    ],
    [{ event: 'no run' }],
  ],
};
const lastNight = story.nights.length - 1;
/** Days that a backfill loads first: all days of the month before, whatever day is today. */
const history = 62;
/** The first three clients of valley get another name on that night. */
const renaming = 4;
/** The client that north is. */
export const clientOfCoast = (dataset: Pick<Dataset, 'clients'>) => dataset.clients('coast').at(-1)!;
/** No response reports the live answers of this campaign. */
export const unreportedCampaign = 'Clínica Peñasco – citas';
/** Their yesterdays differ for most of the day, but not when the nights begin. */
const zones: Readonly<Record<string, string>> = {
  coast: 'America/Costa_Rica',
  valley: 'Pacific/Kiritimati',
};
const settings = { lookback: 3, catchUp: 31 };

export const accounts = ['north', 'coast', 'valley'];
export const today = Temporal.Now.plainDateISO('UTC');
export const dateOf = (night: number) => today.add({ days: night - lastNight }).toString();
export const yesterdayOf = (account: string) =>
  Temporal.Now.plainDateISO(zones[account] ?? 'UTC').subtract({ days: 1 });

export type Row = ExpectedRow & { readonly callset: number };

export type Day = {
  readonly account: string;
  readonly day: string;
  readonly state: 'loaded' | 'failed' | 'missing';
  readonly held: boolean;
  readonly short: boolean;
  /** Current ones. */
  readonly rows: readonly Row[];
};

/** A finished day that changed on a night. */
export type RestatedDay = {
  readonly night: string;
  readonly campaigns: number;
  readonly before: Day;
  readonly after: Day;
};

/** What must be in the warehouse, by the story alone. */
export type Truth = {
  /** Every expected day of each account, up to its yesterday. */
  readonly days: readonly Day[];
  readonly restated: readonly RestatedDay[];
  /** Clients first seen after the first walk. */
  readonly newClients: readonly { readonly account: string; readonly night: string }[];
  readonly renamed: readonly {
    readonly account: string;
    readonly id: number;
    readonly before: string;
    readonly now: string;
  }[];
  readonly clients: Oracle['clients'];
  readonly balances: Oracle['balances'];
};

export type Lived = {
  readonly world: World;
  readonly truth: Truth;
  /** Queries as callsheet_reader. All values are text, as Postgres writes them. */
  readonly reader: pg.Client;
  close(): Promise<void>;
};

/** Lives through the story once. Every night is a day older than the next one, by the database's clock, too. */
export async function liveEightNights(): Promise<Lived> {
  let tonight = 0;
  const played = playStory(
    story,
    dateOf(0),
    renamingClients(datasetOfMarch(), () => tonight),
  );
  const world = await openWorld({ dataset: played.dataset, intercept: leavingOut(played.intercept) });
  const environment = await environmentOf(world, played.dataset);
  const oracle = createOracle(story, played, [], dateOf);
  const restated: RestatedDay[] = [];
  const newClients: { account: string; night: string }[] = [];
  const nightOf = (number: number): Night => ({
    environment,
    databaseUrl: world.databaseUrl,
    startsAt: `${dateOf(number)}T06:30:00Z`,
    events: story.nights[number]!,
  });
  await withClock(nightOf(0), async (app) => {
    const days = { from: dateOf(-history), to: dateOf(-2) };
    await backfill(app, { command: 'backfill', ...days, accounts: null }, never);
  });
  oracle.backfill(0, -history, -2, settings);
  for (tonight = 0; tonight <= lastNight; tonight++) {
    const before = new Map(daysOf(oracle).map((day) => [`${day.account} ${day.day}`, day]));
    const known = new Map(accounts.map((account) => [account, new Set(oracle.clients.get(account)?.keys())]));
    await liveNight(
      nightOf(tonight),
      (outside) => played.turnTo(tonight, outside),
      () => {},
      never,
    );
    oracle.live(tonight, settings);
    for (const after of daysOf(oracle)) {
      const earlier = before.get(`${after.account} ${after.day}`);
      if (earlier?.state !== 'loaded') continue;
      const campaigns = changesOf(earlier, after);
      if (campaigns > 0) restated.push({ night: dateOf(tonight), campaigns, before: earlier, after });
    }
    for (const account of tonight === 0 ? [] : accounts)
      for (const id of oracle.clients.get(account)!.keys())
        if (!known.get(account)!.has(id)) newClients.push({ account, night: dateOf(tonight) });
    if (tonight < lastNight) await passDay(world);
  }
  const names = new Map(
    datasetOfMarch()
      .clients('valley')
      .map((client) => [client.clientid, client.clientname]),
  );
  const renamed = [...oracle.clients.get('valley')!].flatMap(([id, { name }]) =>
    names.get(id) === name ? [] : [{ account: 'valley', id, before: names.get(id)!, now: name }],
  );
  const { clients, balances } = oracle;
  const reader = await readerOf(world);
  return {
    world,
    truth: { days: daysOf(oracle), restated, newClients, renamed, clients, balances },
    reader,
    async close() {
      await reader.end();
      await world.close();
    },
  };
}

/** The same figures whatever today is: those of the days up to 18 March 2026. */
export function datasetOfMarch(): Dataset {
  const base = generateDataset(1, () => Temporal.Instant.from('2026-04-01T00:00:00Z'), THREE_ACCOUNTS);
  const { days } = Temporal.PlainDate.from('2026-03-18').until(today, { largestUnit: 'days' });
  return {
    ...base,
    campaigns: (account, from, to) => base.campaigns(account, from.subtract({ days }), to.subtract({ days })),
  };
}

function renamingClients(base: Dataset, tonight: () => number): Dataset {
  return {
    ...base,
    clients: (account) =>
      base
        .clients(account)
        .map((client, index) =>
          account === 'valley' && index < 3 && tonight() >= renaming
            ? { ...client, clientname: `${client.clientname} Group` }
            : client,
        ),
  };
}

function leavingOut(intercept: Middleware): Middleware {
  const unreported = changing((envelope) => ({
    ...envelope,
    ...(Array.isArray(envelope.result) && {
      result: envelope.result.map(({ liveanswers, ...campaign }) =>
        campaign.campaign === unreportedCampaign ? campaign : { ...campaign, liveanswers },
      ),
    }),
  }));
  return (request, next) =>
    unreported(
      request,
      async (changed = request) => (await intercept(changed, next)) ?? (await next(changed)),
    );
}

async function environmentOf(world: World, dataset: Dataset): Promise<World['environment']> {
  const file = path.join(world.folder, 'zones.json');
  const entries = dataset.accounts.map(({ name, token }) => ({
    name,
    sidtoken: token,
    time_zone: zones[name] ?? 'UTC',
    client: name === 'north' ? { account: 'coast', id: clientOfCoast(dataset).clientid } : undefined,
  }));
  await writeFile(file, JSON.stringify(entries), { mode: 0o600 });
  return { ...world.environment, ACCOUNTS_FILE: file, RETRIES: '0', LOG_LEVEL: 'silent' };
}

/** Makes every timestamp a day older: the database's clock can't be moved. */
async function passDay(world: World): Promise<void> {
  const statements = await world.query<{ text: string }>(
    `select format('update %I.%I set %s', table_schema, table_name,
       string_agg(format('%1$I = %1$I - interval ''1 day''', column_name), ', ')) as text
     from information_schema.columns join information_schema.tables using (table_schema, table_name)
     where table_schema in ('warehouse', 'etl') and table_type = 'BASE TABLE' and data_type = 'timestamp with time zone'
     group by table_schema, table_name`,
  );
  for (const { text } of statements) await world.query(text);
}

async function readerOf(world: World): Promise<pg.Client> {
  const reader = new pg.Client({
    connectionString: world.databaseUrl,
    types: { getTypeParser: () => (text: string) => text },
  });
  await reader.connect();
  await reader.query(`set role callsheet_reader; set time zone 'UTC'; set datestyle = 'ISO'`);
  return reader;
}

function daysOf(oracle: Oracle): Day[] {
  return accounts.flatMap((account) => {
    const nights = Temporal.PlainDate.from(dateOf(0)).until(yesterdayOf(account)).days;
    const all = Array.from({ length: nights + history + 1 }, (_, index) => index - history);
    return all.map((night): Day => {
      const window = oracle.windowOf(account, night);
      const rows = [...(window?.rows ?? [])].flatMap(([callset, row]) =>
        row.withdrawn ? [] : [{ ...row, callset }],
      );
      const state = window === undefined ? 'missing' : window.loaded ? 'loaded' : 'failed';
      return {
        account,
        day: dateOf(night),
        state,
        held: window?.held != null,
        short: window?.short ?? false,
        rows,
      };
    });
  });
}

/** How many campaigns differ. */
function changesOf(before: Day, after: Day): number {
  const countsOf = ({ rows }: Day) =>
    new Map(
      rows.map((row) => [row.callset, [row.attempts, row.busies, row.connects, row.liveAnswers].join()]),
    );
  const [one, other] = [countsOf(before), countsOf(after)];
  return [...new Set([...one.keys(), ...other.keys()])].filter((id) => one.get(id) !== other.get(id)).length;
}
