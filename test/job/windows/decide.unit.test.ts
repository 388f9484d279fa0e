import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contentHash, decideLoad, isShort, mostlyUnreported } from '../../../src/job/windows/decide.ts';
import type { CampaignRecord, CountName, Reject } from '../../../src/model/records.ts';
import type { CurrentDay, CurrentRow, LoadCandidate } from '../../../src/model/window.ts';

const campaign = (callsetId: number, attempts: number | null): CampaignRecord => ({
  callsetId,
  campaign: 'x',
  attempts,
  busies: 0,
  connects: 0,
  liveAnswers: null,
  extra: {},
});
const rows = (...records: CampaignRecord[]): CurrentRow[] =>
  records.map((record) => ({ ...record, withdrawn: false }));
const current = (part: Partial<CurrentDay>): CurrentDay => ({
  state: 'loaded',
  heldHash: null,
  heldRunDate: null,
  rows: [],
  ...part,
});
const response = (records: CampaignRecord[], part: Partial<LoadCandidate> = {}): LoadCandidate => ({
  records,
  rejects: [],
  contentHash: contentHash(records),
  runDate: '2026-03-05',
  accepted: false,
  ...part,
});
const four = rows(campaign(1, 10), campaign(2, 20), campaign(3, 30), campaign(4, 40));

describe('a response is held that would', () => {
  it.each<[string, CampaignRecord[], string]>([
    [
      'empty the day',
      [],
      'it would empty a day of 4 campaigns: 0 campaigns instead of 4 campaigns, 100 attempts, 0 connects',
    ],
    [
      'drop over half of its rows',
      [campaign(1, 10)],
      'it lacks 3 of 4 campaigns: 1 campaign, 10 attempts, 0 connects instead of 4 campaigns, 100 attempts, 0 connects',
    ],
    [
      'turn all its counts to 0',
      [1, 2, 3, 4].map((id) => campaign(id, 0)),
      'it turns all counts to 0: 4 campaigns, 0 attempts, 0 connects instead of 4 campaigns, 100 attempts, 0 connects',
    ],
    [
      'turn all its counts to nothing',
      [1, 2, 3, 4].map((id) => campaign(id, null)),
      'it leaves attempts unreported for 4 of 4 campaigns: 4 campaigns, attempts not reported, 0 connects instead of 4 campaigns, 100 attempts, 0 connects',
    ],
  ])('%s, and it says so', (_, records, because) => {
    expect(decideLoad(current({ rows: four }), response(records))).toEqual({ decision: 'hold', because });
  });
});

describe('a response that leaves a count unreported', () => {
  const leaving = (...ids: readonly number[]) =>
    [1, 2, 3, 4].map((id) => campaign(id, ids.includes(id) ? null : id * 10));

  it('which most current rows report is held, and says which and of how many', () => {
    expect(decideLoad(current({ rows: four }), response(leaving(1, 2, 3)))).toEqual({
      decision: 'hold',
      because: expect.stringMatching(
        /^it leaves attempts unreported for 3 of 4 campaigns: 4 campaigns, 40 attempts, /,
      ),
    });
  });

  it('and drops the other campaigns that report it is held, though neither alone would be', () => {
    expect(decideLoad(current({ rows: four }), response(leaving(1, 2).slice(0, 2)))).toEqual({
      decision: 'hold',
      because: expect.stringMatching(
        /^it leaves attempts unreported for 2 of 4 campaigns: 2 campaigns, attempts not reported, /,
      ),
    });
  });

  it('of none of its campaigns is applied, though most of those that report it are dropped', () => {
    const before = leaving(4).map((each) => ({ ...each, withdrawn: false }));
    expect(decideLoad(current({ rows: before }), response(leaving(4).slice(2))).decision).toBe('apply');
  });

  it('which half of the current rows report is applied', () => {
    const before = leaving(3, 4).map((each) => ({ ...each, withdrawn: false }));
    const after = leaving(1, 2, 4).map((each) => ({ ...each, busies: 1 }));
    expect(decideLoad(current({ rows: before }), response(after)).decision).toBe('apply');
  });

  it('for half of the campaigns at most is applied', () => {
    expect(decideLoad(current({ rows: four }), response(leaving(1, 2))).decision).toBe('apply');
  });

  it('which few current rows report is applied', () => {
    const before = leaving(2, 3).map((each) => ({ ...each, withdrawn: false }));
    expect(decideLoad(current({ rows: before }), response(leaving(1, 2, 3))).decision).toBe('apply');
  });

  it('names it where most of its campaigns do', () => {
    expect(mostlyUnreported(leaving(1, 2, 3))).toEqual(['attempts', 'liveAnswers']);
    expect(mostlyUnreported(leaving(1, 2))).toEqual(['liveAnswers']);
    expect(mostlyUnreported([])).toEqual([]);
  });
});

describe('a response is applied that', () => {
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
    expect(decideLoad(before, response(records)).decision).toBe('apply');
  });
});

