import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contentHash, decideLoad, needsEarlier, toCandidate } from '../../../src/job/windows/decide.ts';
import type { Anomaly, HeldCode } from '../../../src/model/anomaly.ts';
import { addDays } from '../../../src/model/day.ts';
import { type CampaignRecord, countNames, type Reject } from '../../../src/model/records.ts';
import type { CurrentDay, CurrentRow, EarlierDay, LoadCandidate } from '../../../src/model/window.ts';

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
const rows = (...records: CampaignRecord[]): CurrentRow[] =>
  records.map((record) => ({ ...record, withdrawn: false }));
/** A confirmed day. */
const current = (part: Partial<CurrentDay>): CurrentDay => ({
  state: 'loaded',
  isOver: true,
  anomalies: [],
  contentHash: contentHash((part.rows ?? []).filter(({ withdrawn }) => !withdrawn)),
  sameSinceRunDate: tuesday,
  isSettled: false,
  heldHash: null,
  rows: [],
  isReplayOfNewest: false,
  ...part,
});
type Part = Partial<LoadCandidate> & {
  readonly notice?: string | null;
  readonly unfinished?: string | null;
  readonly noList?: string | null;
  readonly counts?: Record<string, number>;
};
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
const neverLoaded = current({ state: 'failed', contentHash: null, sameSinceRunDate: null });
const four = rows(campaign(1, 10), campaign(2, 20), campaign(3, 30), campaign(4, 40));
const zeros = [1, 2, 3, 4].map((id) => campaign(id, 0));
const confirms = { decision: 'apply', provisional: null };
const leavesProvisional = { decision: 'apply', provisional: expect.any(String) };

