import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { backfill } from '../../../src/job/backfill.ts';
import { addDays, type Day } from '../../../src/model/day.ts';
import { type ReadMail, readMail } from '../../stories/read-mail.ts';
import { atInstant, never, runNight } from '../../support/nights.ts';
import { openWorld } from '../../support/world.ts';

/* What was told is corrected once, whenever its rest comes; what nobody was told is no change. */

const names = ['north', 'coast', 'valley'];
/** What the service answers: attempts of its one campaign on a day; null if it lists none, undefined if it is down. */
type Service = (account: string, day: Day, runDate: Day) => number | null | undefined;

async function live(attemptsOf: Service) {
  let runDate = '';
  const world = await openWorld({
    dataset: {
      accounts: names.map((name) => ({ name, token: `a-token-of-${name}` })),
      clients: () => [],
      campaigns: () => [],
    },
    intercept: ({ operation, account, params }) => {
      if (operation !== 'campaignSummary') return undefined;
      const day = params.get('startdate')!.replace(/^(..)-(..)-(.*)$/, '$3-$1-$2');
      const attempts = attemptsOf(account!, day, runDate);
      if (attempts === undefined) return { status: 503, body: 'down' };
      // Accounts with the same campaigns would be doubtful.
      const callsetid = 1 + names.indexOf(account!);
      const result =
        attempts === null
          ? []
          : // Two days with the same figures would be doubtful.
            [
              {
                callsetid,
                campaign: account,
                attempts,
                busies: Number(day.slice(8)),
                connects: 5,
                liveanswers: 0,
              },
            ];
      return { body: JSON.stringify({ campaigns: result.length, result }) };
    },
  });
  onTestFinished(() => world.close());
  const settings = { CATCH_UP_DAYS: '3', LOOKBACK_DAYS: '2', RETRIES: '0' };
  return {
    world,
    /** Lives the night, and returns its mails by name. */
    async night(day: Day, others: typeof world.environment = {}): Promise<ReadonlyMap<string, ReadMail>> {
      runDate = day;
      const outbox = path.join(world.environment.OUTBOX_DIR!, day);
      await runNight(world, day, { ...settings, OUTBOX_DIR: outbox, ...others });
      const files = await readdir(outbox).catch(() => []);
      const mails = files.filter((file) => file.endsWith('.eml') && !file.startsWith('alert-'));
      const read = mails.map(
        async (file) => [file, await readMail(await readFile(path.join(outbox, file)))] as const,
      );
      return new Map(await Promise.all(read));
    },
    backfill: async (on: Day, from: Day, to: Day, others: typeof world.environment = {}) => {
      runDate = on;
      const request = { command: 'backfill', from, to, accounts: null } as const;
      await atInstant(world, `${on}T12:00:00Z`, (app) => backfill(app, request, never), {
        ...settings,
        ...others,
      });
    },
  };
}

const linesOf = (mails: ReadonlyMap<string, ReadMail>, kind: string) =>
  [...mails.values()].flatMap(({ parts }) => parts.find((part) => part.kind === kind)?.lines ?? []);

it('a day that was mailed incomplete is corrected whenever its rest comes, however late', async () => {
  const { night, backfill } = await live((account, day, runDate) =>
    account === 'coast' && day === '2026-03-03' && runDate < '2026-03-21' ? undefined : 100,
  );
  expect(linesOf(await night('2026-03-04'), 'incomplete')).toEqual([
    'Incomplete: part of the day is missing.',
    '- coast: not loaded',
    '- A corrected digest follows once the rest is loaded.',
  ]);
  for (let day = '2026-03-05'; day <= '2026-03-21'; day = addDays(day, 1))
    expect(linesOf(await night(day), 'earlier'), day).toEqual([]);
  await backfill('2026-03-21', '2026-03-03', '2026-03-03');
  expect(linesOf(await night('2026-03-22'), 'earlier')).toEqual(['200 → 300 5.0% Tue 3 Mar (corrected)']);
  expect(linesOf(await night('2026-03-23'), 'earlier')).toEqual([]);
});

it('an account that joins, with a past of its own, changes nothing that anybody was told', async () => {
  // One of its days is even restated before anybody is mailed it.
  const { night, backfill, world } = await live((account, day, runDate) =>
    account === 'valley' && day === '2026-03-05' && runDate < '2026-03-08' ? 50 : 100,
  );
  const without = JSON.parse(await readFile(world.environment.ACCOUNTS_FILE!, 'utf8')) as { name: string }[];
  const file = path.join(path.dirname(world.environment.ACCOUNTS_FILE!), 'fewer.json');
  await writeFile(file, JSON.stringify(without.filter(({ name }) => name !== 'valley')), { mode: 0o600 });
  const fewer = { ACCOUNTS_FILE: file };
  for (const day of ['2026-03-04', '2026-03-05', '2026-03-06']) await night(day, fewer);
  // The next night knows it.
  await night('2026-03-07');
  await backfill('2026-03-07', '2026-03-01', '2026-03-06');
  for (const day of ['2026-03-08', '2026-03-09']) {
    const mails = await night(day);
    expect(mails.size).toBe(1);
    expect([
      ...linesOf(mails, 'attention'),
      ...linesOf(mails, 'corrected'),
      ...linesOf(mails, 'earlier'),
    ]).toEqual([]);
  }
});

it('a day that was told without calls, in the table of another, and then has some is told as changed', async () => {
  const { night } = await live((account, day, runDate) => {
    if (account !== 'coast') return 100;
    return day === '2026-03-04' && runDate < '2026-03-07' ? null : 500;
  });
  await night('2026-03-04');
  // No run that night: its day comes with the next mail, and without calls of coast.
  expect(linesOf(await night('2026-03-06'), 'earlier').join()).toContain('Wed 4 Mar');
  const told = [
    ...linesOf(await night('2026-03-07'), 'attention'),
    ...linesOf(await night('2026-03-08'), 'attention'),
  ];
  expect(told).toEqual([
    'Changed since the last digest',
    '- coast, Wed 4 Mar: attempts 0 → 500, busies 0 → 4, connects 0 → 5 (1 campaign)',
  ]);
});
