import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contentHash, decideLoad, needsConfirmed, toCandidate } from '../../../src/job/windows/decide.ts';
import type { Anomaly, HeldCode } from '../../../src/model/anomaly.ts';
import { addDays } from '../../../src/model/day.ts';
import {
  type CampaignRecord,
  countNames,
  type Reject,
  type SummaryEnvelope,
} from '../../../src/model/records.ts';
import type { ConfirmedDay, CurrentDay, CurrentRow, LoadCandidate } from '../../../src/model/window.ts';

/** A Monday. */
const day = '2026-03-02';
const [monday, tuesday, wednesday, thursday] = ['2026-03-02', '2026-03-03', '2026-03-04', '2026-03-05'];

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
  heldRunDate: null,
  rows: [],
  isReplayOfNewest: false,
  ...part,
});
const fetched = {
  day,
  runDate: thursday,
  accepted: false,
  now: Temporal.Instant.from(`${thursday}T06:30:00Z`),
  timeZone: 'UTC',
  lookbackDays: 3,
  catchUpDays: 10,
};
const response = (
  records: readonly CampaignRecord[],
  part: Partial<LoadCandidate & SummaryEnvelope> = {},
): LoadCandidate => {
  const { notice = null, unfinished = null, noList = null, counts = {}, rejects = [], ...others } = part;
  const rows = records.length + rejects.length;
  const said = { notice, unfinished, noList };
  return {
    ...toCandidate({ records, rejects, rejectCount: rejects.length, rows, counts, ...said }, fetched),
    isBeyondLookback: false,
    knownSince: '2026-02-01',
    ...others,
  };
};
const neverLoaded = current({
  state: 'failed',
  contentHash: null,
  sameSinceRunDate: null,
});
const four = rows(campaign(1, 10), campaign(2, 20), campaign(3, 30), campaign(4, 40));
const zeros = [1, 2, 3, 4].map((id) => campaign(id, 0));
const confirms = { decision: 'apply', provisional: null };
const leavesProvisional = { decision: 'apply', provisional: expect.any(String) };

describe('a response is held that would', () => {
  it.each<[string, CampaignRecord[], HeldCode, string]>([
    [
      'empty the day',
      [],
      'emptied',
      'it would empty a day of 4 campaigns (0 campaigns instead of 4 campaigns, 100 attempts, 0 connects)',
    ],
    [
      'drop over half of its rows',
      [campaign(1, 10)],
      'halved',
      'it lacks 3 of 4 campaigns (1 campaign, 10 attempts, 0 connects instead of 4 campaigns, 100 attempts, 0 connects)',
    ],
    [
      'turn all its counts to 0',
      zeros,
      'zeroed',
      'it turns all counts to 0 (4 campaigns, 0 attempts, 0 connects instead of 4 campaigns, 100 attempts, 0 connects)',
    ],
    [
      'turn all its counts to nothing',
      [1, 2, 3, 4].map((id) => campaign(id, null)),
      'unreported',
      'it leaves attempts unreported for 4 of 4 campaigns (4 campaigns, attempts not reported, 0 connects instead of 4 campaigns, 100 attempts, 0 connects)',
    ],
  ])('%s, and it says so', (_, records, code, because) => {
    expect(decideLoad(current({ rows: four }), response(records))).toEqual({
      decision: 'hold',
      code,
      anomalies: [],
      because,
    });
    const provisional = current({ rows: four, state: 'provisional' });
    expect(decideLoad(provisional, response(records)), 'unless the day is provisional').toMatchObject(
      confirms,
    );
  });
});

