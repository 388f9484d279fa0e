import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contentHash, decideLoad, needsEarlier, toCandidate } from '../../../src/job/windows/decide.ts';
import type { Anomaly } from '../../../src/model/anomaly.ts';
import { addDays } from '../../../src/model/day.ts';
import { type CampaignRecord, countNames, type Reject } from '../../../src/model/records.ts';
import type { CurrentDay, EarlierDay, LoadCandidate, LoadDecision } from '../../../src/model/window.ts';

/* What becomes of a response, by the day that it is for and the days before: the design's *Anomaly*, one line a rule. */

/** A Monday. */
const day = '2026-03-02';
const [tuesday, wednesday, thursday] = ['2026-03-03', '2026-03-04', '2026-03-05'];

const campaign = (callsetId: number, attempts: number | null): CampaignRecord => ({
  callsetId,
  campaign: 'x',
  attempts,
  busies: 0,
  connects: 0,
  liveAnswers: null,
  extra: {},
});
/** The same with live answers, as most accounts report them. */
const answered = (callsetId: number, attempts: number): CampaignRecord => ({
  ...campaign(callsetId, attempts),
  liveAnswers: 0,
});
const attempts = (...counts: readonly (number | null)[]) =>
  counts.map((count, index) => campaign(index + 1, count));
const four = attempts(10, 20, 30, 40);
const zeros = attempts(0, 0, 0, 0);

const dayOf = (records: readonly CampaignRecord[], part: Partial<CurrentDay>): CurrentDay => ({
  state: 'loaded',
  isOver: true,
  anomalies: [],
  contentHash: contentHash(records),
  sameSinceRunDate: tuesday,
  isSettled: false,
  heldHash: null,
  rows: records.map((record) => ({ ...record, withdrawn: false })),
  isReplayOfNewest: false,
  ...part,
});
const neverLoaded = dayOf([], { state: 'failed', contentHash: null, sameSinceRunDate: null });
const confirmed = (records: readonly CampaignRecord[], part: Partial<CurrentDay> = {}) =>
  dayOf(records, part);
const provisional = (records: readonly CampaignRecord[], ...anomalies: readonly Anomaly[]) =>
  dayOf(records, { state: 'provisional', anomalies });
const withdrawn = (...records: readonly CampaignRecord[]) =>
  records.map((record) => ({ ...record, withdrawn: true }));

type Part = Partial<LoadCandidate> & {
  readonly notice?: string | undefined;
  readonly unfinished?: string | undefined;
  readonly noList?: string;
  readonly counts?: Record<string, number>;
};
/** A response of Thursday. */
const response = (records: readonly CampaignRecord[], part: Part = {}): LoadCandidate => {
  const { notice = null, unfinished = null, noList = null, counts = {}, rejects = [], ...others } = part;
  const rows = records.length + rejects.length;
  return {
    ...toCandidate(
      { records, rejects, rejectCount: rejects.length, rows, counts, notice, unfinished, noList },
      {
        day,
        runDate: thursday,
        accepted: false,
        now: Temporal.Instant.from(`${thursday}T06:30:00Z`),
        timeZone: 'UTC',
        lookbackDays: 3,
        catchUpDays: 10,
      },
    ),
    isBeyondLookback: false,
    ...others,
  };
};
const reject = (id: number | null, fields: object = {}): Reject => ({
  id,
  payload: JSON.stringify(fields),
  reason: 'differs',
});

/** A day that earlier run dates confirmed, on which everything was reported. */
const daysAgo = (ago: number, part: Partial<EarlierDay> = {}): EarlierDay => ({
  day: addDays(day, -ago),
  isConfirmed: true,
  rows: 4,
  hasCalls: true,
  unreported: [],
  anomalies: [],
  runDates: Object.fromEntries((part.anomalies ?? []).map(({ code }) => [code, [addDays(day, 1 - ago)]])),
  ...part,
});
const twoMondays = [daysAgo(7, { unreported: ['liveAnswers'] }), daysAgo(14)];
const silentMondays = twoMondays.map((each) => ({ ...each, isConfirmed: false }));

