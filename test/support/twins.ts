import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { backfill } from '../../src/job/backfill.ts';
import type { Dataset, SimulatedClient } from '../../src/simulator/dataset.ts';
import type { Middleware } from '../../src/simulator/middleware.ts';
import { atInstant, never, runNight } from './nights.ts';
import { openWorld, type World } from './world.ts';

/** Two accounts whose clients and campaigns have the same ids, but differ in everything else. */
export const twinNames = ['north', 'coast'] as const;
type TwinName = (typeof twinNames)[number];

export const nights = ['2026-03-11', '2026-03-12', '2026-03-13', '2026-03-14', '2026-03-15'] as const;

/** Events of clients 1 to 7: each happens to one client in north, and to another in coast. */
const clientEvents = {
  north: { renamed: 1, paid: 2, gone: 6, away: 3 },
  coast: { renamed: 2, paid: 3, gone: 5, away: 4 },
} as const;

function clientsOf(name: TwinName, night: number): SimulatedClient[] {
  const { renamed, paid, gone, away } = clientEvents[name];
  const listed = [1, 2, 3, 4, 5, 6, 7].filter((id) => {
    // Gone in nights 1 to 3; away in nights 1 and 3.
    if (id === gone) return night < 1 || night > 3;
    if (id === away) return night !== 1 && night !== 3;
    return id < 7 || night > 1;
  });
  const clients = listed.map((id) => ({
    clientid: id,
    clientname: `${name} client ${id}${id === renamed && night > 1 ? ' renamed' : ''}`,
    checksum: `${name}-${id}`,
    balance: `${id + (name === 'north' ? 10 : 20) + (id === paid ? night : 0)}.50`,
  }));
  // In the last night, one can't be read: it is in quarantine then.
  return night < 4 ? clients : [...clients, { ...clients[0]!, clientid: `${name}-1` as never }];
}

/** The campaigns of a day. In north, the day before the first night changes; in coast, the day before the second. */
function campaignsOf(name: TwinName, day: string, night: number) {
  const size = name === 'north' ? 100 : 1_000;
  const dayOfMonth = Number(day.slice(-2));
  const isBefore = (later: string) =>
    Temporal.PlainDate.from(day).until(later, { largestUnit: 'days' }).days === 1;
  const campaign = (callsetid: number, more = 0) => {
    const history = day < nights[0] && !isBefore(nights[0]) ? (13 * callsetid * dayOfMonth) % (size / 2) : 0;
    const attempts = size + 10 * callsetid + dayOfMonth + history + more;
    return {
      callsetid,
      campaign: `${name} campaign ${callsetid}`,
      attempts,
      busies: Math.floor(attempts / 10),
      connects: Math.floor(attempts / 2),
      liveanswers: Math.floor(attempts / 4),
      noanswers: 0,
      category: `${name} calls`,
    };
  };
  // A day without calls, of north the last one.
  if (day === (name === 'north' ? '2026-03-14' : '2026-03-07')) return [];
  const usual = [1, 2, 3, 4].map((id) => campaign(id));
  const restated = name === 'north' ? nights[0] : nights[1];
  // A night later, campaign 1 changes, 4 is withdrawn, 5 appears; after that, 4 returns.
  if (isBefore(restated)) {
    const since = night - nights.indexOf(restated);
    if (since === 1) return [campaign(1, 7), campaign(2), campaign(3), campaign(5)];
    if (since > 1) return [campaign(1, 7), campaign(2), campaign(3), campaign(4), campaign(5)];
  }
  // Held in the last night, on the same day for both.
  if (isBefore(nights[2]) && night === 4) return name === 'north' ? [] : [campaign(1)];
  // An unreadable record on one day of each account.
  if (isBefore(name === 'north' ? nights[1] : nights[2]) && night < 4)
    return [...usual, { ...campaign(6), attempts: `${name} many` as never }];
  return usual;
}

/** The data set of these accounts in a night, counted from 0. */
function datasetOf(names: readonly TwinName[], night: () => number): Dataset {
  return {
    accounts: names.map((name) => ({ name, token: `${name}-token-of-twins` })),
    clients: (name) => clientsOf(name as TwinName, night()),
    campaigns: (name, from) => campaignsOf(name as TwinName, from.toString(), night()),
  };
}

/** Refuses all campaigns of north in night 3, and sends an HTML page to coast once in night 2. */
function faultsOf(night: () => number): Middleware {
  let misdirected = false;
  return ({ operation, account }) => {
    if (operation !== 'campaignSummary') return undefined;
    if (night() === 3 && account === 'north') return { status: 400, body: 'no figures of north today' };
    if (night() !== 2 || account !== 'coast' || misdirected) return undefined;
    misdirected = true;
    return { body: '<html><h1>Welcome, coast</h1></html>' };
  };
}

/** The digest's name, which isn't the account's. */
export const digestOf = (name: TwinName) => `${name.toUpperCase()} DAILY`;

type Twins = World & {
  /** Loads the five weeks before the first night. */
  backfill(): Promise<unknown>;
  run(night: number, digest: boolean): Promise<unknown>;
};

/** Opens a world with these accounts and a digest for each; two accounts also have one in common. */
async function openTwins(names: readonly TwinName[]): Promise<Twins> {
  let now = 0;
  const night = () => now;
  const world = await openWorld({ dataset: datasetOf(names, night), intercept: faultsOf(night) });
  const digests = names.map((name) => ({
    name: digestOf(name),
    to: [`${name}@example.com`, 'ana@example.com'],
    accounts: [name],
    low_balance: 15,
    extra_fields: ['category'],
  }));
  const all = { name: 'all', to: ['ana@example.com'], low_balance: 25 };
  const file = path.join(world.folder, 'digests.json');
  await writeFile(file, JSON.stringify(names.length > 1 ? [...digests, all] : digests));
  const environment = {
    ...world.environment,
    DIGEST_TO: '',
    DIGESTS_FILE: file,
    RETRIES: '1',
    PAGE_LIMIT: '3',
    CONCURRENCY: '1',
  };
  return {
    ...world,
    environment,
    async backfill() {
      const request = { command: 'backfill', from: '2026-02-03', to: '2026-03-09', accounts: null };
      return await atInstant({ environment }, `${nights[0]}T05:00:00Z`, (app) =>
        backfill(app, request, never),
      );
    },
    async run(next, digest) {
      now = next;
      return await runNight({ environment }, nights[next]!, {}, { digest });
    },
  };
}

export type Scene = AsyncDisposable & {
  readonly both: Twins;
  readonly alone: Readonly<Record<TwinName, Twins>>;
  backfill(): Promise<void>;
  run(night: number, digest: boolean): Promise<void>;
};

/** Opens a world with both accounts, and one with each alone. */
export async function openScene(): Promise<Scene> {
  const [both, north, coast] = await Promise.all([
    openTwins(twinNames),
    openTwins(['north']),
    openTwins(['coast']),
  ]);
  const worlds = [both, north, coast];
  return {
    both,
    alone: { north, coast },
    async backfill() {
      await Promise.all(worlds.map((world) => world.backfill()));
    },
    async run(night, digest) {
      await Promise.all(worlds.map((world) => world.run(night, digest)));
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(worlds.map((world) => world.close()));
    },
  };
}

export async function linesOf(world: Pick<World, 'query'>, query: string): Promise<string[]> {
  const rows = await world.query<{ line: string }>(query);
  return rows.map(({ line }) => line).sort();
}
