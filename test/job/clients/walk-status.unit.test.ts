import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { walkConcerns } from '../../../src/job/clients/walk-status.ts';
import { addDays, type Day } from '../../../src/model/day.ts';
import type { WalkState, WalkVerdict } from '../../../src/model/walk.ts';
import { rounds } from '../../support/rounds.ts';

const firstRunDate = '2026-03-01';

/** A walk of a run date; how many clients a complete one missed, where they are over half. */
type PastWalk = { readonly runDate: Day; readonly verdict: WalkVerdict; readonly missing: number };

/** What the warehouse knows after these walks, in the plainest words. */
function stateAfter(walks: readonly PastWalk[]): WalkState {
  const last = walks.at(-1);
  const lastComplete = walks.findLastIndex(({ verdict }) => verdict === 'complete');
  const complete = walks[lastComplete];
  const believed = walks.findLastIndex(({ verdict, missing }) => verdict === 'complete' && missing === 0);
  const missing = complete?.missing ?? 0;
  const firstImplausible = walks.slice(believed + 1).find((walk) => walk.missing > 0);
  return {
    verdict: last?.verdict ?? null,
    runDate: last?.runDate ?? null,
    reason: last === undefined || last.verdict === 'complete' ? null : 'the reason',
    errorCode: null,
    completeAt: complete ? `${complete.runDate} 06:30:00+00` : null,
    completeRunDate: complete?.runDate ?? null,
    incompleteSince: walks[lastComplete + 1]?.runDate ?? null,
    implausibleMissing: missing,
    implausibleSince: missing > 0 ? firstImplausible!.runDate : null,
  };
}

/** One walk a run date, in short: c(omplete), x changed, i(ncomplete), m: complete with over half missing. */
function nights(story: string): PastWalk[] {
  const verdicts: Record<string, WalkVerdict> = {
    c: 'complete',
    m: 'complete',
    x: 'changed',
    i: 'incomplete',
  };
  return [...story].map((letter, index) => ({
    runDate: addDays(firstRunDate, index),
    verdict: verdicts[letter]!,
    missing: letter === 'm' ? 10 : 0,
  }));
}

const concernsAfter = (story: string) =>
  walkConcerns(stateAfter(nights(story))).map(({ kind, since }) => `${kind} since ${since.slice(8)}`);

describe('a client list', () => {
  it.each([
    ['', []],
    ['c', []],
    ['ci', ['incomplete since 02']],
    ['cii', ['incomplete since 02']],
    ['cic', []],
    ['i', ['incomplete since 01']],
    // A list that keeps changing: seven run dates after the last complete walk, or after the first of all.
    ['cxxxxxx', []],
    ['cxxxxxxx', ['incomplete since 02']],
    ['cxxxxxxxc', []],
    ['xxxxxxx', []],
    ['xxxxxxxx', ['incomplete since 01']],
    // The last walk counts: one that failed heals with one that fetched every page.
    ['cix', []],
    ['cxi', ['incomplete since 02']],
    // Over half is missing until a complete walk has them again.
    ['cm', ['implausible since 02']],
    ['cmmx', ['implausible since 02']],
    ['cmi', ['incomplete since 03', 'implausible since 02']],
    ['cmc', []],
    ['cmcm', ['implausible since 04']],
  ])('walked %j has the concerns %j', (story, expected) => {
    expect(concernsAfter(story)).toEqual(expected);
  });

  it('whatever its walks were: a complete one ends every concern but the missing, and an incomplete one is always one', () => {
    const story = fc.string({ unit: fc.constantFrom('c', 'x', 'i', 'm'), minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(story, (walked) => {
        const concerns = walkConcerns(stateAfter(nights(walked)));
        const kinds = concerns.map(({ kind }) => kind);
        const last = walked.at(-1)!;
        const lastComplete = [...walked].findLastIndex((letter) => letter === 'c' || letter === 'm');
        expect(kinds.includes('implausible')).toBe(walked[lastComplete] === 'm');
        if (last === 'c' || last === 'm') expect(kinds).not.toContain('incomplete');
        if (last === 'i') expect(kinds).toContain('incomplete');
        const age = walked.length - 1 - Math.max(0, lastComplete);
        if (last === 'x') expect(kinds.includes('incomplete')).toBe(age >= 7);
        // Never later than the walk, and never before the last complete one.
        for (const { kind, since } of concerns) {
          expect(since <= addDays(firstRunDate, walked.length - 1)).toBe(true);
          if (kind === 'incomplete') expect(since).toBe(addDays(firstRunDate, lastComplete + 1));
        }
      }),
      { numRuns: rounds(1_000) },
    );
  });
});