/** `confirmed`, `provisional with announced`, `held as halved with known announced`, `ignored`. */
function becomes(decision: LoadDecision): string {
  const state = {
    apply: () =>
      decision.decision === 'apply' && decision.provisional === null ? 'confirmed' : 'provisional',
    hold: () => `held as ${decision.decision === 'hold' && decision.code}`,
    ignore: () => 'ignored',
  }[decision.decision as 'apply' | 'hold' | 'ignore']();
  const anomalies = 'anomalies' in decision ? decision.anomalies : [];
  const codes = anomalies.map(({ code, known }) => `${known ? 'known ' : ''}${code}`);
  return codes.length === 0 ? state : `${state} with ${codes.join(', ')}`;
}

/** What `becomes` says, the day, the response for it, and the days before. */
type Case = readonly [
  becomes: string,
  day: CurrentDay,
  response: LoadCandidate,
  earlier?: readonly EarlierDay[],
];
type Rules = { readonly [sentence: string]: Case };

const old = { isBeyondLookback: true };
const again = (records: readonly CampaignRecord[], part: Part = {}) => response(records, part);
const heldDay = (records: readonly CampaignRecord[]) => confirmed(four, { heldHash: contentHash(records) });
const leaving = (...ids: readonly number[]) =>
  [1, 2, 3, 4].map((id) => campaign(id, ids.includes(id) ? null : id * 10));
const settled = confirmed(four, { isSettled: true });
const half = { counts: { campaigns: 4 } };
const announced: Anomaly = { code: 'announced', announced: 4, listed: 3, known: false };

const takesFiguresAway: Rules = {
  'an empty list is held': ['held as emptied', confirmed(four), response([])],
  'over half of the campaigns missing is held': ['held as halved', confirmed(four), response(attempts(10))],
  'half of the campaigns missing is applied': ['confirmed', confirmed(four), response(attempts(10, 20))],
  'all counts turned to 0 are held': ['held as zeroed', confirmed(four), response(zeros)],
  'one count left is applied': ['confirmed', confirmed(four), response(attempts(0, 0, 1, 0))],
  'a count unreported for all is held': [
    'held as unreported',
    confirmed(four),
    response(leaving(1, 2, 3, 4)),
  ],
  'a count unreported for over half is held': [
    'held as unreported',
    confirmed(four),
    response(leaving(1, 2, 3)),
  ],
  'a count unreported for half is applied': ['confirmed', confirmed(four), response(leaving(1, 2))],
  'a count unreported for half of those left, and the others dropped, is held': [
    'held as unreported',
    confirmed(four),
    response(leaving(1, 2).slice(0, 2)),
  ],
  'a count that half of the rows reported may go': [
    'confirmed',
    confirmed(leaving(2, 3)),
    response([...leaving(1, 2, 3, 4), campaign(5, 50)]),
  ],
  'a count that nobody leaves out may lose most of the rows that report it': [
    'confirmed',
    confirmed(leaving(4)),
    response(leaving(4).slice(2)),
  ],
  'it is held though it comes again': ['held as emptied', heldDay([]), again([])],
  'it is held though it comes again beyond LOOKBACK_DAYS': [
    'held as halved',
    heldDay(attempts(10)),
    again(attempts(10), old),
  ],
  'a person applies it': ['confirmed', heldDay([]), again([], { accepted: true })],
  'a person applies it beyond LOOKBACK_DAYS': [
    'confirmed',
    heldDay(zeros),
    again(zeros, { ...old, accepted: true }),
  ],
  'a person applies what is held, and nothing else in its place': [
    'held as halved',
    heldDay([]),
    response(attempts(10), { accepted: true }),
  ],
  'a good response replaces the held one': ['confirmed', heldDay([]), response([...four, campaign(5, 50)])],
  'what it takes away is said before what else speaks against it': [
    'held as emptied with announced',
    confirmed(four),
    response([], half),
  ],
  'an empty list for an old settled day is no longer kept by the service': [
    'ignored',
    settled,
    response([], { ...old, notice: 'gone' }),
  ],
  'an empty list for a settled day within LOOKBACK_DAYS is held': ['held as emptied', settled, response([])],
  'an empty list for an old day that isn’t settled is held': [
    'held as emptied',
    confirmed(four),
    response([], old),
  ],
  'an old settled day of which one campaign is left is held': [
    'held as halved',
    settled,
    response(attempts(10), old),
  ],
  'an empty list for an empty day takes nothing away': ['confirmed', confirmed([]), response([])],
  'an empty list for a day of withdrawn rows takes nothing away': [
    'confirmed',
    confirmed([], { rows: withdrawn(...four) }),
    response([]),
  ],
  'zeros for a day of zeros take nothing away': ['confirmed', confirmed(attempts(0)), response(attempts(0))],
  'the same counts restore rows that were lost': [
    'confirmed',
    confirmed(four, { contentHash: contentHash(zeros) }),
    response(zeros),
  ],
};

