import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CampaignRecord } from '../../src/model/records.ts';
import type { CurrentDay, CurrentRow, LoadCandidate } from '../../src/model/window.ts';
import { contentHash } from '../../src/planning/content-hash.ts';
import { decideLoad } from '../../src/planning/decide-load.ts';

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
const answer = (records: CampaignRecord[], part: Partial<LoadCandidate> = {}): LoadCandidate => ({
  records,
  rejects: [],
  contentHash: contentHash(records),
  runDate: '2026-03-05',
  accepted: false,
  ...part,
});
const four = rows(campaign(1, 10), campaign(2, 20), campaign(3, 30), campaign(4, 40));

describe('an answer is held that would', () => {
  it.each<[string, CampaignRecord[]]>([
    ['empty the day', []],
    ['drop over half of its rows', [campaign(1, 10)]],
    ['turn all its counts to 0', [1, 2, 3, 4].map((id) => campaign(id, 0))],
    ['turn all its counts to nothing', [1, 2, 3, 4].map((id) => campaign(id, null))],
  ])('%s', (_, records) => {
    expect(decideLoad(current({ rows: four }), answer(records)).decision).toBe('hold');
  });
});

describe('an answer is applied that', () => {
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
    expect(decideLoad(before, answer(records)).decision).toBe('apply');
  });
});

describe('a held answer', () => {
  const heldHash = contentHash([]);
  it('is still held when it comes again in the same night', () => {
    const before = current({ rows: four, heldHash, heldRunDate: '2026-03-05' });
    expect(decideLoad(before, answer([])).decision).toBe('hold');
  });

  it('is applied when it comes again on a later night', () => {
    const before = current({ rows: four, heldHash, heldRunDate: '2026-03-04' });
    expect(decideLoad(before, answer([]))).toMatchObject({
      decision: 'apply',
      change: { withdrawn: [1, 2, 3, 4], restatements: { length: 4 } },
    });
  });

  it('is applied when somebody accepts it', () => {
    const before = current({ rows: four, heldHash, heldRunDate: '2026-03-05' });
    expect(decideLoad(before, answer([], { accepted: true })).decision).toBe('apply');
  });

  it('is not applied in the place of another that would take as much away', () => {
    const before = current({ rows: four, heldHash, heldRunDate: '2026-03-04' });
    expect(decideLoad(before, answer([campaign(1, 10)])).decision).toBe('hold');
    expect(decideLoad(before, answer([campaign(1, 10)], { accepted: true })).decision).toBe('hold');
  });
});

describe('whatever stands', () => {
  const anyRows = fc.uniqueArray(
    fc.record({ id: fc.nat(9), attempts: fc.option(fc.nat(3)), withdrawn: fc.boolean() }),
    { selector: (row) => row.id },
  );

  it('the same answer on two later nights is applied at the latest by the second', () => {
    fc.assert(
      fc.property(anyRows, anyRows, (before, after) => {
        const records = after.map(({ id, attempts }) => campaign(id, attempts));
        const day = current({
          rows: before.map(({ id, attempts, withdrawn }) => ({ ...campaign(id, attempts), withdrawn })),
        });
        const first = decideLoad(day, answer(records, { runDate: '2026-03-05' }));
        if (first.decision === 'apply') return;
        const held = { ...day, heldHash: contentHash(records), heldRunDate: '2026-03-05' };
        expect(decideLoad(held, answer(records, { runDate: '2026-03-06' })).decision).toBe('apply');
      }),
    );
  });
});

describe('a record that can not be read', () => {
  const reject = (id: number | null) => ({ payload: '{}', reason: 'attempts: negative', id });

  it('is listed all the same: what stood of its campaign stands', () => {
    const records = [campaign(1, 10), campaign(2, 20), campaign(3, 30)];
    expect(decideLoad(current({ rows: four }), answer(records, { rejects: [reject(4)] }))).toMatchObject({
      decision: 'apply',
      change: { withdrawn: [], restatements: [], unchanged: 3 },
    });
  });

  it('may be anybody’s where its id can not be read: then nothing is withdrawn', () => {
    expect(
      decideLoad(current({ rows: four }), answer([campaign(1, 10)], { rejects: [reject(null)] })),
    ).toMatchObject({
      decision: 'apply',
      change: { withdrawn: [], unchanged: 1 },
    });
  });
});
