import { expect, it } from 'vitest';
import { type Day, daysBetween } from '../../../src/model/day.ts';
import type { ReadMail } from './read-mail.ts';
import { linesOf, live } from './three-accounts.ts';

/* What was mailed is corrected once, whenever its rest comes; what nobody was mailed is no change. */

it('a day that was mailed incomplete is corrected whenever its rest comes, however late', async () => {
  const { night, backfill } = await live((account, day, runDate) =>
    account === 'coast' && day === '2026-03-03' && runDate < '2026-03-09' ? undefined : 100,
  );
  expect(linesOf(await night('2026-03-04'), 'incomplete')).toEqual([
    'Incomplete, so too low: coast: the service was unavailable.',
    '- A corrected mail follows once the rest is loaded.',
  ]);
  // Its last nights are beyond CATCH_UP_DAYS.
  for (const day of daysBetween('2026-03-05', '2026-03-09'))
    expect(linesOf(await night(day), 'corrected'), day).toEqual([]);
  await backfill('2026-03-09', '2026-03-03', '2026-03-03');
  expect(linesOf(await night('2026-03-10'), 'corrected')).toEqual([
    'Corrected: Tue 3 Mar had 300 attempts, not 200 (coast).',
  ]);
  expect(linesOf(await night('2026-03-11'), 'corrected')).toEqual([]);
});