const provisionalDays: Rules = {
  'an empty list is ignored': ['ignored', provisional(four, announced), response([])],
  'an empty list that announces some is ignored': [
    'ignored with announced',
    provisional(four),
    response([], half),
  ],
  'no list is ignored': ['ignored with no_list', provisional(four), response([], { noList: 'HTTP 204' })],
  'under half of the campaigns, with more announced, is ignored': [
    'ignored with announced',
    provisional(four),
    response(attempts(10), half),
  ],
  'zeros with an error are ignored': [
    'ignored with error',
    provisional(four),
    response(zeros, { notice: 'half' }),
  ],
  'zeros on a weekday with calls are ignored': [
    'ignored with no_calls',
    provisional(four),
    response(zeros),
    twoMondays,
  ],
  'a person applies an empty list': ['confirmed', provisional(four), response([], { accepted: true })],
  'more campaigns confirm it': ['confirmed', provisional(four), response([...four, campaign(5, 50)])],
  'under half of the campaigns confirm it: the others may be another account’s': [
    'confirmed',
    provisional(four),
    response(attempts(10)),
  ],
  'zeros confirm it on a weekday of which nothing is known': [
    'confirmed',
    provisional(four),
    response(zeros),
  ],
  'the same campaigns as another account aren’t confirmed by repetition': [
    'provisional with same_campaigns',
    provisional(four, { code: 'same_campaigns', known: false }),
    again(four),
  ],
  'the same figures as another day aren’t confirmed by repetition': [
    'provisional with same_figures',
    provisional(four, { code: 'same_figures', datesIgnored: false, known: false }),
    again(four),
  ],
  'other campaigns than another account’s confirm it': [
    'confirmed',
    provisional(four, { code: 'same_campaigns', known: false }),
    response([...four, campaign(5, 5)]),
  ],
  'a person confirms the same campaigns as another account’s': [
    'confirmed',
    provisional(four, { code: 'same_campaigns', known: false }),
    again(four, { accepted: true }),
  ],
  'the same figures stay explained on a confirmed day': [
    'confirmed with known same_figures',
    confirmed(four, { anomalies: [{ code: 'same_figures', datesIgnored: false, known: true }] }),
    again(four),
  ],
  'a day that was not over is provisional': ['provisional', neverLoaded, response(four, { isOver: false })],
  'a day that was not over isn’t confirmed by a person': [
    'provisional',
    provisional(four),
    again(four, { isOver: false, accepted: true }),
  ],
  'a good response confirms a day that was not over': [
    'confirmed',
    dayOf(four, { state: 'provisional', isOver: false }),
    again(four),
  ],
};

const [one, two] = [campaign(1, 10), campaign(2, 20)];
const before = provisional([one]);
const unreadable = (...rejects: readonly Reject[]) => response([two], { rejects });
const copy = { campaign: 'x', attempts: 10, busies: 0, connects: 0, liveanswers: null };
const noListBefore = daysAgo(20, {
  rows: 0,
  hasCalls: false,
  anomalies: [{ code: 'no_list', text: 'HTTP 404', known: false }],
});
const noList = response([], { noList: 'HTTP 404' });

