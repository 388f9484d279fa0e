import fc from 'fast-check';
import type { AccountPlan } from '../../src/simulator/accounts.ts';
import type { StoryEvent } from '../../src/simulator/story.ts';
import type { CountName } from './figures.ts';
import type { Deed, Life } from './live-story.ts';

/** Small ones: a night of a history is to take a tenth of a second. North's list has two pages. */
const accounts: readonly AccountPlan[] = [
  {
    name: 'north',
    clients: 120,
    endless: [
      ['Reminders', 'health', 7],
      ['Attendance', 'school', 5],
      ['Refills', 'health', 7],
      ['Surveys', 'school', 7],
      ['Renewals', 'billing', 6],
    ],
    series: 3,
  },
  {
    name: 'coast',
    clients: 20,
    endless: [['Citas', 'health', 7]],
    series: 3,
  },
  {
    name: 'valley',
    clients: 10,
    endless: [['Welcome', 'billing', 7]],
    series: 1,
  },
];

const account = fc.constantFrom('north', 'coast', 'valley');
const daysAgo = fc.integer({ min: 1, max: 5 });
const clients = fc.integer({ min: 1, max: 4 });

const ofDay = fc.record({
  event: fc.constantFrom(
    'campaign added later',
    'campaign withdrawn',
    'half listed',
    'campaigns missing',
    'unreadable records',
    'empty day',
  ),
  account,
  daysAgo,
});
const correction = fc.record({
  event: fc.constant('late correction'),
  account,
  daysAgo,
  percent: fc.integer({ min: 1, max: 20 }),
});
const ofClients = fc.record({
  event: fc.constantFrom('clients added', 'clients removed', 'balances spent'),
  account,
  clients,
});
const ofAccount = fc.record({
  event: fc.constantFrom('token refused', 'client list refused', 'list changes during walk'),
  account,
});
const others: fc.Arbitrary<StoryEvent> = fc.oneof(
  fc.constant({ event: 'same campaigns' as const, account: 'valley', as: 'coast' }),
  fc.constantFrom({ event: 'no run' as const }, { event: 'mail server down' as const }),
  fc.record({ event: fc.constant('outage' as const), hours: fc.constantFrom(1, 4) }),
  fc.record({ event: fc.constant('killed' as const), atRequest: fc.integer({ min: 1, max: 30 }) }),
  fc.constant({ event: 'recipient refused' as const, recipient: 'valley@example.com' }),
  fc.record({
    event: fc.constant('setting changed' as const),
    name: fc.constant('LOOKBACK_DAYS'),
    value: fc.constantFrom('1', '3', '5'),
  }),
);

const event: fc.Arbitrary<StoryEvent> = fc.oneof(
  { weight: 3, arbitrary: ofDay as fc.Arbitrary<StoryEvent> },
  correction as fc.Arbitrary<StoryEvent>,
  ofClients as fc.Arbitrary<StoryEvent>,
  ofAccount as fc.Arbitrary<StoryEvent>,
  others,
);

const deed: fc.Arbitrary<Deed | null> = fc.option(fc.constantFrom('second run', 'backfill', 'replay'), {
  freq: 2,
});

/** Nights with a run of their own: what retries until the service is up again, or is killed, has no other event. */
const night = fc.tuple(fc.array(event, { maxLength: 3 }), deed).filter(([events, deed]) => {
  const isAlone = events.some(({ event }) =>
    ['no run', 'outage', 'killed', 'mail server down'].includes(event),
  );
  // A backfill gives up an account at its first refusal: the days that it leaves are missing, not failed.
  if (deed === 'backfill' && events.some(({ event }) => event === 'token refused')) return false;
  return !isAlone || (events.length === 1 && deed === null);
});

/** Never most campaigns of an account: a response that leaves out what most report is doubtful. */
const silence = fc.record({
  campaign: fc.constantFrom('Refills', 'Surveys', 'Renewals'),
  count: fc.constantFrom<CountName>('attempts', 'busies', 'connects', 'liveAnswers'),
});

/** Accounts that leave the settings or join them on a night; one is always there. */
const move = fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, account);

function awayOf(moves: readonly (string | null)[]): string[][] {
  const nights: string[][] = [];
  for (const name of moves) {
    const before = nights.at(-1) ?? [];
    const after = before.includes(name!) ? before.filter((each) => each !== name) : [...before, name!];
    nights.push(name === null || after.length === accounts.length ? before : after);
  }
  return nights;
}

/** Some nights at random, what somebody does after each, and in two of three the weeks before. */
export const history = fc
  .record({
    drawn: fc.array(night, { minLength: 3, maxLength: 9 }),
    daysOfHistory: fc.constantFrom(0, 31, 45),
    silences: fc.array(silence, { maxLength: 2 }),
    moves: fc.option(fc.array(move, { minLength: 3, maxLength: 9 }), { freq: 2 }),
  })
  .map(({ drawn, daysOfHistory, silences, moves }): Life => {
    const nights = drawn.map(([events]) => events);
    return {
      story: { about: 'a random history', accounts, nights },
      firstNight: '2026-03-09',
      deeds: drawn.map(([, deed]) => deed),
      daysOfHistory,
      away: moves === null ? [] : awayOf(drawn.map((_, index) => moves[index] ?? null)),
      silence: (_, campaign) => silences.find((each) => each.campaign === campaign)?.count,
    };
  });
