import pg from 'pg';
import { loadWindow } from '../../src/job/windows/load-window.ts';
import type { CampaignRecord } from '../../src/model/records.ts';
import { openWarehouse, type Warehouse } from '../../src/warehouse/db/database.ts';
import { inTransaction } from '../../src/warehouse/db/transaction.ts';
import { syncAccounts } from '../../src/warehouse/ledger/accounts.ts';
import { databaseClock } from '../../src/warehouse/ledger/runs.ts';
import { recordFailures } from '../../src/warehouse/ledger/window-entry.ts';
import { refreshCampaigns } from '../../src/warehouse/load/campaigns.ts';
import { upsertClients } from '../../src/warehouse/load/clients.ts';
import { beginTestRun } from '../support/begun-run.ts';
import { createDatabase } from '../support/database.ts';
import { plainResponse } from '../support/plain-response.ts';

/*
 * A hundred nights of five accounts, as plain data. The product's own functions load it into a warehouse; answers.txt
 * has the answer to each question. Days and nights are numbered by how long ago they are: night 0 is today.
 */

/** Noon of night 0, a Wednesday: it is the same day in each zone that asks. */
const now = Temporal.Instant.from('2026-03-18T12:00:00Z');
export const today = now.toZonedDateTimeISO('UTC').toPlainDate();
/** A statement as it is at that time. */
export const atNow = (statement: string): string =>
  statement
    .replaceAll(/\bcurrent_date\b/gi, `timestamptz '${now}'::date`)
    .replaceAll(/\bnow\(\)/g, `timestamptz '${now}'`);
const dayAgo = (ago: number): string => today.subtract({ days: ago }).toString();
/** Every night is at a second past midnight UTC. */
const nightAgo = (ago: number): Temporal.Instant => Temporal.Instant.from(`${dayAgo(ago)}T00:00:01Z`);
const weekdayOf = (day: string): number => Temporal.PlainDate.from(day).dayOfWeek;
const dateIn = (zone: string, instant: Temporal.Instant): string =>
  instant.toZonedDateTimeISO(zone).toPlainDate().toString();

export type Account = {
  readonly name: string;
  readonly zone: string;
  /** Expected from then on. */
  readonly first: number;
  /** Its last expected day, if it is gone from the settings. */
  readonly last?: number;
};
/** Delta joined, and its first day is missing; old retired. It is yesterday in Los Angeles at night. */
export const accounts: readonly Account[] = [
  { name: 'coast', zone: 'America/Los_Angeles', first: 100 },
  { name: 'delta', zone: 'UTC', first: 10 },
  { name: 'north', zone: 'UTC', first: 100 },
  { name: 'old', zone: 'UTC', first: 100, last: 20 },
  { name: 'valley', zone: 'Asia/Kolkata', first: 100 },
];
/** The client of coast that north is. */
export const northAsClient = { id: 7, name: 'Acme' };

type Row = Pick<CampaignRecord, 'attempts' | 'busies' | 'connects' | 'liveAnswers' | 'extra'> & {
  readonly account: string;
  readonly day: string;
  readonly callset: number;
  readonly campaign: string;
};
/** A response for a day. */
type Load = {
  readonly night: number;
  readonly rows: readonly Row[];
  /** It announces more campaigns than it lists. */
  readonly provisional: boolean;
  /** It lacks most of the campaigns that are loaded. */
  readonly held: boolean;
};
type Day = {
  readonly account: string;
  readonly ago: number;
  readonly day: string;
  readonly loads: readonly Load[];
  readonly state: 'loaded' | 'provisional' | 'failed' | 'missing';
  readonly held: boolean;
  /** Current ones. */
  readonly rows: readonly Row[];
};