const speaksAgainst: Rules = {
  'counts of the envelope that are the number of campaigns, or less, announce no more': [
    'confirmed',
    before,
    response([two], { counts: { a: 1, b: 0 } }),
  ],
  'a count of the envelope includes records that can’t be read': [
    'confirmed',
    before,
    response([two], { counts: { a: 2 }, rejects: [reject(2)] }),
  ],
  'an unreadable record of a listed campaign is no loss': ['confirmed', before, unreadable(reject(2))],
  'an unreadable record of a loaded campaign is no loss': ['confirmed', before, unreadable(reject(1))],
  'an unreadable record with name and counts of a loaded campaign is no loss': [
    'confirmed',
    before,
    unreadable(reject(null, copy)),
  ],
  'an unreadable record of an unknown campaign is one': [
    'provisional with unreadable',
    before,
    unreadable(reject(null, { campaign: 'x', attempts: 10 })),
  ],
  'a long unreadable record, which is cut, is one': [
    'provisional with unreadable',
    before,
    unreadable({ id: null, payload: '{"campaign": "x', reason: 'long' }),
  ],
  'an unreadable record of a withdrawn campaign is one': [
    'provisional with unreadable',
    { ...neverLoaded, rows: withdrawn(campaign(4, 1)) },
    unreadable(reject(4)),
  ],
  'unreadable records alone aren’t an empty list': [
    'confirmed',
    confirmed(four),
    response([], { rejects: [1, 2, 3, 4].map((id) => reject(id)) }),
  ],
  'zeros next to an unreadable record aren’t all that there is': [
    'confirmed',
    confirmed(four),
    response(zeros.slice(0, 3), { rejects: [reject(4)] }),
  ],
  'an unreadable record may have the calls of the weekday': [
    'provisional with unreadable',
    neverLoaded,
    response([], { rejects: [reject(4)] }),
    twoMondays,
  ],
  'a count is missed by nobody if no confirmed day is known': ['confirmed', before, response([two])],
  'a count is missed if the last week reported it': [
    'provisional with unreported',
    neverLoaded,
    response([two]),
    [daysAgo(1)],
  ],
  'a count is not missed if the last seven days left it out, and only earlier ones didn’t': [
    'confirmed',
    before,
    response([two]),
    [1, 2, 3, 4, 5, 6, 9, 10, 11].map((ago) => daysAgo(ago, ago < 10 ? { unreported: ['liveAnswers'] } : {})),
  ],
  'a count is not missed if half of the last week left it out': [
    'confirmed',
    before,
    response([two]),
    [daysAgo(1), daysAgo(2, { unreported: ['liveAnswers'] })],
  ],
  'days without campaigns, later ones and provisional ones don’t make a count missed': [
    'confirmed',
    before,
    response([two]),
    [daysAgo(1, { rows: 0 }), daysAgo(0), daysAgo(-1), daysAgo(2, { isConfirmed: false })],
  ],
  'a count of half of the campaigns isn’t missed': [
    'confirmed',
    before,
    response([two, answered(1, 1)]),
    [daysAgo(1)],
  ],
  'no calls are expected if only the week before had some': [
    'confirmed',
    neverLoaded,
    response([]),
    [daysAgo(7)],
  ],
  'no calls are expected if only two weeks before had some': [
    'confirmed',
    neverLoaded,
    response([]),
    [daysAgo(14)],
  ],
  'no calls are expected if the week before had none': [
    'confirmed',
    neverLoaded,
    response([]),
    [daysAgo(7, { hasCalls: false }), daysAgo(14)],
  ],
  'no calls are expected if nobody confirmed those before': [
    'confirmed',
    neverLoaded,
    response([]),
    silentMondays,
  ],
  'no list confirms a quiet weekday at once if one was confirmed before': [
    'confirmed with known no_list',
    neverLoaded,
    noList,
    [noListBefore],
  ],
  'no list is provisional if none was confirmed before': [
    'provisional with no_list',
    neverLoaded,
    noList,
    [{ ...noListBefore, anomalies: [] }],
  ],
  'no list is provisional where calls are expected': [
    'provisional with no_list',
    neverLoaded,
    noList,
    [noListBefore, daysAgo(14)],
  ],
};

describe.each(
  Object.entries({
    'what takes figures away from a confirmed day': takesFiguresAway,
    'a provisional day': provisionalDays,
    'what speaks against a response': speaksAgainst,
  }),
)('%s:', (_, rules) => {
  it.each(Object.entries(rules))('%s', (_, [expected, day, candidate, earlier]) => {
    expect(becomes(decideLoad(day, candidate, earlier))).toBe(expected);
  });
});

