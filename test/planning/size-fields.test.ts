import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addDays } from '../../src/model/day.ts';
import type { SizeField } from '../../src/model/walk.ts';
import { type CountedWalk, learnSizeFields } from '../../src/planning/size-fields.ts';
import { rounds } from '../support/rounds.ts';

type Night = Partial<Omit<CountedWalk, 'runDate'>> & { readonly night?: number };

/** The fields that are the list's size after complete walks, one a run date unless stated, and what was dropped. */
function learnt(walks: readonly Night[]) {
  let fields: readonly SizeField[] = [];
  const dropped: string[] = [];
  for (const [index, { night = index, ...walk }] of walks.entries()) {
    const runDate = addDays('2026-03-01', night);
    const step = learnSizeFields(fields, { counts: {}, pages: 7, ids: 620, ...walk, runDate });
    fields = step.fields;
    dropped.push(...step.dropped);
  }
  const known = fields.filter(({ droppedRunDate }) => droppedRunDate === null).map(({ field }) => field);
  return { known, dropped };
}

const agrees = { counts: { clients: 620, count: 20 } };
const disagrees = { counts: { clients: 500, count: 20 } };

describe('a count field', () => {
  it('is the size of the list once it equalled a walk of several pages', () => {
    expect(learnt([])).toEqual({ known: [], dropped: [] });
    expect(learnt([agrees])).toEqual({ known: ['clients'], dropped: [] });
    expect(learnt([{ counts: { clients: 20, count: 20 }, pages: 1, ids: 20 }]).known).toEqual([]);
  });

  it('is known beside others that were known before, each once', () => {
    const both = { counts: { clients: 620, results: 620 } };
    expect(learnt([agrees, both, both])).toEqual({ known: ['clients', 'results'], dropped: [] });
  });

  it('is dropped when it disagrees on two run dates, once, and does not come back', () => {
    expect(learnt([agrees, disagrees])).toEqual({ known: ['clients'], dropped: [] });
    expect(learnt([agrees, disagrees, disagrees])).toEqual({ known: [], dropped: ['clients'] });
    expect(learnt([agrees, disagrees, disagrees, disagrees, agrees])).toEqual({
      known: [],
      dropped: ['clients'],
    });
  });

  it('is not dropped by two walks of one run date, nor when it agrees in between', () => {
    expect(learnt([agrees, { ...disagrees, night: 1 }, { ...disagrees, night: 1 }]).dropped).toEqual([]);
    expect(learnt([agrees, disagrees, agrees, disagrees]).dropped).toEqual([]);
  });

  it('is dropped though walks of a single page agree in between: those prove nothing', () => {
    const single = { counts: { clients: 20 }, pages: 1, ids: 20 };
    expect(learnt([agrees, disagrees, single, disagrees]).dropped).toEqual(['clients']);
  });

  it('that the response no longer has stays as it is', () => {
    expect(learnt([agrees, disagrees, {}, {}])).toEqual({ known: ['clients'], dropped: [] });
  });

  it('whatever was counted: is known only after a proof, and dropped only after two disagreements', () => {
    const night = fc.record({
      counts: fc.dictionary(fc.constantFrom('clients', 'results', 'count'), fc.integer({ min: 1, max: 3 }), {
        noNullPrototype: true,
      }),
      pages: fc.integer({ min: 1, max: 3 }),
      ids: fc.integer({ min: 1, max: 3 }),
    });
    fc.assert(
      fc.property(fc.array(night, { maxLength: 8 }), (walks) => {
        const { known, dropped } = learnt(walks);
        for (const field of ['clients', 'results', 'count']) {
          const counted = walks.filter(({ counts }) => counts[field] !== undefined);
          const first = counted.findIndex(({ counts, pages, ids }) => pages > 1 && counts[field] === ids);
          const against = counted.slice(first + 1).filter(({ counts, ids }) => counts[field] !== ids);
          expect(known.includes(field) || dropped.includes(field)).toBe(first >= 0);
          if (dropped.includes(field)) expect(against.length).toBeGreaterThan(1);
          if (known.includes(field)) expect(dropped).not.toContain(field);
        }
        expect(new Set(dropped).size).toBe(dropped.length);
      }),
      { numRuns: rounds(1_000) },
    );
  });
});
