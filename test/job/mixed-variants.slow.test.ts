import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { NightlyRequest } from '../../src/job/nightly.ts';
import { addDays } from '../../src/model/day.ts';
import { generateDataset } from '../../src/simulator/dataset.ts';
import { disagreements } from '../support/agreement.ts';
import { runNight } from '../support/nights.ts';
import { rounds } from '../support/rounds.ts';
import { FIRST_HOSTILE_ID } from '../support/simulator/variants/records.ts';
import type { VariantName } from '../support/simulator/variants.ts';
import { startSimulator } from '../support/simulator.ts';
import { openWorld, type World } from '../support/world.ts';

/** Variants whose good responses say the truth, as far as they say something. */
const variants = [
  'body-cut',
  'connection-reset',
  'html-always',
  'session-expired-in-empty-list',
  'error-beside-records',
  'mostly-unreadable',
  'hostile-records',
  'attempts-null',
  'rows-cut',
  'pages-cut-by-half',
  'page-repeats',
  'last-page-fails',
  'empty-page',
  'limit-clamped-silently',
  'row-removed-always',
] as const satisfies readonly VariantName[];

/** Fewer rows than a count says are only noticed after responses whose count was right. */
const daysBefore = ['2026-02-24', '2026-02-25', '2026-02-26', '2026-02-27'];

const firstRunDate = '2026-03-03';
/** Small ones: a night is to take a second. North's list has four pages. */
const dataset = generateDataset(1, undefined, [
  {
    name: 'north',
    clients: 120,
    endless: [['Reminders', 'health', 7]],
    series: 4,
  },
  {
    name: 'coast',
    clients: 20,
    endless: [['Citas', 'health', 7]],
    series: 3,
  },
]);

/** Four nights; a variant strikes on one of them, for the same again on a later night is believed. */
const nights = fc
  .shuffledSubarray([...variants], { minLength: 1, maxLength: 6 })
  .chain((chosen) => fc.tuple(...chosen.map((name) => fc.tuple(fc.constant(name), fc.nat({ max: 3 })))))
  .map((placed) =>
    [0, 1, 2, 3].map((night) => placed.filter(([, at]) => at === night).map(([name]) => name)),
  );

/** One run with a service of these variants: its exit code. */
async function runVariants(
  world: World,
  runDate: string,
  chosen: readonly VariantName[],
  request: Partial<NightlyRequest> = {},
): Promise<number> {
  const simulator = await startSimulator({ dataset, variants: chosen });
  const settings = { SERVICE_BASE_URL: simulator.url, LOOKBACK_DAYS: '7', PAGE_LIMIT: '40' };
  const { exitCode } = await runNight(world, runDate, settings, request);
  await simulator.close();
  return exitCode;
}

const countNames = ['attempts', 'busies', 'connects', 'liveanswers'] as const;

type Row = Readonly<Record<'account' | 'day' | 'id', string>> & {
  readonly withdrawn: boolean;
  readonly counts: readonly (number | null)[];
};

const keyOf = ({ account, day, id }: Pick<Row, 'account' | 'day' | 'id'>) => `${account} ${day} ${id}`;

const windowOf = (key: string) => key.slice(0, key.lastIndexOf(' '));

/** The windows with something against their last response. */
async function readDoubted(world: World): Promise<ReadonlySet<string>> {
  const windows = await world.query<{ window: string }>(
    `select account || ' ' || day as window from warehouse.coverage c
     where held or state = 'provisional' or exists (
       select from etl.windows w where w.account_id = c.account_id and w.day = c.day and w.anomalies <> '[]')`,
  );
  return new Set(windows.map(({ window }) => window));
}

/** The rows of campaigns that the data set has. */
async function readRows(world: World): Promise<Row[]> {
  const rows = await world.query<Row>(
    `select a.name as account, day::text, callset_id::text as id, withdrawn_at is not null as withdrawn,
       array[attempts, busies, connects, live_answers]::float8[] as counts
     from etl.campaign_days join warehouse.accounts a using (account_id)`,
  );
  return rows.filter(({ id }) => Number(id) < FIRST_HOSTILE_ID);
}

function trueRows(days: readonly string[]): Map<string, readonly number[]> {
  const entries = dataset.accounts.flatMap(({ name: account }) =>
    days.flatMap((day) => {
      const date = Temporal.PlainDate.from(day);
      return dataset
        .campaigns(account, date, date)
        .map(
          (each) =>
            [
              keyOf({ account, day, id: String(each.callsetid) }),
              countNames.map((name) => each[name]),
            ] as const,
        );
    }),
  );
  return new Map(entries);
}