/** A response for each anomaly of its own, the days that it is judged by, and how it is said. */
type Anomalous = readonly [
  of: (part?: Part) => LoadCandidate,
  anomaly: Anomaly,
  says: string,
  earlier?: readonly EarlierDay[],
];
const listed = [answered(1, 10), answered(2, 20)];
const [incomplete, decided]: { readonly [what: string]: Anomalous }[] = [
  {
    'announces more campaigns than it lists': [
      (part) => response(listed, { counts: { reports: 2, campaigns: 9, pages: 1 }, ...part }),
      { code: 'announced', announced: 9, listed: 2, known: false },
      'the service announced 9 campaigns and listed 2',
    ],
    'says that the service is not finished': [
      (part) => response(listed, { unfinished: 'status: processing', ...part }),
      { code: 'not_finished', text: 'status: processing', known: false },
      'the service was not finished with the list: status: processing',
    ],
    'has records that can’t be read': [
      (part) => response(listed, { rejects: [reject(3), reject(null)], ...part }),
      { code: 'unreadable', records: 2, known: false },
      '2 records could not be read',
    ],
    'has counts that can’t be read': [
      (part) => response(listed, { ...part, unreadableCounts: 1 }),
      { code: 'unreadable_counts', campaigns: 1, listed: 2, known: false },
      'counts of 1 campaign could not be read',
    ],
    'has an error with its campaigns': [
      (part) => response(listed, { notice: 'half of it', ...part }),
      { code: 'error', text: 'half of it', known: false },
      'the service sent an error with the campaigns: half of it',
    ],
    'leaves out a count that the last week reported': [
      (part) => response([answered(1, 10), campaign(2, 20), campaign(3, 30)], part),
      { code: 'unreported', counts: ['liveAnswers'], known: false },
      'most campaigns came without their live answers',
      [daysAgo(7)],
    ],
  },
  {
    'is something else in the place of a list': [
      (part) => response([], { noList: 'HTTP 204', ...part }),
      { code: 'no_list', text: 'HTTP 204', known: false },
      'the service sent no list',
    ],
    'has no calls on a weekday that had some in both weeks before': [
      (part) => response([answered(1, 0), answered(2, 0)], part),
      { code: 'no_calls', known: false },
      'no calls, on a weekday that usually has some',
      twoMondays,
    ],
  },
];
const others = [answered(1, 0)];
const withAnomaly = (anomaly: Anomaly) => [1, 2, 3].map((ago) => daysAgo(ago, { anomalies: [anomaly] }));

describe.each(Object.entries({ ...incomplete, ...decided }))(
  'a response that %s:',
  (what, [of, anomaly, says, earlier = []]) => {
    const { records } = of();
    const { code } = anomaly;
    const isIncomplete = what in incomplete!;
    const same = dayOf(records, { state: 'provisional', sameSinceRunDate: wednesday });
    const decide = (before: CurrentDay, part: Part = {}, more: readonly EarlierDay[] = []) =>
      becomes(decideLoad(before, of(part), [...earlier, ...more]));

    it('makes a day provisional that was never loaded, and says all of it', () => {
      expect(decideLoad(neverLoaded, of(), earlier)).toMatchObject({
        provisional: expect.stringContaining(says),
        anomalies: [anomaly],
      });
    });

    it('leaves a day confirmed that it doesn’t change', () => {
      expect(decide(confirmed(records))).toBe(`confirmed with ${code}`);
    });

    it('is confirmed by a person', () => {
      expect(decide(same, { accepted: true })).toBe(`confirmed with ${code}`);
    });

    it('is confirmed by repetition only if it is decided, the day was over, and the run date is a later one', () => {
      expect(decide(same)).toBe(`${isIncomplete ? 'provisional' : 'confirmed'} with ${code}`);
      expect(decide({ ...same, sameSinceRunDate: thursday })).toBe(`provisional with ${code}`);
      expect(decide({ ...same, isOver: false })).toBe(`provisional with ${code}`);
    });

    it('is the way of the service once most days had it, if that says nothing of figures that are missing', () => {
      const isNever = ['unreadable', 'no_calls', 'no_list'].includes(code);
      const days = withAnomaly(anomaly).map((each) => ({ ...each, isConfirmed: !isNever }));
      expect(decide(neverLoaded, {}, days)).toBe(
        isNever ? `provisional with ${code}` : `confirmed with known ${code}`,
      );
      if (isNever) return;
      const known = { ...anomaly, known: true };
      expect(decide(confirmed(others, { anomalies: [known] }), {}, days)).toBe(
        `confirmed with known ${code}`,
      );
      expect(decide(confirmed(others), {}, days), 'confirmed without it').toBe(`ignored with known ${code}`);
    });
  },
);

it.each(Object.entries(incomplete!))(
  'a response that %s is held if the day is confirmed with others, and replaces a provisional one',
  (_, [of, { code }, says, earlier]) => {
    expect(decideLoad(confirmed(others), of(), earlier)).toMatchObject({
      decision: 'hold',
      code,
      because: expect.stringMatching(new RegExp(`^${says}: .*\\d campaigns instead of 1$`)),
    });
    expect(becomes(decideLoad(provisional(others), of(), earlier))).toBe(`provisional with ${code}`);
  },
);