type Campaign = {
  readonly account: string;
  readonly id: number;
  readonly name: string | ((ago: number) => string);
  readonly runs: (ago: number) => boolean;
  readonly counts?: (ago: number) => Partial<Row>;
};
const always = () => true;
const isSunday = (ago: number) => weekdayOf(dayAgo(ago)) === 7;
const silent = { attempts: 0, busies: 0, connects: 0, liveAnswers: 0 };
const campaigns: readonly Campaign[] = [
  { account: 'north', id: 1, name: (ago) => (ago > 30 ? 'Spring' : 'Spring II'), runs: always },
  { account: 'north', id: 2, name: 'Reminders', runs: always, counts: () => ({ liveAnswers: null }) },
  { account: 'north', id: 3, name: 'Farewell', runs: (ago) => ago >= 10 },
  { account: 'north', id: 4, name: 'Hello', runs: (ago) => ago <= 5 },
  {
    account: 'north',
    id: 5,
    name: 'Weekdays',
    runs: always,
    counts: (ago) => ({ ...(isSunday(ago) && silent), extra: { cost: ago % 9 === 0 ? 'free' : ago / 4 } }),
  },
  // On Sundays, coast has no campaigns.
  { account: 'coast', id: 1, name: 'Harbour', runs: (ago) => !isSunday(ago) },
  { account: 'coast', id: 2, name: 'Reminders', runs: (ago) => !isSunday(ago) },
  { account: 'coast', id: 3, name: 'Idle', runs: (ago) => !isSunday(ago), counts: () => silent },
  { account: 'valley', id: 1, name: 'Valley', runs: always },
  {
    account: 'valley',
    id: 2,
    name: 'Unreported',
    runs: always,
    counts: (ago) => ([3, 40].includes(ago) ? { attempts: null } : {}),
  },
  {
    account: 'valley',
    id: 3,
    name: 'Machines',
    runs: always,
    counts: (ago) => (ago % 8 === 1 ? { liveAnswers: 0 } : {}),
  },
  { account: 'valley', id: 4, name: 'Pause', runs: (ago) => ago <= 6 || (ago >= 40 && ago <= 60) },
  { account: 'delta', id: 1, name: 'Delta', runs: always },
  { account: 'delta', id: 2, name: 'Valley', runs: (ago) => ago !== 4 },
  { account: 'old', id: 1, name: 'Old', runs: always },
];

function rowsOn(account: string, ago: number): Row[] {
  const epochDay = Math.floor(nightAgo(ago).epochMilliseconds / 86_400_000);
  return campaigns
    .filter((each) => each.account === account && each.runs(ago))
    .map(({ id, name, counts }) => {
      const size =
        account === 'north' && ago === 11
          ? 2
          : 100 + ((id * 37 + epochDay * 13 + account.length * 101) % 400);
      const connects = Math.floor((size * (45 + ((epochDay * 3 + id) % 15))) / 100);
      return {
        account,
        day: dayAgo(ago),
        callset: id,
        campaign: typeof name === 'string' ? name : name(ago),
        attempts: size,
        busies: Math.floor((size * ((epochDay * 7 + id) % 21)) / 100),
        connects,
        liveAnswers: Math.floor((connects * (50 + (id % 7))) / 100),
        extra: {},
        ...counts?.(ago),
      };
    });
}

type Change = { readonly account: string; readonly ago: number; readonly night: number } & {
  readonly what: 'changed' | 'without the last' | 'nothing' | 'as it was';
};
/** What the service says of days later on; what lacks over half of the campaigns is held. */
const changes: readonly Change[] = [
  { account: 'north', ago: 6, night: 3, what: 'changed' },
  { account: 'north', ago: 6, night: 1, what: 'as it was' },
  { account: 'north', ago: 8, night: 5, what: 'without the last' },
  { account: 'north', ago: 8, night: 2, what: 'as it was' },
  { account: 'coast', ago: 13, night: 9, what: 'without the last' },
  { account: 'coast', ago: 12, night: 9, what: 'without the last' },
  { account: 'valley', ago: 20, night: 18, what: 'changed' },
  { account: 'valley', ago: 9, night: 3, what: 'as it was' },
  { account: 'delta', ago: 7, night: 4, what: 'nothing' },
];
const incomplete: readonly (readonly [account: string, ago: number])[] = [
  ['valley', 9],
  ['valley', 2],
  ['valley', 45],
  ['coast', 5],
  ['coast', 33],
];
const lost: readonly (readonly [account: string, ago: number])[] = [
  ['valley', 52],
  ['north', 71],
];
const isAmong = (list: typeof lost, account: string, ago: number) =>
  list.some(([name, day]) => name === account && day === ago);

/** The first night on which a day is over. */
const nightOf = ({ zone }: Account, ago: number) =>
  dateIn(zone, nightAgo(ago - 1)) > dayAgo(ago) ? ago - 1 : ago - 2;