it('an account that joins, with a past of its own, changes nothing that anybody was mailed', async () => {
  // One of its days is even restated before anybody is mailed it.
  const { night, backfill, withAccounts } = await live((account, day, runDate) =>
    account === 'valley' && day === '2026-03-05' && runDate < '2026-03-08' ? 50 : 100,
  );
  const fewer = await withAccounts('north', 'coast');
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

it('a day that was mailed without calls, in the table of another, and then has some is corrected', async () => {
  const { night } = await live((account, day, runDate) => {
    if (account !== 'coast') return 100;
    return day === '2026-03-04' && runDate < '2026-03-07' ? null : 500;
  });
  await night('2026-03-04');
  // No run that night: its day comes with the next mail, and without calls of coast.
  expect(linesOf(await night('2026-03-06'), 'late')).toEqual(['Wed 4 Mar: 5.0% connected, 200 attempts']);
  const mails = [await night('2026-03-07'), await night('2026-03-08')];
  expect(mails.flatMap((each) => linesOf(each, 'earlier'))).toEqual([]);
  expect(mails.flatMap((each) => linesOf(each, 'corrected'))).toEqual([
    'Corrected: Wed 4 Mar had 700 attempts, not 200; 2.1% connected, not 5.0% (coast).',
  ]);
});

const subjectsOf = (mails: ReadonlyMap<string, ReadMail>) => linesOf(mails, 'subject');

it('a month that was mailed with a half-listed day is corrected once that day is whole', async () => {
  const { night, backfill, withDigests } = await live((account, day, runDate) =>
    account === 'coast' && day === '2026-03-30' && runDate < '2026-04-02' ? undefined : 100,
  );
  const monthly = await withDigests({ name: 'Month', every: 'month' });
  await night('2026-02-28', monthly);
  await backfill('2026-02-28', '2026-02-25', '2026-02-28', monthly);
  await backfill('2026-03-31', '2026-03-01', '2026-03-29', monthly);
  await night('2026-03-31', monthly);
  expect(subjectsOf(await night('2026-04-01', monthly))).toEqual([
    'Incomplete: Month, March 2026: 5.0% connected, 9,200 attempts',
  ]);
  const [corrected, ...others] = [...(await night('2026-04-02', monthly))];
  expect(others).toEqual([]);
  expect(corrected![0]).toBe('month-2026-03-month-corrected-ana@example.com.eml');
  expect(linesOf(new Map([corrected!]), 'subject')).toEqual([
    'Corrected: Month, March 2026: 5.0% connected, 9,300 attempts',
  ]);
  expect((await night('2026-04-03', monthly)).size).toBe(0);
});

it('missed nights are mailed though an account joins, or leaves, before the next one', async () => {
  const { night, withAccounts } = await live(() => 100);
  const [two, three] = [await withAccounts('north', 'coast'), await withAccounts('north', 'coast', 'valley')];
  await night('2026-03-04', two);
  // No run on two nights. Of valley, the first day is the last of these.
  const mails = await night('2026-03-07', three);
  expect(subjectsOf(mails)).toEqual(['Campaigns, Fri 6 Mar: 5.0% connected, 300 attempts']);
  expect(linesOf(mails, 'late')).toEqual([
    'Thu 5 Mar: 5.0% connected, 200 attempts',
    'Wed 4 Mar: 5.0% connected, 200 attempts',
  ]);
  const fewer = await withAccounts('north');
  const later = await night('2026-03-09', fewer);
  expect([...subjectsOf(later), ...linesOf(later, 'late')]).toEqual([
    'Campaigns, Sun 8 Mar: 5.0% connected, 100 attempts',
    'Sat 7 Mar: 5.0% connected, 100 attempts',
  ]);
});

it('what a mail promised to correct is corrected, though an account joins and another leaves meanwhile', async () => {
  const { night, withAccounts } = await live((account, day, runDate) =>
    account === 'coast' && day === '2026-03-03' && runDate < '2026-03-05' ? undefined : 100,
  );
  await night('2026-03-04', await withAccounts('north', 'coast'));
  const mails = await night('2026-03-05', await withAccounts('coast', 'valley'));
  expect(linesOf(mails, 'late')).toEqual(['Tue 3 Mar: 5.0% connected, 100 attempts']);
  // Nothing is left to correct.
  expect(linesOf(await night('2026-03-06', await withAccounts('coast', 'valley')), 'late')).toEqual([]);
});

it('a restatement that moves a mailed week by a tenth is mailed at once, a smaller one with the next mail', async () => {
  const attempts = (day: Day, runDate: Day) => {
    if (day === '2026-03-14' && runDate >= '2026-03-17') return 90;
    return day === '2026-03-15' && runDate >= '2026-03-18' ? 400 : 100;
  };
  const { night, backfill, withDigests } = await live((_, day, runDate) => attempts(day, runDate));
  const weekly = {
    ...(await withDigests({ name: 'Week', every: 'week' })),
    LOOKBACK_DAYS: '5',
    CATCH_UP_DAYS: '9',
  };
  await night('2026-03-09', weekly);
  await backfill('2026-03-15', '2026-03-09', '2026-03-14', weekly);
  expect(subjectsOf(await night('2026-03-16', weekly))).toEqual([
    'Week, week of 9 Mar: 5.0% connected, 2,100 attempts',
  ]);
  expect((await night('2026-03-17', weekly)).size).toBe(0);
  const mails = await night('2026-03-18', weekly);
  expect(subjectsOf(mails)).toEqual(['Corrected: Week, week of 9 Mar: 3.5% connected, 2,970 attempts']);
  expect(linesOf(mails, 'corrected').slice(0, 2)).toEqual([
    'Corrected: this replaces the digest sent for that week.',
    '- north: attempts 700 → 990',
  ]);
});

it('a week that was mailed with a hole is corrected once it moves by a tenth, though the hole never ends', async () => {
  const { night, backfill, withDigests } = await live((account, day, runDate) => {
    if (account === 'coast' && day === '2026-03-12') return undefined;
    return account === 'north' && day === '2026-03-14' && runDate >= '2026-03-17' ? 5_100 : 100;
  });
  const weekly = {
    ...(await withDigests({ name: 'Week', every: 'week' })),
    CATCH_UP_DAYS: '9',
    LOOKBACK_DAYS: '5',
  };
  await night('2026-03-09', weekly);
  await backfill('2026-03-15', '2026-03-09', '2026-03-14', weekly);
  expect(subjectsOf(await night('2026-03-16', weekly))).toEqual([
    'Incomplete: Week, week of 9 Mar: 5.0% connected, 2,000 attempts',
  ]);
  expect(subjectsOf(await night('2026-03-17', weekly))).toEqual([
    'Corrected, Incomplete: Week, week of 9 Mar: 1.4% connected, 7,000 attempts',
  ]);
  expect((await night('2026-03-18', weekly)).size).toBe(0);
});

it('the correction of a week is complete without an account that joined since', async () => {
  const { night, backfill, withAccounts, withDigests } = await live((account, day, runDate) =>
    account === 'coast' && day === '2026-03-14' && runDate < '2026-03-18' ? undefined : 100,
  );
  const weekly = {
    ...(await withDigests({ name: 'Week', every: 'week' })),
    CATCH_UP_DAYS: '9',
  };
  const two = { ...weekly, ...(await withAccounts('north', 'coast')) };
  await night('2026-03-09', two);
  await backfill('2026-03-15', '2026-03-09', '2026-03-14', two);
  expect(subjectsOf(await night('2026-03-16', two))).toEqual([
    'Incomplete: Week, week of 9 Mar: 5.0% connected, 1,300 attempts',
  ]);
  await night('2026-03-17', weekly);
  expect(subjectsOf(await night('2026-03-18', weekly))).toEqual([
    'Corrected: Week, week of 9 Mar: 5.0% connected, 1,400 attempts',
  ]);
});

it('the CSV has the rows of the accounts of a late period, and not the past of one that joined since', async () => {
  const { night, backfill, withAccounts } = await live((account, day, runDate) =>
    account === 'coast' && day === '2026-03-03' && runDate < '2026-03-06' ? undefined : 100,
  );
  await night('2026-03-04', await withAccounts('north', 'coast'));
  await night('2026-03-05');
  await backfill('2026-03-05', '2026-03-01', '2026-03-02');
  const [mail] = [...(await night('2026-03-06')).values()];
  const accountsOn = (on: Day) => mail!.csv.filter(({ day }) => day === on).map(({ account }) => account);
  expect(accountsOn('2026-03-03')).toEqual(['north', 'coast']);
  expect(accountsOn('2026-03-05')).toEqual(['north', 'coast', 'valley']);
});