it('what is the way of the service doesn’t excuse another anomaly', () => {
  const both = response(listed, { notice: 'half', counts: { campaigns: 3 } });
  const usual: Anomaly = { code: 'announced', announced: 3, listed: 2, known: false };
  expect(decideLoad(neverLoaded, both, withAnomaly(usual))).toMatchObject({
    provisional: 'the service sent an error with the campaigns: half',
    anomalies: [{ ...usual, known: true }, { code: 'error' }],
  });
});

it.each<[code: string, records: CampaignRecord[], because: string]>([
  ['emptied', [], '0 attempts instead of 100, 0 campaigns instead of 4'],
  ['halved', attempts(10), '10 attempts instead of 100, 1 campaign instead of 4'],
  ['zeroed', zeros, '0 attempts instead of 100'],
  ['unreported', leaving(1, 2, 3, 4), 'attempts not reported for 4 of 4 campaigns'],
])('a held response says what would be %s, and which figures replace which', (code, records, because) => {
  expect(decideLoad(confirmed(four), response(records))).toMatchObject({ code, because });
});

it('a change of a day that isn’t confirmed is no restatement', () => {
  const changed = response([campaign(1, 99), ...four.slice(1)]);
  const restatements = (before: CurrentDay) => {
    const decision = decideLoad(before, changed);
    return decision.decision === 'apply' ? decision.change.restatements.length : null;
  };
  expect([confirmed(four), provisional(four)].map(restatements)).toEqual([1, 0]);
});

describe('whatever is current', () => {
  const anyRows = fc.uniqueArray(
    fc.record({ id: fc.nat(9), attempts: fc.option(fc.nat(3)), withdrawn: fc.boolean() }),
    { selector: (row) => row.id },
  );
  const anyDay = anyRows.chain((before) =>
    fc
      .record({
        state: fc.constantFrom('loaded' as const, 'provisional' as const),
        isOver: fc.boolean(),
        isSettled: fc.boolean(),
      })
      .map((part) =>
        confirmed(
          before.filter(({ withdrawn }) => !withdrawn).map(({ id, attempts }) => campaign(id, attempts)),
          {
            ...part,
            rows: before.map(({ id, attempts, withdrawn }) => ({ ...campaign(id, attempts), withdrawn })),
          },
        ),
      ),
  );
  const anyResponse = fc
    .record({
      rows: anyRows,
      notice: fc.constantFrom(undefined, undefined, 'half'),
      unfinished: fc.constantFrom(undefined, undefined, 'processing'),
      counts: fc.constantFrom<Record<string, number>[]>({}, {}, { campaigns: 20 }),
      rejects: fc.constantFrom([], [], [reject(5)], [reject(null)]),
      isBeyondLookback: fc.boolean(),
    })
    .map(({ rows, ...part }) =>
      response(
        rows.map(({ id, attempts }) => (attempts === null ? campaign(id, null) : answered(id, attempts))),
        part,
      ),
    );
  const anyEarlier = fc.array(
    fc
      .record({
        ago: fc.oneof(fc.constantFrom(7, 14), fc.integer({ min: -7, max: 30 })),
        rows: fc.nat(2),
        hasCalls: fc.boolean(),
        unreported: fc.subarray([...countNames]),
        anomalies: fc.subarray<Anomaly>(Object.values(incomplete!).map(([, anomaly]) => anomaly)),
      })
      .map(({ ago, ...confirmed }) => daysAgo(ago, confirmed)),
    { maxLength: 20 },
  );

  it('the same response on a later run date takes nothing away from a confirmed day', () => {
    fc.assert(
      fc.property(anyDay, anyResponse, anyEarlier, (before, again, earlier) => {
        const first = decideLoad(before, again, earlier);
        if (first.decision !== 'hold') return;
        const after = { ...before, heldHash: again.contentHash };
        expect(decideLoad(after, { ...again, runDate: '2026-03-06' }, earlier).decision).toBe('hold');
      }),
    );
  });

  it('earlier days are read where they may change the decision', () => {
    fc.assert(
      fc.property(anyDay, anyResponse, anyEarlier, (before, candidate, earlier) => {
        if (needsEarlier(candidate)) return;
        expect(decideLoad(before, candidate, earlier)).toEqual(decideLoad(before, candidate));
      }),
      { numRuns: 300 },
    );
  });
});