function dayOf(account: Account, ago: number): Day {
  const { name } = account;
  const full = rowsOn(name, ago);
  const first = nightOf(account, ago);
  const isLost = isAmong(lost, name, ago) || first < 0;
  const failed = name === 'delta' && ago === account.first;
  const loads: Load[] = [];
  if (!isLost && !failed) {
    const provisional = isAmong(incomplete, name, ago);
    loads.push({ night: first, rows: provisional ? full.slice(0, -1) : full, provisional, held: false });
  }
  for (const { night, what } of changes.filter((each) => each.account === name && each.ago === ago)) {
    const [one, ...others] = full;
    const rows = {
      changed: () => [{ ...one!, attempts: one!.attempts! + 240, connects: one!.connects! + 24 }, ...others],
      'without the last': () => full.slice(0, -1),
      nothing: () => [],
      'as it was': () => full,
    }[what]();
    loads.push({ night, rows, provisional: false, held: what === 'nothing' });
  }
  const current = loads.findLast(({ held }) => !held);
  const state =
    current === undefined ? (failed ? 'failed' : 'missing') : current.provisional ? 'provisional' : 'loaded';
  return {
    account: name,
    ago,
    day: dayAgo(ago),
    loads,
    state,
    held: loads.at(-1)?.held === true,
    rows: current?.rows ?? [],
  };
}

/** Every expected day of each account, up to its yesterday, oldest first. */
export const days: readonly Day[] = accounts.flatMap((account) => {
  const yesterday = Temporal.PlainDate.from(dateIn(account.zone, now)).subtract({ days: 1 }).toString();
  const all = Array.from({ length: account.first + 1 }, (_, index) => account.first - index);
  return all
    .filter((ago) => ago >= (account.last ?? 0) && dayAgo(ago) <= yesterday)
    .map((ago) => dayOf(account, ago));
});

export type Client = {
  readonly account: string;
  readonly id: number;
  readonly name: (night: number) => string;
  readonly isListed: (night: number) => boolean;
  readonly balance: (night: number) => number | null;
};
const clients: readonly Client[] = [
  {
    account: 'coast',
    ...northAsClient,
    name: () => northAsClient.name,
    isListed: always,
    balance: () => 500,
  },
  { account: 'coast', id: 8, name: () => 'Sixteen', isListed: always, balance: (night) => 96 + 16 * night },
  {
    account: 'coast',
    id: 9,
    name: () => 'Comeback',
    isListed: (night) => night > 45 || night < 7,
    balance: () => 50,
  },
  {
    account: 'coast',
    id: 10,
    name: (night) => (night > 40 ? 'First' : night > 20 ? 'Second' : 'Third'),
    isListed: always,
    balance: (night) => 400 - 30 * ((100 - night) % 11),
  },
  { account: 'coast', id: 11, name: () => 'Gone', isListed: (night) => night > 11, balance: () => 12.5 },
  {
    account: 'valley',
    id: 8,
    name: () => 'Newcomer',
    isListed: (night) => night <= 11,
    balance: (night) => 7 + 3 * night,
  },
  { account: 'valley', id: 9, name: () => 'Silent', isListed: always, balance: () => null },
];
const nights = Array.from({ length: 101 }, (_, index) => 100 - index);

type Mail = {
  /** Its day. */
  readonly ago: number;
  readonly night: number;
  readonly figures: readonly {
    readonly account: string;
    readonly state: 'whole' | 'provisional' | 'absent';
    readonly rows: readonly Row[] | null;
  }[];
  readonly deliveries: readonly (readonly [recipient: string, state: string])[];
};
const readers = ['coast', 'north', 'valley'];
/** What was loaded of a day after a night; undefined before. */
const loadedAt = ({ loads }: Day, night: number) =>
  loads.findLast((load) => !load.held && load.night >= night);

function mailOf(ago: number, night: number): Mail {
  const figures = readers.map((account): Mail['figures'][number] => {
    const day = days.find((each) => each.account === account && each.ago === ago)!;
    const load = loadedAt(day, night);
    const state = load === undefined ? 'absent' : load.provisional ? 'provisional' : 'whole';
    return { account, state, rows: load?.rows ?? null };
  });
  const deliveries = [
    ['ana@example.com', ago === 8 ? 'given_up' : 'sent'],
    ['ben@example.com', ago === 4 || ago === 8 ? 'given_up' : 'written'],
    ['cora@example.com', 'unknown'],
  ] as const;
  return { ago, night, figures, deliveries };
}
/** A mail for each day, two nights later; two days are corrected. */
const mails: readonly Mail[] = [
  ...Array.from({ length: 20 }, (_, index) => mailOf(22 - index, 20 - index)),
  mailOf(6, 3),
  mailOf(9, 3),
].sort((one, other) => other.night - one.night || other.ago - one.ago);

