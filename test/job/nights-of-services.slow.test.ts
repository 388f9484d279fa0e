import { expect, it, onTestFinished } from 'vitest';
import { acceptAlways } from '../../src/job/accept-always.ts';
import { addDays, type Day, daysBetween } from '../../src/model/day.ts';
import { readWaitingSigns } from '../../src/warehouse/ledger/accepted.ts';
import { readSameCampaigns } from '../../src/warehouse/queries/same-campaigns.ts';
import { atInstant, never, runNight } from '../support/nights.ts';
import { scriptedService } from '../support/scripted-service.ts';
import { openWorld } from '../support/world.ts';

/* Services with a way or a fault of their own, over 100 nights: which mornings were marked, and which figure was ever wrong without a
 * mark, with an operator who answers the first alert truthfully, and with one who never does. */

type Campaign = {
  readonly callsetid: number | null;
  readonly campaign: string;
  readonly attempts: number;
  readonly busies: number | null;
};
type Answer = { readonly status?: number; readonly body: object };

type Request = { readonly account: string; readonly day: Day; readonly night: number };

type Service = {
  /** Gets the campaigns that the day has. */
  readonly answer: (campaigns: readonly Campaign[], request: Request) => Answer;
  /** Its days without calls; none by default. */
  readonly isQuiet?: (day: Day) => boolean;
  /** The signs that its operator accepts for good: its way, and not its fault. */
  readonly accepts?: readonly string[];
};

const firstNight = '2026-03-03';
const nights = 100;
/** One request at a time: of days that are doubtful beside each other, the one that loads first is marked, the other one held. */
const settings = {
  CONCURRENCY: '1',
  RETRIES: '0',
  LOOKBACK_DAYS: '1',
  CATCH_UP_DAYS: '14',
};

const dateOf = (night: number) => addDays(firstNight, night - 1);
const isWeekend = (day: Day) => Temporal.PlainDate.from(day).dayOfWeek > 5;
const daysSince = (day: Day) => Temporal.PlainDate.from('2026-03-02').until(day).days;
const listing = (result: readonly Campaign[], others: object = {}): Answer => ({
  body: { campaigns: result.length, result, ...others },
});

const services: Readonly<Record<string, Service>> = {
  'an ordinary one': { answer: (campaigns) => listing(campaigns) },
  'half a list': {
    answer: (campaigns, { night }) =>
      night === 50 || night === 71 ? listing(campaigns.slice(5), { campaigns: 10 }) : listing(campaigns),
  },
  'announces one more': {
    answer: (campaigns) => listing(campaigns, { campaigns: 11 }),
    accepts: ['announced/campaigns'],
  },
  'announces one more at times': {
    answer: (campaigns, { day }) => listing(campaigns, daysSince(day) % 10 === 4 ? {} : { campaigns: 11 }),
    accepts: ['announced/campaigns'],
  },
  'lists one of ten at weekends': {
    answer: (campaigns, { day }) =>
      isWeekend(day) ? listing(campaigns.slice(9), { campaigns: 10 }) : listing(campaigns),
  },
  'a bad weekend - empty': {
    answer: (campaigns, { day, night }) =>
      ['2026-05-02', '2026-05-03'].includes(day) && night < 66 ? listing([]) : listing(campaigns),
  },
  'a bad weekend - an error': {
    answer: (campaigns, { day, night }) =>
      ['2026-05-02', '2026-05-03'].includes(day) && night < 66
        ? listing([], { message: 'Lost connection to MySQL server' })
        : listing(campaigns),
  },
  'dates ignored': {
    answer: (_, { night, account }) => listing(campaignsOf(dateOf(night), account)),
  },
  'dates ignored from night 10': {
    answer: (campaigns, { night, account }) =>
      listing(night < 10 ? campaigns : campaignsOf(dateOf(night), account)),
  },
  'one token for two': {
    answer: (campaigns, { day, night }) =>
      listing(night >= 60 && night < 67 ? campaignsOf(day, 'an ordinary one') : campaigns),
  },
  'the day before from a cache': {
    answer: (campaigns, { account, day, night }) =>
      listing(day >= dateOf(79) && night >= 80 && night < 83 ? campaignsOf(dateOf(78), account) : campaigns),
  },
  'no busies from day 40': {
    answer: (campaigns, { day }) =>
      listing(daysSince(day) < 40 ? campaigns : campaigns.map((each) => ({ ...each, busies: null }))),
    accepts: ['missing/busies'],
  },
  'records without ids': {
    answer: (campaigns, { day }) =>
      listing(
        campaigns.map((each, index) =>
          index < 3 && daysSince(day) >= 40 ? { ...each, callsetid: null } : each,
        ),
      ),
  },
  'a remark beside its rows': {
    answer: (campaigns) => listing(campaigns, { message: 'Report ready' }),
    accepts: ['message: Report ready'],
  },
  '404 at weekends': {
    answer: (campaigns) =>
      campaigns.length === 0 ? { status: 404, body: { message: 'No campaigns found' } } : listing(campaigns),
    isQuiet: isWeekend,
    accepts: ['HTTP 404; message: No campaigns found'],
  },
  'calls on every second Monday': {
    answer: (campaigns) => listing(campaigns),
    isQuiet: (day) => daysSince(day) % 14 !== 0,
  },
};
const kinds = Object.keys(services);
/** Each of an operator who never answers; those with a way of their own once more, of one who does. */
const accounts = kinds.flatMap((kind) => [
  { kind, isAnswered: false, name: kind },
  ...(services[kind]!.accepts === undefined ? [] : [{ kind, isAnswered: true, name: `${kind} - answered` }]),
]);
const names = accounts.map(({ name }) => name);