const allClients = dataset.accounts.flatMap(({ name }) =>
  dataset.clients(name).map(({ clientid }) => `${name} ${clientid}`),
);

async function readClients(world: World): Promise<string[]> {
  const rows = await world.query<{ client: string; id: number }>(
    `select a.name || ' ' || c.client_id as client, c.client_id::float8 as id
     from warehouse.clients c join warehouse.accounts a using (account_id) where c.absent_at is null`,
  );
  return rows.filter(({ id }) => id < FIRST_HOSTILE_ID).map(({ client }) => client);
}

it('however variants mix over nights, each row was said by a good response, and nothing said by one is lost', async () => {
  const property = fc.asyncProperty(nights, async (nightsOfVariants) => {
    const world = await openWorld({ dataset });
    const days: string[] = [];
    if (nightsOfVariants.flat().includes('rows-cut')) {
      days.push(...daysBefore);
      expect(await runVariants(world, firstRunDate, [], { days: daysBefore, digest: false })).toBe(0);
    }
    let known = new Set<string>();
    let knownClients = new Set<string>();
    for (const [index, chosen] of nightsOfVariants.entries()) {
      const runDate = addDays(firstRunDate, index);
      days.push(addDays(runDate, -1));
      const exitCode = await runVariants(world, runDate, chosen);
      const rows = await readRows(world);
      const truth = trueRows(days);
      const doubted = await readDoubted(world);
      // Each row was said by a good response.
      for (const row of rows) {
        if (row.withdrawn) expect(doubted).toContain(windowOf(keyOf(row)));
        const right = truth.get(keyOf(row))!;
        expect(row.counts.map((count, at) => count ?? right[at])).toEqual(right);
      }
      // Nothing said by one is lost.
      const keys = new Set(rows.map(keyOf));
      expect(known.difference(keys)).toEqual(new Set());
      known = keys;
      const clients = new Set(await readClients(world));
      expect(knownClients.difference(clients)).toEqual(new Set());
      expect(clients.difference(new Set(allClients))).toEqual(new Set());
      knownClients = clients;
      // A run ends with 0 only where it has loaded everything, or reports what speaks against a day.
      if (exitCode === 0) {
        const missing = [...truth.keys()].filter((key) => !keys.has(key));
        expect(missing.filter((key) => !doubted.has(windowOf(key)))).toEqual([]);
        // A client may have hidden between two pages of a list that changed, until the next complete walk.
        const changed = await world.query(
          `select 1 from etl.walks w join etl.runs r using (run_id)
           where r.run_id = (select max(run_id) from etl.runs) and w.verdict = 'changed'`,
        );
        // Others are in quarantine, which has an alert.
        const [{ rejected }] = (await world.query<{ rejected: number }>(
          'select coalesce(sum(records), 0)::float8 as rejected from etl.rejects where day is null and current',
        )) as [{ rejected: number }];
        expect(allClients.length - clients.size).toBeLessThanOrEqual(changed.length + rejected);
      }
      expect(await disagreements(world)).toEqual([]);
    }
    // A service that is well again heals everything.
    const runDate = addDays(firstRunDate, nightsOfVariants.length);
    days.push(addDays(runDate, -1));
    expect(await runVariants(world, runDate, [])).toBe(0);
    const healed = new Map((await readRows(world)).map((row) => [keyOf(row), row.counts]));
    expect(healed).toEqual(trueRows(days));
    expect((await readClients(world)).sort()).toEqual([...allClients].sort());
    const open = `select 1 from warehouse.coverage where (state <> 'loaded' or held) and day <= $1`;
    expect(await world.query(open, [days.at(-1)])).toEqual([]);
    expect(await world.query('select from etl.rejects where current')).toEqual([]);
    await world.close();
  });
  // Rows that were cut, and come back on a night whose attempts are all null: held, for the sum of the attempts falls.
  const cutAndHeld: VariantName[][] = [[], ['rows-cut'], ['attempts-null'], []];
  // Pages that repeat the first one, each with a few other records: no list changes so much.
  const almostRepeated: VariantName[][] = [['page-repeats', 'hostile-records'], [], [], []];
  await fc.assert(property, { numRuns: rounds(10), examples: [[cutAndHeld], [almostRepeated]] });
});