type Run = {
  readonly night: number;
  readonly number: number;
  readonly outcome: 'done' | 'partial' | 'failed' | null;
  readonly new: number;
  readonly error: string | null;
};
const runs: readonly Run[] = nights.flatMap((night): Run[] => {
  const done = { night, number: 1, outcome: 'done', new: 4, error: null } as const;
  if (night === 4)
    return [
      { ...done, outcome: 'failed', new: 0, error: 'SERVICE_UNAVAILABLE' },
      { ...done, number: 2, outcome: 'partial', new: 3, error: 'TOKEN_REFUSED' },
      { ...done, number: 3, new: 1 },
    ];
  if (night === 6) return [{ ...done, outcome: null, new: 0 }];
  if (night === 9)
    return [
      { ...done, outcome: 'partial', error: 'TOKEN_REFUSED' },
      { ...done, number: 2, new: 0 },
    ];
  return [done];
});

export type LoadedStory = {
  readonly url: string;
  /** Queries as callsheet_reader. Values are text, as Postgres writes them; instants those of `Temporal`. */
  readonly reader: pg.Client;
  /** Queries as the owner. */
  readonly owner: pg.Client;
  close(): Promise<void>;
};

/** Loads the story into a new warehouse. `afterNight` may look at each night. */
export async function loadStory(
  afterNight: (client: pg.Client) => Promise<unknown> = async () => {},
): Promise<LoadedStory> {
  const database = await createDatabase({ template: 'migrated' });
  const warehouse = openWarehouse(database.url, 1);
  const admin = new pg.Client({ connectionString: database.url });
  await admin.connect();
  const settings = accounts.map(({ name, zone }) => ({
    name,
    label: name,
    timeZone: zone,
    ...(name === 'north' && { client: { account: 'coast', id: northAsClient.id } }),
  }));
  const ids = new Map((await syncAccounts(warehouse, settings)).map(({ name, id }) => [name, id]));
  for (const { name, first, last } of accounts)
    await admin.query(
      'update warehouse.accounts set first_expected_day = $2, last_expected_day = $3 where name = $1',
      [name, dayAgo(first), last === undefined ? null : dayAgo(last)],
    );
  const began = await databaseClock(warehouse);
  for (const night of nights) {
    await loadNight(warehouse, night, ids);
    // It looks at what changed since its last time, by the clock that can't be moved.
    await admin.query('delete from etl.campaign_refresh');
    await refreshCampaigns(warehouse);
    await admin.query(await moveTo(admin, nightAgo(night), began));
    await afterNight(admin);
  }
  await admin.query(mailsAndRuns(ids));
  await admin.query('analyze');
  await freezeViews(admin);
  const reader = await readerOf(database.url);
  return {
    url: database.url,
    reader,
    owner: admin,
    async close() {
      await Promise.all([reader.end(), admin.end(), warehouse.destroy()]);
      await database.drop();
    },
  };
}

async function loadNight(
  warehouse: Warehouse,
  night: number,
  ids: ReadonlyMap<string, number>,
): Promise<void> {
  const runDate = dayAgo(night);
  const runId = await beginTestRun(warehouse, runDate);
  for (const { account, day, ago, loads, state } of days) {
    const window = { accountId: ids.get(account)!, day };
    if (state === 'failed' && night === ago - 1)
      await recordFailures(warehouse, [{ ...window, requestedAt: await databaseClock(warehouse) }], runDate, {
        code: 'TOKEN_REFUSED',
        detail: 'the token was refused',
        status: '401',
      });
    for (const { rows, provisional } of loads.filter((load) => load.night === night)) {
      const records = rows.map(({ callset, account: _, day: __, ...row }) => ({
        callsetId: callset,
        ...row,
      }));
      const plain = plainResponse(records);
      const counts = provisional ? { campaigns: rows.length + 1 } : {};
      const fetchedAt = await databaseClock(warehouse);
      const response = {
        ...plain,
        ...window,
        runId,
        runDate,
        fetchedAt,
        envelope: { ...plain.envelope, counts },
      };
      await loadWindow(warehouse, response, false);
    }
  }
  for (const { name, zone } of accounts) await walk(warehouse, ids.get(name)!, name, zone, night);
}

async function walk(warehouse: Warehouse, accountId: number, name: string, zone: string, night: number) {
  const own = clients.filter(({ account }) => account === name);
  const listed = own.filter(({ isListed }) => isListed(night));
  const records = listed.map((client) => ({
    clientId: client.id,
    name: client.name(night),
    checksum: null,
    balance: client.balance(night)?.toString() ?? null,
    extra: {},
  }));
  await inTransaction(warehouse, async (transaction) => {
    await upsertClients(transaction, { accountId, day: dateIn(zone, nightAgo(night)) }, records);
    await transaction
      .updateTable('warehouse.clients')
      .set({ absent_at: new Date().toISOString(), updated_at: new Date().toISOString() })
      .where('account_id', '=', accountId)
      .where('absent_at', 'is', null)
      .where('client_id', 'not in', [0, ...listed.map(({ id }) => id)])
      .execute();
    await transaction
      .updateTable('warehouse.accounts')
      .set({ clients_walked_at: new Date().toISOString() })
      .where('account_id', '=', accountId)
      .execute();
  });
}