/** Ten campaigns, with other counts on each day. */
function campaignsOf(day: Day, account: string): Campaign[] {
  return Array.from({ length: 10 }, (_, index) => ({
    callsetid: 100 * (names.indexOf(account) + 1) + index,
    campaign: `Campaign ${index}`,
    attempts: 500 + 7 * daysSince(day) + 3 * account.length + index,
    busies: 10 + index,
  }));
}

/** `3, 50 to 52`, of ascending numbers. */
function ranges(numbers: readonly number[]): string {
  const starts = numbers.filter((each) => !numbers.includes(each - 1));
  const ends = numbers.filter((each) => !numbers.includes(each + 1));
  const text = starts.map((start, index) =>
    start === ends[index] ? `${start}` : `${start} to ${ends[index]}`,
  );
  return text.join(', ') || 'none';
}

// However busy the machine: the limit only ends what hangs.
it('over 100 nights each service is marked on these mornings, and its figures are right or marked', {
  timeout: 3_000_000,
}, async () => {
  let night = 0;
  const world = await openWorld(
    scriptedService(names, (account, day) => {
      const { kind } = accounts.find(({ name }) => name === account)!;
      const { answer, isQuiet } = services[kind]!;
      const { status = 200, body } = answer(isQuiet?.(day) ? [] : campaignsOf(day, account), {
        account,
        day,
        night,
      });
      return { status, body: JSON.stringify(body) };
    }),
  );
  onTestFinished(() => world.close());
  const lives = new Map(
    names.map((name) => [name, { marked: [] as number[], wrong: [] as string[], typed: [] as string[] }]),
  );
  for (night = 1; night <= nights; night++) {
    const date = dateOf(night);
    const newest = addDays(date, -1);
    await runNight(world, date, settings);
    const rows = await world.query<{
      account: string;
      day: Day;
      state: string;
      held: boolean;
      attempts: number | null;
    }>(
      `select a.name as account, w.day::text, w.state, w.held_hash is not null as held, sum(c.attempts)::integer as attempts
       from warehouse.accounts a join etl.windows w using (account_id)
       left join warehouse.campaign_days c using (account_id, day)
       where w.day >= $1 group by 1, 2, 3, 4 order by 2`,
      [addDays(date, -15)],
    );
    await atInstant(world, `${date}T12:00:00Z`, async (app) => {
      const same = await readSameCampaigns(app.warehouse, names, daysBetween(addDays(date, -15), newest));
      for (const { account, day, state, held, attempts } of rows) {
        const life = lives.get(account)!;
        const { kind } = accounts.find(({ name }) => name === account)!;
        if (day === newest && state !== 'loaded') life.marked.push(night);
        const isSaid = same.some((each) => JSON.stringify(each).includes(`"${account}"`));
        const truth = services[kind]!.isQuiet?.(day)
          ? 0
          : campaignsOf(day, account).reduce((sum, each) => sum + each.attempts, 0);
        if (state === 'loaded' && !held && (attempts ?? 0) !== truth)
          life.wrong.push(
            `night ${night}, ${day}: ${attempts} for ${truth}${isSaid ? ', said as the same campaigns' : ''}`,
          );
      }
      for (const { sign } of await readWaitingSigns(app.warehouse, app.config.service.baseUrl))
        for (const { name, kind, isAnswered } of accounts) {
          const life = lives.get(name)!;
          const isTrue = isAnswered && services[kind]!.accepts!.includes(sign.sign);
          if (!isTrue || life.typed.includes(sign.sign)) continue;
          life.typed.push(sign.sign);
          const request = { command: 'accept', sign: sign.sign, accounts: [name], undo: false };
          await acceptAlways(app, request, never, async () => true);
        }
    });
  }
  const open = await world.query<{ account: string; provisional: number; held: number; failed: number }>(
    `select a.name as account, (count(*) filter (where w.state = 'provisional'))::integer as provisional,
       (count(*) filter (where w.held_hash is not null))::integer as held,
       (count(*) filter (where w.state = 'failed'))::integer as failed
     from warehouse.accounts a join etl.windows w using (account_id) group by 1`,
  );
  const text = names.map((name) => {
    const { marked, wrong, typed } = lives.get(name)!;
    const left = open.find(({ account }) => account === name)!;
    return [
      name,
      ...typed.map((sign) => `  accepted: ${sign}`),
      `  marked on ${marked.length} mornings: ${ranges(marked)}`,
      `  wrong without a mark: ${wrong.length === 0 ? 'none' : ''}`,
      ...wrong.slice(0, 3).map((each) => `    ${each}`),
      ...(wrong.length > 3 ? [`    and ${wrong.length - 3} more`] : []),
      `  at the end: ${left.provisional} days provisional, ${left.held} held, ${left.failed} not loaded`,
    ].join('\n');
  });
  await expect(`${text.join('\n\n')}\n`).toMatchFileSnapshot('nights-of-services.txt');
});
