import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contentHash, decideLoad, toCandidate } from '../../../src/job/windows/decide.ts';
import { type Anomaly, acceptedFor } from '../../../src/model/anomaly.ts';
import type { CampaignRecord, Reject } from '../../../src/model/records.ts';
import type { CurrentDay, LoadCandidate, LoadDecision } from '../../../src/model/window.ts';

/* What becomes of a response, by the day that it is for and what people accepted (docs/concepts.md, *Anomaly*): one line a rule. */

/** A Monday. */
const day = '2026-03-02';
const [tuesday, thursday] = ['2026-03-03', '2026-03-05'];

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
  hashOfDayBefore: null,
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
  readonly remarks?: readonly string[];
  readonly emptyBy?: string;
  readonly counts?: Record<string, number>;
};
/** A response of Thursday. */
const response = (records: readonly CampaignRecord[], part: Part = {}): LoadCandidate => {
  const { remarks = [], emptyBy = null, counts = {}, rejects = [], ...others } = part;
  const rows = records.length + rejects.length;
  return {
    ...toCandidate(
      { records, rejects, rejectCount: rejects.length, rows, counts, remarks, emptyBy },
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

/** `confirmed`, `provisional with announced`, `held as halved with announced (always)`, `ignored`. */
function becomes(decision: LoadDecision): string {
  const state = {
    apply: () =>
      decision.decision === 'apply' && decision.provisional === null ? 'confirmed' : 'provisional',
    hold: () => `held as ${decision.decision === 'hold' && decision.code}`,
    ignore: () => 'ignored',
  }[decision.decision as 'apply' | 'hold' | 'ignore']();
  const anomalies = 'anomalies' in decision ? decision.anomalies : [];
  const codes = anomalies.map(({ code, confirmedBy }) =>
    confirmedBy === null ? code : `${code} (${confirmedBy})`,
  );
  return codes.length === 0 ? state : `${state} with ${codes.join(', ')}`;
}

/** What `becomes` says, the day, the response for it, and the signs that are accepted. */
type Case = readonly [
  becomes: string,
  day: CurrentDay,
  response: LoadCandidate,
  accepted?: readonly string[],
];
const acceptedOf = (signs: readonly string[]) =>
  acceptedFor(
    signs.flatMap((sign) =>
      (['remark', 'empty', 'anomaly'] as const).map(
        (kind) => ({ kind, operation: 'campaignSummary', sign, account: null }) as const,
      ),
    ),
    'north',
  );
type Rules = { readonly [sentence: string]: Case };

const old = { isBeyondLookback: true };
const again = (records: readonly CampaignRecord[], part: Part = {}) => response(records, part);
const heldDay = (records: readonly CampaignRecord[]) => confirmed(four, { heldHash: contentHash(records) });
const leaving = (...ids: readonly number[]) =>
  [1, 2, 3, 4].map((id) => campaign(id, ids.includes(id) ? null : id * 10));
const settled = confirmed(four, { isSettled: true });
const half = { counts: { campaigns: 4 } };
const announced: Anomaly = {
  code: 'announced',
  field: 'campaigns',
  announced: 4,
  listed: 3,
  confirmedBy: null,
};

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
  'a person applies what she saw, be it held or not': [
    'confirmed',
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
    response([], old),
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

const sameFigures: Anomaly = { code: 'same_figures', confirmedBy: null };

const provisionalDays: Rules = {
  'an empty list is ignored': ['ignored', provisional(four, announced), response([])],
  'an empty list that announces some is ignored': [
    'ignored with announced',
    provisional(four),
    response([], half),
  ],
  'an accepted answer without a list is ignored': [
    'ignored with empty (always)',
    provisional(four),
    response([], { emptyBy: 'HTTP 204' }),
    ['HTTP 204'],
  ],
  'under half of the campaigns, with more announced, is ignored': [
    'ignored with announced',
    provisional(four),
    response(attempts(10), half),
  ],
  'zeros with a remark are ignored': [
    'ignored with remark',
    provisional(four),
    response(zeros, { remarks: ['note: half'] }),
  ],
  'a person applies an empty list': ['confirmed', provisional(four), response([], { accepted: true })],
  'more campaigns confirm it': ['confirmed', provisional(four), response([...four, campaign(5, 50)])],
  'under half of the campaigns confirm it: the others may be another account’s': [
    'confirmed',
    provisional(four),
    response(attempts(10)),
  ],
  'zeros confirm it, as far as it goes by itself': ['confirmed', provisional(four), response(zeros)],
  'what speaks against the same figures beside other days stays until these are looked at': [
    'provisional with same_figures',
    provisional(four, sameFigures),
    again(four),
  ],
  'other figures have nothing of it': [
    'confirmed',
    provisional(four, sameFigures),
    response([...four, campaign(5, 5)]),
  ],
  'a person confirms the same figures as the day before': [
    'confirmed',
    provisional(four, sameFigures),
    again(four, { accepted: true }),
  ],
  'a day that was not over is provisional': ['provisional', neverLoaded, response(four, { isOver: false })],
  'a day that was not over isn’t confirmed by a person': [
    'provisional',
    provisional(four),
    again(four, { isOver: false, accepted: true }),
  ],
  'a list that would empty the part of a day is held: a person has to know': [
    'held as emptied',
    dayOf(four, { state: 'provisional', isOver: false }),
    response([]),
  ],
  'a good response confirms a day that was not over': [
    'confirmed',
    dayOf(four, { state: 'provisional', isOver: false }),
    again(four),
  ],
};

const [one, two] = [campaign(1, 10), campaign(2, 20)];
const listed = [answered(1, 10), answered(2, 20)];
const before = provisional([one]);
const unreadable = (...rejects: readonly Reject[]) => response([two], { rejects });
const copy = { campaign: 'x', attempts: 10, busies: 0, connects: 0, liveanswers: null };
const speaksAgainst: Rules = {
  'counts of the envelope that are the number of campaigns announce nothing else': [
    'confirmed',
    before,
    response([two], { counts: { a: 1, b: 1 } }),
  ],
  'each count of the envelope that says another number is one': [
    'provisional with announced, announced',
    neverLoaded,
    response([two], { counts: { campaigns: 1, reports: 0, clients: 9 } }),
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
  'records of two reasons are two': [
    'provisional with unreadable, unreadable',
    neverLoaded,
    unreadable(reject(3), { ...reject(4), reason: 'long' }),
  ],
  'a cached response of the day before never replaces a confirmed day': [
    'held as same_figures with same_figures',
    confirmed(four, { hashOfDayBefore: contentHash(listed) }),
    response(listed),
  ],
  'a confirmed day with the figures of the day before stays as it is': [
    'confirmed',
    confirmed(four, { hashOfDayBefore: contentHash(four) }),
    again(four),
  ],
};

const accepts: Rules = {
  'a remark that is accepted marks nothing': [
    'confirmed with remark (always)',
    neverLoaded,
    response(four, { remarks: ['took: 12'] }),
    ['took: *'],
  ],
  'a remark with another value does': [
    'provisional with remark',
    neverLoaded,
    response(four, { remarks: ['version: 2.1'] }),
    ['version: 2.0'],
  ],
  'what is accepted of one remark excuses no other': [
    'provisional with remark (always), remark',
    neverLoaded,
    response(four, { remarks: ['a: 1', 'b: 1'] }),
    ['a: 1'],
  ],
  'an accepted answer without a list is an empty day': [
    'confirmed with empty (always)',
    neverLoaded,
    response([], { emptyBy: 'HTTP 404; message: none' }),
    ['HTTP 404; message: none'],
  ],
  'it empties no confirmed day': [
    'held as emptied with empty (always)',
    confirmed(four),
    response([], { emptyBy: 'HTTP 404; message: none' }),
    ['HTTP 404; message: none'],
  ],
  'a count that means something else is compared no more': [
    'confirmed with announced (always)',
    confirmed(attempts(1, 2)),
    response(attempts(10, 20), { counts: { reports: 9 } }),
    ['announced/reports'],
  ],
  'another count still is': [
    'held as announced with announced (always), announced',
    confirmed(attempts(1, 2)),
    response(attempts(10, 20), { counts: { reports: 9, campaigns: 9 } }),
    ['announced/reports'],
  ],
  'half of the records may be unreadable for good': [
    'confirmed with unreadable (always)',
    neverLoaded,
    unreadable(reject(3)),
    ['unreadable/differs'],
  ],
  'most of them never': [
    'provisional with unreadable',
    neverLoaded,
    unreadable(reject(3), reject(4)),
    ['unreadable/differs'],
  ],
  'half of the campaigns may lack counts that can’t be read for good': [
    'confirmed with unreadable_counts (always)',
    neverLoaded,
    response(listed, { unreadableCounts: 1 }),
    ['unreadable_counts'],
  ],
  'all of them never': [
    'provisional with unreadable_counts',
    neverLoaded,
    response(listed, { unreadableCounts: 2 }),
    ['unreadable_counts'],
  ],
  'what a person accepted for the day stays accepted for the same figures': [
    'confirmed with remark (day)',
    confirmed(four, { anomalies: [{ code: 'remark', sign: 'a: 1', confirmedBy: 'day' }] }),
    response(four, { remarks: ['a: 1'] }),
  ],
  'but not for others': [
    'held as remark with remark',
    confirmed(four, { anomalies: [{ code: 'remark', sign: 'a: 1', confirmedBy: 'day' }] }),
    response([...four, campaign(5, 5)], { remarks: ['a: 1'] }),
  ],
};

describe.each(
  Object.entries({
    'what takes figures away from a confirmed day': takesFiguresAway,
    'a provisional day': provisionalDays,
    'what speaks against a response': speaksAgainst,
    'what a person accepted': accepts,
  }),
)('%s:', (_, rules) => {
  it.each(Object.entries(rules))('%s', (_, [expected, day, candidate, accepted = []]) => {
    expect(becomes(decideLoad(day, candidate, acceptedOf(accepted)))).toBe(expected);
  });
});

/** A response for each anomaly of its own, and how it is said. */
type Anomalous = readonly [of: (part?: Part) => LoadCandidate, anomaly: Anomaly, says: string];
const open = { confirmedBy: null } as const;
const anomalous: { readonly [what: string]: Anomalous } = {
  'announces more campaigns than it lists': [
    (part) => response(listed, { counts: { reports: 2, campaigns: 9 }, ...part }),
    { code: 'announced', field: 'campaigns', announced: 9, listed: 2, ...open },
    'the service says "campaigns: 9" and lists 2',
  ],
  'announces fewer': [
    (part) => response(listed, { counts: { campaigns: 1 }, ...part }),
    { code: 'announced', field: 'campaigns', announced: 1, listed: 2, ...open },
    'the service says "campaigns: 1" and lists 2',
  ],
  'has records that can’t be read': [
    (part) => response(listed, { rejects: [reject(3), reject(null)], ...part }),
    { code: 'unreadable', reason: 'differs', records: 2, ...open },
    '2 records could not be read (differs)',
  ],
  'has counts that can’t be read': [
    (part) => response(listed, { ...part, unreadableCounts: 1 }),
    { code: 'unreadable_counts', campaigns: 1, ...open },
    'counts of 1 campaign could not be read',
  ],
  'says something beside its campaigns': [
    (part) => response(listed, { remarks: ['partial: true'], ...part }),
    { code: 'remark', sign: 'partial: true', ...open },
    'the service says "partial: true" beside its campaigns',
  ],
};

describe.each(Object.entries(anomalous))('a response that %s:', (_, [of, anomaly, says]) => {
  const { records } = of();
  const { code } = anomaly;
  const same = dayOf(records, { state: 'provisional' });

  it('makes a day provisional that was never loaded, and says all of it', () => {
    expect(decideLoad(neverLoaded, of())).toMatchObject({
      provisional: expect.stringContaining(says),
      anomalies: [anomaly],
    });
  });

  it('leaves a day confirmed that it doesn’t change', () => {
    expect(becomes(decideLoad(confirmed(records), of()))).toBe(`confirmed with ${code} (figures)`);
  });

  it('is confirmed by a person, and by no repetition', () => {
    expect(becomes(decideLoad(same, of({ accepted: true })))).toBe(`confirmed with ${code} (day)`);
    expect(becomes(decideLoad(same, of()))).toBe(`provisional with ${code}`);
  });

  it('is held if the day is confirmed with others, and replaces a provisional one', () => {
    const others = [answered(1, 0)];
    expect(decideLoad(confirmed(others), of())).toMatchObject({
      decision: 'hold',
      code,
      because: `${says}: 30 attempts instead of 0, 2 campaigns instead of 1`,
    });
    expect(becomes(decideLoad(provisional(others), of()))).toBe(`provisional with ${code}`);
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
      remarks: fc.constantFrom([], [], ['note: half']),
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
  it('the same response on a later run date takes nothing away from a confirmed day', () => {
    fc.assert(
      fc.property(anyDay, anyResponse, (before, again) => {
        const first = decideLoad(before, again);
        if (first.decision !== 'hold') return;
        const after = { ...before, heldHash: again.contentHash };
        expect(decideLoad(after, { ...again, runDate: '2026-03-06' }).decision).toBe('hold');
      }),
    );
  });

  it('what is accepted changes which rows load for no day', () => {
    fc.assert(
      fc.property(anyDay, anyResponse, (before, candidate) => {
        const strict = decideLoad(before, candidate);
        const lenient = decideLoad(before, candidate, () => true);
        if (strict.decision === 'apply' && lenient.decision === 'apply')
          expect(lenient.change).toEqual(strict.change);
        expect([strict.decision, 'apply']).toContain(lenient.decision);
      }),
    );
  });
});