let moving: string | undefined;
/** Moves what was just loaded to a night: the database's clock can't be moved. */
async function moveTo(admin: pg.Client, night: Temporal.Instant, began: string): Promise<string> {
  moving ??= (
    await admin.query<{ text: string }>(
      `select string_agg(format('update %1$I.%2$I set %3$I = $night$ where %3$I > $began$', table_schema, table_name, column_name), ';') as text
       from information_schema.columns join information_schema.tables using (table_schema, table_name)
       where table_schema in ('warehouse', 'etl') and table_type = 'BASE TABLE' and data_type = 'timestamp with time zone'
         and table_name <> 'campaign_refresh'`,
    )
  ).rows[0]!.text;
  return moving.replaceAll('$night$', () => `'${night}'`).replaceAll('$began$', () => `'${began}'`);
}

/** Makes the views those of the story's time. */
export async function freezeViews(admin: pg.Client): Promise<void> {
  const { rows } = await admin.query<{ name: string; text: string }>(
    `select viewname as name, definition as text from pg_views where schemaname = 'warehouse'`,
  );
  for (const { name, text } of rows)
    await admin.query(`create or replace view warehouse.${name} as ${atNow(text)}`);
}

const literal = (value: string | number | null) => (value === null ? 'null' : `'${value}'`);

function mailsAndRuns(ids: ReadonlyMap<string, number>): string {
  const mailed = mails.flatMap(({ ago, night, figures, deliveries }, index) => [
    `insert into etl.mails (mail_id, name, every, number, day, subject, built_at) overriding system value
     values (${index + 1}, 'Managers', 'day', ${index + 1}, '${dayAgo(ago)}', 'Campaigns', '${nightAgo(night)}')`,
    ...figures.map(
      ({ account, state, rows }) =>
        `insert into etl.mailed_periods (name, every, day, account_id, mail_id, state, attempts, decided_at)
         values ('Managers', 'day', '${dayAgo(ago)}', ${ids.get(account)}, ${index + 1}, '${state}',
           ${literal(rows && reported(rows, 'attempts'))}, '${nightAgo(night)}')`,
    ),
    ...deliveries.map(
      ([recipient, state]) =>
        `insert into etl.deliveries (mail_id, recipient, message_id, state, attempts, changed_at)
         values (${index + 1}, '${recipient}', '${index} ${recipient}', '${state}', 1, '${nightAgo(night)}')`,
    ),
  ]);
  const ran = runs.map((run) => {
    const failures =
      run.error === null
        ? []
        : [{ code: run.error, detail: 'as reported', errors: 1, places: [{ account: 'delta' }] }];
    const summary = { windows: { loaded: 5, new: run.new, failed: failures.length }, failures };
    const at = nightAgo(run.night).add({ minutes: run.number });
    return `insert into etl.runs (kind, command, run_date, number, host, process_id, started_at, finished_at, outcome, summary)
      values ('nightly', 'run', '${dayAgo(run.night)}', ${run.number}, 'here', 1, '${at}',
        ${literal(run.outcome && at.add({ seconds: 20 }).toString())}, ${literal(run.outcome)},
        ${run.outcome === null ? 'null' : literal(JSON.stringify(summary))})`;
  });
  // Those that loaded the story ran under the same nights.
  return [
    `update etl.runs set kind = 'dated', finished_at = started_at, outcome = 'done'`,
    ...mailed,
    ...ran,
  ].join(';');
}

/** What the campaigns of a day report together; 0 of no campaigns, null if none of them reports it. */
function reported(
  rows: readonly Row[],
  name: 'attempts' | 'busies' | 'connects' | 'liveAnswers',
): number | null {
  const known = rows.flatMap((row) => row[name] ?? []);
  return rows.length > 0 && known.length === 0 ? null : known.reduce((sum, each) => sum + each, 0);
}

const timestamptz = 1184;
async function readerOf(connectionString: string): Promise<pg.Client> {
  const instant = (text: string) => Temporal.Instant.from(text.replace(' ', 'T')).toString();
  const reader = new pg.Client({
    connectionString,
    types: { getTypeParser: (type: number) => (type === timestamptz ? instant : (text: string) => text) },
  });
  await reader.connect();
  await reader.query(`set role callsheet_reader; set datestyle = 'ISO'`);
  return reader;
}