const reject = (fields: object, id: number | null = null): Reject => ({
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

describe('what would take figures away from a confirmed day', () => {
  const instead = 'instead of 4 campaigns, 100 attempts, 0 connects';
  const losses: [what: string, records: CampaignRecord[], code: HeldCode, because: string][] = [
    ['empties it', [], 'emptied', `it would empty a day of 4 campaigns (0 campaigns ${instead})`],
    [
      'drops over half of its campaigns',
      [campaign(1, 10)],
      'halved',
      `it lacks 3 of 4 campaigns (1 campaign, 10 attempts, 0 connects ${instead})`,
    ],
    [
      'turns all its counts to 0',
      zeros,
      'zeroed',
      `it turns all counts to 0 (4 campaigns, 0 attempts, 0 connects ${instead})`,
    ],
    [
      'leaves a count unreported',
      [1, 2, 3, 4].map((id) => campaign(id, null)),
      'unreported',
      `it leaves attempts unreported for 4 of 4 campaigns (4 campaigns, attempts not reported, 0 connects ${instead})`,
    ],
  ];

  it.each(losses)('is held if it %s, and says so', (_, records, code, because) => {
    expect(decideLoad(current({ rows: four }), response(records))).toEqual({
      decision: 'hold',
      code,
      anomalies: [],
      because,
    });
  });

  it.each(losses)('is applied by a person alone if it %s, however often it comes', (_, records) => {
    const again = current({ rows: four, heldHash: contentHash(records) });
    for (const isBeyondLookback of [false, true]) {
      expect(decideLoad(again, response(records, { isBeyondLookback })).decision).toBe('hold');
      expect(decideLoad(again, response(records, { isBeyondLookback, accepted: true }))).toMatchObject(
        confirms,
      );
    }
  });

  it('is applied as it was held, and nothing else in its place', () => {
    const held = current({ rows: four, heldHash: contentHash([]) });
    expect(decideLoad(held, response([campaign(1, 10)], { accepted: true })).decision).toBe('hold');
  });

  it('gives way to a response that nothing speaks against', () => {
    const held = current({ rows: four, heldHash: contentHash([]) });
    expect(decideLoad(held, response([...four, campaign(5, 50)]))).toMatchObject(confirms);
  });

  it('says first what it takes, then what else speaks against it', () => {
    expect(decideLoad(current({ rows: four }), response([], { counts: { campaigns: 4 } }))).toMatchObject({
      decision: 'hold',
      code: 'emptied',
      anomalies: [{ code: 'announced' }],
    });
  });

  it('is nothing where an old, settled day comes empty: the service no longer keeps it', () => {
    const settled = current({ rows: four, isSettled: true });
    const beyond = { isBeyondLookback: true };
    expect(decideLoad(settled, response([], { ...beyond, notice: 'gone' })).decision).toBe('keep');
    expect(decideLoad(settled, response([])).decision, 'within look-back').toBe('hold');
    expect(decideLoad(settled, response([campaign(1, 10)], beyond)).decision, 'one is left').toBe('hold');
    expect(decideLoad(current({ rows: four }), response([], beyond)).decision, 'not settled').toBe('hold');
  });
});

describe('a response that leaves a count unreported', () => {
  const leaving = (...ids: readonly number[]) =>
    [1, 2, 3, 4].map((id) => campaign(id, ids.includes(id) ? null : id * 10));
  const reporting = (...ids: readonly number[]) => current({ rows: rows(...leaving(...ids)) });

  it.each<[what: string, before: CurrentDay, records: CampaignRecord[], decision: object]>([
    ['which most rows report is held', reporting(), leaving(1, 2, 3), { because: /unreported for 3 of 4/ }],
    [
      'and drops the others that report it is held, though neither alone would be',
      reporting(),
      leaving(1, 2).slice(0, 2),
      { because: /unreported for 2 of 4/ },
    ],
    ['for half of the campaigns is applied', reporting(), leaving(1, 2), confirms],
    ['which few rows report is applied', reporting(2, 3), leaving(1, 2, 3), confirms],
    [
      'of none of its campaigns is applied, though most of those that report it are dropped',
      reporting(4),
      leaving(4).slice(2),
      confirms,
    ],
  ])('%s', (_, day, records, decision) => {
    const { because, ...others } = decision as { because?: RegExp };
    expect(decideLoad(day, response(records))).toMatchObject({
      ...others,
      ...(because && { decision: 'hold', code: 'unreported', because: expect.stringMatching(because) }),
    });
  });
});

describe('a response confirms a confirmed day that', () => {
  it.each<[string, CurrentDay, CampaignRecord[]]>([
    ['drops just half of the rows', current({ rows: four }), [campaign(1, 10), campaign(2, 20)]],
    ['is empty for a day that was empty', current({}), []],
    [
      'is empty for a day whose rows are all withdrawn',
      current({ rows: four.map((row) => ({ ...row, withdrawn: true })) }),
      [],
    ],
    ['has zeros for a day of zeros', current({ rows: rows(campaign(1, 0)) }), [campaign(1, 0)]],
    [
      'has a single count left',
      current({ rows: four }),
      [1, 2, 3, 4].map((id) => campaign(id, id === 3 ? 1 : 0)),
    ],
  ])('%s', (_, before, records) => {
    expect(decideLoad(before, response(records))).toMatchObject({ ...confirms, anomalies: [] });
  });

  it('has lost its rows, for the same counts restore them', () => {
    const damaged = current({ rows: four, contentHash: contentHash(zeros) });
    expect(decideLoad(damaged, response(zeros))).toMatchObject(confirms);
  });
});

/** A response for each anomaly of its own, with the days that it is judged by. */
const listed = [answered(1, 10), answered(2, 20)];
type Line = readonly [
  what: string,
  of: (part?: Part) => LoadCandidate,
  earlier: readonly EarlierDay[],
  anomaly: Anomaly,
  says: string,
];
const lines: readonly Line[] = [
  [
    'announces more campaigns than it lists',
    (part) => response(listed, { counts: { reports: 2, campaigns: 9, pages: 1 }, ...part }),
    [],
    { code: 'announced', announced: 9, listed: 2, known: false },
    'the service announced 9 campaigns and listed 2',
  ],
  [
    'says that the service is not finished',
    (part) => response(listed, { unfinished: 'status: processing', ...part }),
    [],
    { code: 'not_finished', text: 'status: processing', known: false },
    'the service was not finished with the list: status: processing',
  ],
  [
    'has records that can not be read',
    (part) => response(listed, { rejects: [reject({}, 3), reject({})], ...part }),
    [],
    { code: 'unreadable', records: 2, known: false },
    '2 records could not be read',
  ],
  [
    'has counts that can not be read',
    (part) => response(listed, { ...part, unreadableCounts: 1 }),
    [],
    { code: 'unreadable_counts', campaigns: 1, listed: 2, known: false },
    'counts of 1 campaign could not be read',
  ],
  [
    'has an error beside its campaigns',
    (part) => response(listed, { notice: 'half of it', ...part }),
    [],
    { code: 'error', text: 'half of it', known: false },
    'the service sent an error with the campaigns: half of it',
  ],
  [
    'leaves out a count that confirmed days of the last week reported',
    (part) => response([answered(1, 10), campaign(2, 20), campaign(3, 30)], part),
    [daysAgo(7)],
    { code: 'unreported', counts: ['liveAnswers'], known: false },
    'most campaigns came without their live answers',
  ],
];
const decided: readonly Line[] = [
  [
    'is something else in the place of a list',
    (part) => response([], { noList: 'HTTP 204', ...part }),
    [],
    { code: 'no_list', text: 'HTTP 204', known: false },
    'the service sent no list',
  ],
  [
    'has no calls, where the same weekday had some in each of the two weeks before',
    (part) => response([answered(1, 0), answered(2, 0)], part),
    twoMondays,
    { code: 'no_calls', known: false },
    'no calls, on a weekday that usually has some',
  ],
];
const others = rows(answered(1, 0));
const again = (of: Line[1], since = wednesday) => {
  const { records, contentHash } = of();
  return current({ rows: rows(...records), state: 'provisional', contentHash, sameSinceRunDate: since });
};

describe.each([...lines, ...decided])('a response that %s', (_, of, earlier, anomaly) => {
  const anomalies = [anomaly];

  it('loads a day that was never loaded, as provisional', () => {
    expect(decideLoad(neverLoaded, of(), earlier)).toMatchObject({ ...leavesProvisional, anomalies });
  });

  it('leaves a confirmed day confirmed that it doesn’t change', () => {
    const before = current({ rows: rows(...of().records), contentHash: of().contentHash });
    expect(decideLoad(before, of(), earlier)).toMatchObject({ ...confirms, anomalies });
  });

  it('is confirmed by a person', () => {
    expect(decideLoad(again(of, thursday), of({ accepted: true }), earlier)).toMatchObject(confirms);
  });
});

describe.each(lines)('a day whose response %s', (_, of, earlier, anomaly, says) => {
  it('holds it if the day is confirmed, and says why', () => {
    expect(decideLoad(current({ rows: others }), of(), earlier)).toEqual({
      decision: 'hold',
      code: anomaly.code,
      anomalies: [anomaly],
      because: expect.stringMatching(new RegExp(`^${says} \\(\\d campaigns, .* instead of 1 campaign`)),
    });
  });

  it('stays provisional, however often the same comes: it isn’t complete', () => {
    expect(decideLoad(again(of), of(), earlier)).toMatchObject({
      ...leavesProvisional,
      anomalies: [anomaly],
    });
  });

  it('is provisional with the fuller figures if the day is provisional, without a restatement', () => {
    const before = current({ rows: others, state: 'provisional' });
    expect(decideLoad(before, of(), earlier)).toMatchObject({
      ...leavesProvisional,
      change: { restatements: [] },
    });
  });
});

it.each(decided)('a day whose response %s is confirmed by the same on a later run date', (...line) => {
  const [, of, earlier] = line;
  expect(decideLoad(again(of), of(), earlier)).toMatchObject(confirms);
  expect(decideLoad(again(of, thursday), of(), earlier), 'same run date').toMatchObject(leavesProvisional);
  expect(decideLoad({ ...again(of), isOver: false }, of(), earlier), 'not over').toMatchObject(
    leavesProvisional,
  );
});

describe('a provisional day', () => {
  const half = current({ rows: four, state: 'provisional', anomalies: [lines[0]![3]] });

  it.each<[what: string, of: LoadCandidate, earlier: readonly EarlierDay[]]>([
    ['an empty list', response([]), []],
    ['an empty list that announces some', response([], { counts: { campaigns: 4 } }), []],
    ['no list', response([], { noList: 'HTTP 204' }), []],
    [
      'fewer than half of its campaigns, with more announced',
      response([campaign(1, 10)], { counts: { campaigns: 4 } }),
      [],
    ],
    ['zeros beside an error', response(zeros, { notice: 'half of it' }), []],
    ['zeros, on a weekday with calls', response(zeros), twoMondays],
  ])('leaves out %s, and says so', (_, of, earlier) => {
    expect(decideLoad(half, of, earlier)).toMatchObject({
      decision: 'keep',
      because: expect.stringMatching(/ instead of 4 campaigns, 100 attempts, 0 connects\)$/),
    });
    expect(
      decideLoad(half, { ...of, accepted: true }, earlier),
      'but not if a person accepts it',
    ).toMatchObject(confirms);
  });

  it.each<[what: string, records: CampaignRecord[]]>([
    ['more campaigns', [...four, campaign(5, 50)]],
    ['fewer than half of its campaigns, for they may be another account’s', [campaign(1, 10)]],
    ['zeros', zeros],
  ])('gives way to %s that nothing speaks against', (_, records) => {
    expect(decideLoad(half, response(records))).toMatchObject({ ...confirms, change: { restatements: [] } });
  });

  it('with the same campaigns as another account, or the same figures as another day, isn’t confirmed by repetition', () => {
    for (const mark of [
      { code: 'same_campaigns', known: false },
      { code: 'same_figures', datesIgnored: false, known: false },
    ] as const) {
      const marked = current({ rows: four, state: 'provisional', anomalies: [mark] });
      expect(decideLoad(marked, response(four))).toMatchObject({ ...leavesProvisional, anomalies: [mark] });
      expect(decideLoad(marked, response([...four, campaign(5, 5)])), 'other figures').toMatchObject({
        ...confirms,
        anomalies: [],
      });
      expect(decideLoad(marked, response(four, { accepted: true }))).toMatchObject(confirms);
    }
    const explained = { code: 'same_figures', datesIgnored: false, known: true } as const;
    const day = current({ rows: four, anomalies: [explained] });
    expect(decideLoad(day, response(four))).toMatchObject({ ...confirms, anomalies: [explained] });
  });
});

describe('an anomaly that is the way of the service', () => {
  const having = (anomaly: Anomaly) =>
    [1, 2, 3].map((ago) => daysAgo(ago, { unreported: [], anomalies: [anomaly] }));

  it.each(lines.filter(([, , , { code }]) => code !== 'unreadable'))(
    'confirms a day, and replaces one that was confirmed with it, and no other: it %s',
    (...line) => {
      const [, of, earlier, anomaly] = line;
      const known = [{ ...anomaly, known: true }];
      for (const before of [neverLoaded, current({ rows: others, anomalies: known })])
        expect(decideLoad(before, of(), [...earlier, ...having(anomaly)])).toMatchObject({
          ...confirms,
          anomalies: known,
        });
      const without = decideLoad(current({ rows: others }), of(), [...earlier, ...having(anomaly)]);
      expect(without).toMatchObject({ decision: 'keep', anomalies: known });
    },
  );

  it.each(['unreadable', 'no_calls', 'no_list'] as const)('is never %s', (code) => {
    const [, of, earlier, anomaly] = [...lines, ...decided].find(([, , , each]) => each.code === code)!;
    const days = having(anomaly).map((each) => ({ ...each, isConfirmed: false }));
    expect(decideLoad(neverLoaded, of(), [...earlier, ...days])).toMatchObject(leavesProvisional);
  });

  it('doesn’t excuse another one beside it', () => {
    const both = response(listed, { notice: 'half', counts: { campaigns: 3 } });
    const announced: Anomaly = { code: 'announced', announced: 3, listed: 2, known: false };
    expect(decideLoad(neverLoaded, both, having(announced))).toMatchObject({
      ...leavesProvisional,
      provisional: 'the service sent an error with the campaigns: half',
      anomalies: [
        { ...announced, known: true },
        { code: 'error', text: 'half', known: false },
      ],
    });
  });
});

describe('no list', () => {
  const empty = (anomalies: readonly Anomaly[]) => daysAgo(20, { rows: 0, hasCalls: false, anomalies });
  const noList: Anomaly = { code: 'no_list', text: 'HTTP 404', known: false };
  const of = response([], { noList: 'HTTP 404' });

  it('confirms at once where nothing is expected of the weekday and such a day was confirmed before', () => {
    expect(decideLoad(neverLoaded, of, [empty([noList])])).toMatchObject(confirms);
    expect(decideLoad(neverLoaded, of, [empty([])]), 'never before').toMatchObject(leavesProvisional);
    expect(decideLoad(neverLoaded, of, [empty([noList]), daysAgo(14)]), 'expected').toMatchObject(
      leavesProvisional,
    );
  });
});

describe('there is no anomaly in a response', () => {
  const loaded = rows(campaign(1, 10));
  const one = [campaign(2, 20)];
  const counts = { attempts: 10, busies: 0, connects: 0, liveanswers: null };
  it.each<[string, LoadCandidate, EarlierDay[]?]>([
    ['whose counts are the number of its campaigns, or less', response(one, { counts: { a: 1, b: 0 } })],
    [
      'whose counts are the number of its campaigns, those included that can not be read',
      response(one, { counts: { a: 2 }, rejects: [reject({}, 2)] }),
    ],
    [
      'with a record that can not be read, of one of its campaigns',
      response(one, { rejects: [reject({}, 2)] }),
    ],
    [
      'with a record that can not be read, of a campaign that is loaded',
      response(one, { rejects: [reject({}, 1)] }),
    ],
    [
      'with a record of the same name and counts as a loaded one',
      response(one, { rejects: [reject({ campaign: 'x', ...counts })] }),
    ],
    ['that leaves out a count of which no confirmed day is known', response(one)],
    [
      'that leaves out a count that the last seven days leave out, and earlier ones don’t',
      response(one),
      [1, 2, 3, 4, 5, 6, 9, 10, 11].map((ago) =>
        daysAgo(ago, ago < 10 ? { unreported: ['liveAnswers'] } : {}),
      ),
    ],
    [
      'that leaves out a count that half of the last week leave out',
      response(one),
      [daysAgo(1), daysAgo(2, { unreported: ['liveAnswers'] })],
    ],
    [
      'that leaves out a count that days without campaigns, later ones and provisional ones don’t',
      response(one),
      [daysAgo(1, { rows: 0 }), daysAgo(0), daysAgo(-1), { ...daysAgo(2), isConfirmed: false }],
    ],
    ['that leaves out a count of half of its campaigns', response([...one, answered(1, 1)]), [daysAgo(1)]],
  ])('%s', (_, of, earlier = []) => {
    const before = current({ rows: loaded, state: 'provisional' });
    expect(decideLoad(before, of, earlier)).toMatchObject({ ...confirms, anomalies: [] });
  });

  it.each<[string, EarlierDay[]]>([
    ['had some only the week before', [daysAgo(7)]],
    ['had some only two weeks before', [daysAgo(14)]],
    ['had none the week before', [daysAgo(7, { hasCalls: false }), daysAgo(14)]],
    ['had some that nobody confirmed', twoMondays.map((each) => ({ ...each, isConfirmed: false }))],
  ])('without calls, on a weekday that %s', (_, earlier) => {
    expect(decideLoad(neverLoaded, response([]), earlier)).toMatchObject({ ...confirms, anomalies: [] });
  });

  it.each<[string, Reject]>([
    ['whose campaign is not known', reject({ campaign: 'x', attempts: 10 })],
    ['that is long, and cut', { id: null, payload: '{"campaign": "x', reason: 'long' }],
    ['whose campaign was withdrawn', reject({}, 4)],
  ])('but there is in one with a record %s', (_, rejected) => {
    const before = current({ rows: [...loaded, { ...campaign(4, 1), withdrawn: true }] });
    expect(decideLoad(before, response([...loaded, ...one], { rejects: [rejected] }))).toMatchObject({
      decision: 'hold',
      anomalies: [{ code: 'unreadable', records: 1 }],
    });
  });
});

describe('a record that can not be read', () => {
  const rejects = [1, 2, 3, 4].map((id) => reject({}, id));

  it('is no empty response, though no other record is listed', () => {
    expect(decideLoad(current({ rows: four }), response([], { rejects }))).toMatchObject({
      ...confirms,
      change: { withdrawn: [], restatements: [] },
    });
  });

  it('may have calls: what is listed beside it may be zeros alone', () => {
    const rejected = { rejects: rejects.slice(3) };
    expect(decideLoad(current({ rows: four }), response(zeros.slice(0, 3), rejected))).toMatchObject(
      confirms,
    );
    expect(decideLoad(neverLoaded, response([], { rejects: [reject({}, 4)] }), twoMondays)).toMatchObject({
      anomalies: [{ code: 'unreadable' }],
    });
  });
});

describe('a day that was not over', () => {
  const records = [campaign(1, 10)];
  const fetchedEarly = current({ rows: rows(...records), state: 'provisional', isOver: false });

  it('is provisional, though nothing speaks against the response, it comes again and is accepted', () => {
    for (const before of [neverLoaded, fetchedEarly])
      for (const accepted of [false, true])
        expect(decideLoad(before, response(records, { isOver: false, accepted }))).toMatchObject({
          ...leavesProvisional,
          anomalies: [],
        });
  });

  it('is confirmed by the first good response once it is over, and that is no restatement', () => {
    expect(decideLoad(fetchedEarly, response([campaign(1, 99)]))).toMatchObject({
      ...confirms,
      change: { restatements: [] },
    });
  });
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
        current({
          ...part,
          rows: before.map(({ id, attempts, withdrawn }) => ({ ...campaign(id, attempts), withdrawn })),
        }),
      ),
  );
  const anyResponse = fc
    .record({
      rows: anyRows,
      notice: fc.constantFrom(null, null, 'half'),
      unfinished: fc.constantFrom(null, null, 'processing'),
      counts: fc.constantFrom<Record<string, number>[]>({}, {}, { campaigns: 20 }),
      rejects: fc.constantFrom([], [], [reject({}, 5)], [reject({})]),
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
        anomalies: fc.subarray<Anomaly>(lines.map(([, , , anomaly]) => anomaly)),
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
