import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import pg from 'pg';
import { type Dataset, generateDataset } from '../../src/simulator/dataset.ts';
import { stories } from '../../src/simulator/stories.ts';
import type { Row } from '../stories/figures.ts';
import { type OpenLife, openLife } from '../stories/live-story.ts';
import type { World } from '../support/world.ts';

/** Something of everything that analysts ask about. The last night is today, and nothing runs on it. */
const fortnight = stories['bad-fortnight']!;
const story = { ...fortnight, nights: [...fortnight.nights, [{ event: 'no run' as const }]] };
const lastNight = story.nights.length - 1;
/** Days that a backfill loads first: all days of the month before, whatever day is today. */
const daysOfHistory = 62;
/** The first three clients of valley get another name on that night. */
export const renaming = 6;
/** The client that north is. */
export const clientOfCoast = (dataset: Pick<Dataset, 'clients'>) => dataset.clients('coast').at(-1)!;
/** Their yesterdays differ for most of the day, but not when the nights begin. */
const zones: Readonly<Record<string, string>> = {
  coast: 'America/Costa_Rica',
  valley: 'Pacific/Kiritimati',
};

export const accounts = ['north', 'coast', 'valley'];
export const zoneOf = (account: string) => zones[account] ?? 'UTC';
/** The nights on which that happens. */
export const nightsWith = (name: string) =>
  story.nights.flatMap((events, night) => (events.some(({ event }) => event === name) ? [night] : []));
export const today = Temporal.Now.plainDateISO('UTC');
export const yesterdayOf = (account: string) =>
  Temporal.Now.plainDateISO(zoneOf(account)).subtract({ days: 1 });

export type Day = {
  readonly account: string;
  readonly day: string;
  readonly night: number;
  readonly state: 'loaded' | 'failed' | 'missing';
  readonly held: boolean;
  readonly provisional: boolean;
  readonly rows: readonly Row[];
};

export type Truth = Pick<OpenLife, 'oracle' | 'dateOf'> & {
  /** Every expected day of each account, up to its yesterday. */
  readonly days: readonly Day[];
};

export type Lived = {
  readonly truth: Truth;
  /** Queries as callsheet_reader. All values are text, as Postgres writes them. */
  readonly reader: pg.Client;
  close(): Promise<void>;
};

/** Lives through the story once. Every night is a day older than the next one, by the database's clock, too. */
export async function liveAnalystsStory(): Promise<Lived> {
  let tonight = 0;
  const life = await openLife({
    story,
    firstNight: today.subtract({ days: lastNight }).toString(),
    daysOfHistory,
    dataset: renamingClients(datasetOfMarch(), () => tonight),
    silence: (_, campaign) => (campaign === 'Clínica Peñasco – citas' ? 'liveAnswers' : undefined),
    settings: zonesAndClient,
  });
  for (; tonight < lastNight; tonight++) {
    await life.live(tonight);
    await passDay(life.world);
  }
  const reader = await readerOf(life.world);
  const { oracle, dateOf } = life;
  return {
    truth: { oracle, dateOf, days: daysOf(life) },
    reader,
    async close() {
      await reader.end();
      await life.close();
    },
  };
}

/** The same figures whatever today is: those of the days up to 18 March 2026. */
export function datasetOfMarch(): Dataset {
  const base = generateDataset(1, () => Temporal.Instant.from('2026-04-01T00:00:00Z'));
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

async function zonesAndClient(world: World, dataset: Dataset): Promise<World['environment']> {
  const file = path.join(world.folder, 'zones.json');
  const entries = dataset.accounts.map(({ name, token }) => ({
    name,
    sidtoken: token,
    time_zone: zones[name] ?? 'UTC',
    client: name === 'north' ? { account: 'coast', id: clientOfCoast(dataset).clientid } : undefined,
  }));
  await writeFile(file, JSON.stringify(entries), { mode: 0o600 });
  return { ACCOUNTS_FILE: file };
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

function daysOf({ oracle, dateOf }: OpenLife): Day[] {
  return accounts.flatMap((account) => {
    const nights = Temporal.PlainDate.from(dateOf(0)).until(yesterdayOf(account)).days;
    const all = Array.from({ length: nights + daysOfHistory + 1 }, (_, index) => index - daysOfHistory);
    return all.map((night): Day => {
      const window = oracle.windowOf(account, night);
      return {
        account,
        day: dateOf(night),
        night,
        state: window === undefined ? 'missing' : window.loaded ? 'loaded' : 'failed',
        held: window?.held != null,
        provisional: window?.loaded === true && !window.confirmed,
        rows: oracle.days.rowsOf(account, { first: night, last: night }),
      };
    });
  });
}