describe('a response that leaves a count unreported', () => {
  const leaving = (...ids: readonly number[]) =>
    [1, 2, 3, 4].map((id) => campaign(id, ids.includes(id) ? null : id * 10));

  it('which most current rows report is held, and says which and of how many', () => {
    expect(decideLoad(current({ rows: four }), response(leaving(1, 2, 3)))).toEqual({
      decision: 'hold',
      code: 'unreported',
      anomalies: [],
      because: expect.stringMatching(
        /^it leaves attempts unreported for 3 of 4 campaigns \(4 campaigns, 40 attempts, /,
      ),
    });
  });

  it('and drops the other campaigns that report it is held, though neither alone would be', () => {
    expect(decideLoad(current({ rows: four }), response(leaving(1, 2).slice(0, 2)))).toEqual({
      decision: 'hold',
      code: 'unreported',
      anomalies: [],
      because: expect.stringMatching(
        /^it leaves attempts unreported for 2 of 4 campaigns \(2 campaigns, attempts not reported, /,
      ),
    });
  });

  it('of none of its campaigns is applied, though most of those that report it are dropped', () => {
    const before = leaving(4).map((each) => ({ ...each, withdrawn: false }));
    expect(decideLoad(current({ rows: before }), response(leaving(4).slice(2)))).toMatchObject(confirms);
  });

  it('which half of the current rows report is applied', () => {
    const before = leaving(3, 4).map((each) => ({ ...each, withdrawn: false }));
    const after = leaving(1, 2, 4).map((each) => ({ ...each, busies: 1 }));
    expect(decideLoad(current({ rows: before }), response(after))).toMatchObject(confirms);
  });

  it('for half of the campaigns at most is applied', () => {
    expect(decideLoad(current({ rows: four }), response(leaving(1, 2)))).toMatchObject(confirms);
  });

  it('which few current rows report is applied', () => {
    const before = leaving(2, 3).map((each) => ({ ...each, withdrawn: false }));
    expect(decideLoad(current({ rows: before }), response(leaving(1, 2, 3)))).toMatchObject(confirms);
  });

  it('names it where most of its campaigns do', () => {
    expect(response(leaving(1, 2, 3)).unreported).toEqual(['attempts', 'liveAnswers']);
    expect(response(leaving(1, 2)).unreported).toEqual(['liveAnswers']);
    expect(response([]).unreported).toEqual([]);
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
});

describe('a held response', () => {
  const heldHash = contentHash([]);
  it('is still held when the service returns it again on the same run date', () => {
    const before = current({ rows: four, heldHash, heldRunDate: thursday });
    expect(decideLoad(before, response([])).decision).toBe('hold');
  });

  it('is applied when the service returns it again on a later run date', () => {
    const before = current({ rows: four, heldHash, heldRunDate: wednesday });
    expect(decideLoad(before, response([]))).toMatchObject({
      ...confirms,
      change: { withdrawn: [1, 2, 3, 4], restatements: { length: 4 } },
    });
  });

  it('is applied when somebody accepts it', () => {
    const before = current({ rows: four, heldHash, heldRunDate: thursday });
    expect(decideLoad(before, response([], { accepted: true }))).toMatchObject(confirms);
  });

  it('is not applied in the place of another that would take as much away', () => {
    const before = current({ rows: four, heldHash, heldRunDate: wednesday });
    expect(decideLoad(before, response([campaign(1, 10)])).decision).toBe('hold');
    expect(decideLoad(before, response([campaign(1, 10)], { accepted: true })).decision).toBe('hold');
  });

  it('gives way to one that nothing speaks against', () => {
    const before = current({ rows: four, heldHash, heldRunDate: wednesday });
    expect(decideLoad(before, response([...four, campaign(5, 50)]))).toMatchObject(confirms);
  });
});

const reject = (fields: object, id: number | null = null): Reject => ({
  id,
  payload: JSON.stringify(fields),
  reason: 'differs',
});

/** A day of the week before that earlier run dates confirmed, on which everything was reported. */
const confirmedDay = (part: Partial<ConfirmedDay> = {}): ConfirmedDay => ({
  day: addDays(day, -1),
  rows: 4,
  hasCalls: true,
  unreported: [],
  anomalies: [],
  ...part,
});
const daysAgo = (ago: number, part: Partial<ConfirmedDay> = {}) =>
  confirmedDay({ day: addDays(day, -ago), ...part });
const twoMondays = [daysAgo(7, { unreported: ['liveAnswers'] }), daysAgo(14)];

describe('an anomalous response', () => {
  /** What a confirmed day has where a response comes with other counts, and takes nothing away. */
  const others = rows(answered(1, 0));
  const listed = [answered(1, 10), answered(2, 20)];
  type Line = readonly [
    what: string,
    of: (part: Partial<LoadCandidate>) => LoadCandidate,
    confirmed: readonly ConfirmedDay[],
    anomaly: Anomaly,
    says: string,
  ];

  const lines: Line[] = [
    [
      'announces more campaigns than it lists',
      (part) => response(listed, { counts: { reports: 2, campaigns: 9, pages: 1 }, ...part }),
      [],
      { code: 'announced', announced: 9, listed: 2, known: false },
      'the service announced 9 campaigns and listed 2',
    ],
    [
      'has records that can not be read',
      (part) => response(listed, { rejects: [reject({}, 3), reject({})], ...part }),
      [],
      { code: 'unreadable', records: 2, known: false },
      '2 records could not be read',
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
    [
      'has no calls, where the same weekday had some in each of the two weeks before',
      (part) => response([answered(1, 0), answered(2, 0)], part),
      twoMondays,
      { code: 'no_calls', known: false },
      'no calls, on a weekday that usually has some',
    ],
  ];
  const sameAs = ({ contentHash }: LoadCandidate) => contentHash;

  describe.each(lines)('that %s', (_, of, confirmed, anomaly, says) => {
    const anomalies = [anomaly];
    const decided = (before: CurrentDay, part: Partial<LoadCandidate> = {}) =>
      decideLoad(before, of(part), confirmed);

    it('loads a day that was never loaded, as provisional', () => {
      expect(decided(neverLoaded)).toMatchObject({ ...leavesProvisional, anomalies });
    });

    it('replaces a provisional day, without a restatement, and leaves it provisional', () => {
      const before = current({ rows: others, state: 'provisional' });
      expect(decided(before)).toMatchObject({
        ...leavesProvisional,
        anomalies,
        change: { restatements: [] },
      });
    });

    it('is held where the day is confirmed, and says why', () => {
      expect(decided(current({ rows: others }))).toEqual({
        decision: 'hold',
        code: anomalies[0]!.code,
        anomalies,
        because: expect.stringMatching(
          new RegExp(`^${says} \\(\\d campaigns, \\d+ attempts, .* instead of 1 campaign, 0 attempts`),
        ),
      });
    });

    it('leaves a confirmed day confirmed that it doesn’t change', () => {
      const before = current({ rows: others, contentHash: sameAs(of({})) });
      expect(decided(before)).toMatchObject({ ...confirms, anomalies });
    });

    it.each(['provisional', 'held'] as const)(
      'confirms the day if it was %s and comes again on a later run date, or is accepted, near and far',
      (how) => {
        const waiting = (since: string, hash = sameAs(of({}))) =>
          how === 'held'
            ? current({ rows: others, heldHash: hash, heldRunDate: since })
            : current({ rows: others, state: 'provisional', contentHash: hash, sameSinceRunDate: since });
        const stays = how === 'held' ? { decision: 'hold' } : leavesProvisional;
        expect(decided(waiting(thursday)), 'same run date').toMatchObject(stays);
        expect(decided(waiting(wednesday, 'other')), 'other response').toMatchObject(stays);
        for (const isBeyondLookback of [false, true]) {
          expect(decided(waiting(wednesday), { isBeyondLookback })).toMatchObject({ ...confirms, anomalies });
          expect(decided(waiting(thursday), { isBeyondLookback, accepted: true })).toMatchObject(confirms);
        }
      },
    );
  });

  const mayBeKnown = lines.filter(([, , , { code }]) => code !== 'no_calls');
  it.each(mayBeKnown)('confirms the day where confirmed days had it, too: that it %s', (...line) => {
    const [, of, confirmed, anomaly] = line;
    const known = { ...anomaly, known: true };
    const having = (had: Anomaly, on: string) => [
      ...confirmed,
      confirmedDay({ day: on, rows: 0, anomalies: [had] }),
    ];
    // Days of later dates count, too: a backfill meets them.
    for (const on of ['2026-02-01', day, '2026-03-04'])
      for (const before of [neverLoaded, current({ rows: others })])
        expect(decideLoad(before, of({}), having(anomaly, on))).toMatchObject({
          ...confirms,
          anomalies: [known],
        });
    expect(decideLoad(neverLoaded, of({}), having(known, day))).toMatchObject(confirms);
    const unknown = { ...leavesProvisional, anomalies: [anomaly] };
    expect(decideLoad(neverLoaded, of({}), having(anomaly, '2026-01-31')), 'too old').toMatchObject(unknown);
    expect(decideLoad(neverLoaded, of({}), having({ code: 'no_calls', known: false }, day))).toMatchObject(
      unknown,
    );
  });

  it('is not known by another count that was left out', () => {
    const records = [{ ...campaign(1, 10), connects: null }];
    const had = (...counts: ('connects' | 'liveAnswers' | 'busies')[]) => [
      daysAgo(1),
      daysAgo(20, { anomalies: [{ code: 'unreported', counts, known: false }] }),
    ];
    const decided = (confirmed: readonly ConfirmedDay[]) =>
      decideLoad(neverLoaded, response(records), confirmed);
    expect(decided(had('liveAnswers', 'busies'))).toMatchObject(leavesProvisional);
    expect(decided(had('busies', 'liveAnswers', 'connects'))).toMatchObject(confirms);
  });

  it('without calls is never the service’s way', () => {
    const silent: Anomaly = { code: 'no_calls', known: false };
    const confirmed = [...twoMondays, daysAgo(21, { hasCalls: false, anomalies: [silent] })];
    expect(decideLoad(neverLoaded, response(zeros), confirmed)).toMatchObject({
      ...leavesProvisional,
      anomalies: [silent],
    });
    expect(decideLoad(neverLoaded, response([]), confirmed), 'nor is an empty list').toMatchObject({
      ...leavesProvisional,
      anomalies: [silent],
    });
  });

  it('says all that speaks against it, and one that isn’t known is enough to doubt it', () => {
    const both = response(listed, { notice: 'half', counts: { campaigns: 3 } });
    const announced: Anomaly = { code: 'announced', announced: 7, listed: 4, known: false };
    const confirmed = [daysAgo(1, { anomalies: [announced] })];
    expect(decideLoad(neverLoaded, both, confirmed)).toMatchObject({
      ...leavesProvisional,
      anomalies: [
        { code: 'announced', announced: 3, listed: 2, known: true },
        { code: 'error', text: 'half', known: false },
      ],
    });
    expect(decideLoad(current({ rows: others }), both, confirmed)).toMatchObject({
      because: expect.stringMatching(/^the service sent an error with the campaigns: half \(2 campaigns/),
    });
  });

  it('that takes away from a confirmed day says what it takes', () => {
    const emptying = response([], { counts: { campaigns: 4 } });
    expect(decideLoad(current({ rows: four }), emptying)).toMatchObject({
      decision: 'hold',
      anomalies: [{ code: 'announced' }],
      because: expect.stringMatching(/^it would empty a day of 4 campaigns \(/),
    });
  });
});

describe('there is no anomaly in a response', () => {
  const loaded = rows(campaign(1, 10));
  const one = [campaign(2, 20)];
  const counts = { attempts: 10, busies: 0, connects: 0, liveanswers: null };
  it.each<[string, LoadCandidate, ConfirmedDay[]?]>([
    ['with a text and no campaigns', response([], { notice: 'closed' })],
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
      'that leaves out a count that half of the last week leave out',
      response(one),
      [daysAgo(1), daysAgo(2, { unreported: ['liveAnswers'] })],
    ],
    [
      'that leaves out a count that days without campaigns, earlier ones and later ones don’t',
      response(one),
      [daysAgo(1, { rows: 0 }), daysAgo(8), daysAgo(0), daysAgo(-1)],
    ],
    ['that leaves out a count of half of its campaigns', response([...one, answered(1, 1)]), [daysAgo(1)]],
    ['without calls, on a weekday that had some only the week before', response([]), [daysAgo(7)]],
    ['without calls, on a weekday that had some only two weeks before', response([]), [daysAgo(14)]],
    [
      'without calls, on a weekday that had none the week before',
      response([]),
      [daysAgo(7, { hasCalls: false }), daysAgo(14)],
    ],
  ])('%s', (_, of, confirmed = []) => {
    const before = current({ rows: loaded, state: 'provisional' });
    expect(decideLoad(before, of, confirmed)).toMatchObject({ ...confirms, anomalies: [] });
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

  it('kept its row: a response that doesn’t list it any more takes the row away', () => {
    const readable = four.slice(0, 1);
    const before = current({ rows: four, contentHash: contentHash(readable) });
    expect(decideLoad(before, response(readable))).toMatchObject({
      decision: 'hold',
      because: expect.stringMatching(/^it lacks 3 of 4 campaigns \(/),
    });
  });
});

describe('a confirmed day beyond LOOKBACK_DAYS', () => {
  const beyond = { isBeyondLookback: true };
  const settled = { isSettled: true };
  const heldSince = (records: CampaignRecord[], heldRunDate: string, part: Partial<CurrentDay> = {}) =>
    current({ rows: four, heldHash: contentHash(records), heldRunDate, ...part });

  it.each<[string, CampaignRecord[]]>([
    ['emptied', []],
    ['halved', [campaign(1, 10)]],
    ['zeroed', zeros],
  ])('is %s by accept alone, however often the service says so', (_, records) => {
    const again = heldSince(records, wednesday);
    expect(decideLoad(again, response(records))).toMatchObject(confirms);
    expect(decideLoad(again, response(records, beyond)).decision).toBe('hold');
    expect(decideLoad(again, response(records, { ...beyond, accepted: true }))).toMatchObject(confirms);
  });

  it('loses a count that comes unreported on two run dates', () => {
    const records = [1, 2, 3, 4].map((id) => ({ ...campaign(id, null), busies: 1 }));
    expect(decideLoad(current({ rows: four }), response(records, beyond)).decision).toBe('hold');
    expect(decideLoad(heldSince(records, wednesday), response(records, beyond))).toMatchObject(confirms);
  });

  it('that is settled stays as it is where the list is empty, and nothing is held', () => {
    const before = current({ rows: four, ...settled });
    expect(decideLoad(before, response([], { ...beyond, notice: 'gone' }))).toEqual({
      decision: 'keep',
      anomalies: [],
    });
    expect(decideLoad(before, response([])).decision, 'not within look-back').toBe('hold');
    expect(decideLoad(before, response([campaign(1, 10)], beyond)).decision, 'one campaign is left').toBe(
      'hold',
    );
    const accepted = { ...beyond, accepted: true };
    expect(decideLoad(heldSince([], thursday, settled), response([], accepted))).toMatchObject(confirms);
  });

  it('that isn’t settled is held where the list is empty', () => {
    expect(decideLoad(current({ rows: four }), response([], beyond)).decision).toBe('hold');
  });

  it('that is provisional may be emptied', () => {
    const before = current({ rows: four, state: 'provisional' });
    expect(decideLoad(before, response([], beyond))).toMatchObject(confirms);
  });
});

describe('a day that was not over', () => {
  const records = [campaign(1, 10)];
  const fetchedEarly = current({
    rows: rows(...records),
    state: 'provisional',
    isOver: false,
    sameSinceRunDate: tuesday,
  });

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

  it('is no repetition: an anomalous response with its counts has come once', () => {
    const doubtful = response(records, { notice: 'half' });
    expect(decideLoad(fetchedEarly, doubtful)).toMatchObject(leavesProvisional);
    expect(decideLoad({ ...fetchedEarly, isOver: true }, doubtful)).toMatchObject(confirms);
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
        sameSinceRunDate: fc.constantFrom(monday, tuesday),
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
  const anyConfirmed = fc.array(
    fc.record({
      day: fc
        .oneof(fc.constantFrom(-7, -14), fc.integer({ min: -30, max: 7 }))
        .map((ago) => addDays(day, ago)),
      rows: fc.nat(2),
      hasCalls: fc.boolean(),
      unreported: fc.subarray([...countNames]),
      anomalies: fc.subarray<Anomaly>([
        { code: 'announced', announced: 2, listed: 1, known: false },
        { code: 'unreadable', records: 1, known: true },
        { code: 'error', text: 'x', known: false },
        { code: 'unreported', counts: ['liveAnswers'], known: false },
      ]),
    }),
    { maxLength: 20 },
  );

  it('the same response on two later run dates confirms the day on the second at the latest, but beyond look-back', () => {
    fc.assert(
      fc.property(anyDay, anyResponse, anyConfirmed, (before, again, confirmed) => {
        const near = { ...again, isBeyondLookback: false };
        const first = decideLoad(before, { ...near, runDate: thursday }, confirmed);
        if (first.decision === 'apply' && first.provisional === null) return;
        const hash = again.contentHash;
        const after: CurrentDay =
          first.decision === 'hold'
            ? { ...before, heldHash: hash, heldRunDate: thursday }
            : { ...before, isOver: true, contentHash: hash, sameSinceRunDate: thursday };
        expect(decideLoad(after, { ...near, runDate: '2026-03-06' }, confirmed)).toMatchObject(confirms);
      }),
    );
  });

  it('what earlier run dates confirmed is needed where it may change the decision', () => {
    fc.assert(
      fc.property(anyDay, anyResponse, anyConfirmed, (before, candidate, confirmed) => {
        if (needsConfirmed(candidate)) return;
        expect(decideLoad(before, candidate, confirmed)).toEqual(decideLoad(before, candidate));
      }),
      { numRuns: 300 },
    );
    const needed = [[answered(1, 10)], [answered(1, 0)], [campaign(1, 10)], []].map((listed) =>
      needsConfirmed(response(listed)),
    );
    expect(needed).toEqual([false, true, true, true]);
  });
});