describe('a held response', () => {
  const heldHash = contentHash([]);
  it('is still held when the service returns it again on the same run date', () => {
    const before = current({ rows: four, heldHash, heldRunDate: '2026-03-05' });
    expect(decideLoad(before, response([])).decision).toBe('hold');
  });

  it('is applied when the service returns it again on a later run date', () => {
    const before = current({ rows: four, heldHash, heldRunDate: '2026-03-04' });
    expect(decideLoad(before, response([]))).toMatchObject({
      decision: 'apply',
      change: { withdrawn: [1, 2, 3, 4], restatements: { length: 4 } },
    });
  });

  it('is applied when somebody accepts it', () => {
    const before = current({ rows: four, heldHash, heldRunDate: '2026-03-05' });
    expect(decideLoad(before, response([], { accepted: true })).decision).toBe('apply');
  });

  it('is not applied in the place of another that would take as much away', () => {
    const before = current({ rows: four, heldHash, heldRunDate: '2026-03-04' });
    expect(decideLoad(before, response([campaign(1, 10)])).decision).toBe('hold');
    expect(decideLoad(before, response([campaign(1, 10)], { accepted: true })).decision).toBe('hold');
  });
});

describe('whatever is current', () => {
  const anyRows = fc.uniqueArray(
    fc.record({ id: fc.nat(9), attempts: fc.option(fc.nat(3)), withdrawn: fc.boolean() }),
    { selector: (row) => row.id },
  );

  it('the same response on two later run dates is applied on the second at the latest', () => {
    fc.assert(
      fc.property(anyRows, anyRows, (before, after) => {
        const records = after.map(({ id, attempts }) => campaign(id, attempts));
        const day = current({
          rows: before.map(({ id, attempts, withdrawn }) => ({ ...campaign(id, attempts), withdrawn })),
        });
        const first = decideLoad(day, response(records, { runDate: '2026-03-05' }));
        if (first.decision === 'apply') return;
        const held = { ...day, heldHash: contentHash(records), heldRunDate: '2026-03-05' };
        expect(decideLoad(held, response(records, { runDate: '2026-03-06' })).decision).toBe('apply');
      }),
    );
  });
});

describe('a record that can not be read', () => {
  const reject = (id: number | null) => ({ payload: '{}', reason: 'attempts: negative', id });

  it('is no empty response, though no other record is listed', () => {
    const rejects = [1, 2, 3, 4].map(reject);
    expect(decideLoad(current({ rows: four }), response([], { rejects }))).toMatchObject({
      decision: 'apply',
      change: { withdrawn: [], restatements: [] },
    });
  });

  it('may have calls: what is listed beside it may be zeros alone', () => {
    const zeros = [1, 2, 3].map((id) => campaign(id, 0));
    expect(decideLoad(current({ rows: four }), response(zeros, { rejects: [reject(4)] })).decision).toBe(
      'apply',
    );
  });
});

describe('a short day is one', () => {
  const loaded = rows(campaign(1, 10));
  const shortOf = (
    part: Partial<LoadCandidate & { notice: string; disagreeing: string[]; usual: CountName[] }>,
  ) => {
    const { records = [campaign(2, 20)], rejects = [], notice = null, disagreeing = [], usual = [] } = part;
    const envelope = { rows: records.length + rejects.length, counts: {}, notice };
    return isShort(
      loaded,
      { records, rejects, envelope, unreported: mostlyUnreported(records) },
      disagreeing,
      usual,
    );
  };
  const reject = (fields: object, id: number | null = null): Reject => ({
    id,
    payload: JSON.stringify(fields),
    reason: 'differs',
  });

  it.each<[string, Parameters<typeof shortOf>[0]]>([
    ['whose response announces more campaigns than it lists', { disagreeing: ['reports'] }],
    ['with an error beside its campaigns', { notice: 'half of it' }],
    ['that leaves out a count that the days before report', { usual: ['attempts', 'liveAnswers'] }],
    ['with a record that can not be read, of a campaign that is not loaded', { rejects: [reject({}, 3)] }],
    ['with a record whose campaign is not known', { rejects: [reject({ campaign: 'x', attempts: 10 })] }],
    [
      'with a long record, which is cut',
      { rejects: [{ id: null, payload: '{"campaign": "x', reason: 'long' }] },
    ],
  ])('%s', (_, part) => {
    expect(shortOf(part)).toBe(true);
  });

  const counts = { attempts: 10, busies: 0, connects: 0, liveanswers: null };
  it.each<[string, Parameters<typeof shortOf>[0]]>([
    ['with a text and no campaigns', { records: [], notice: 'closed' }],
    ['that leaves out a count that the days before leave out', { usual: ['attempts'] }],
    ['with a record that can not be read, of a campaign of this response', { rejects: [reject({}, 2)] }],
    ['with a record that can not be read, of a campaign that is loaded', { rejects: [reject({}, 1)] }],
    [
      'with a record of the same name and counts as a loaded one',
      { rejects: [reject({ campaign: 'x', ...counts })] },
    ],
  ])('is none %s', (_, part) => {
    expect(shortOf(part)).toBe(false);
  });
});
