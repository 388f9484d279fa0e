import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareStory } from './compare-story.ts';
import { history } from './random-histories.ts';

// A history takes some seconds: a failing one is reported as it was drawn, with its seed.
const numRuns = 6;

describe.concurrent('after each night of histories at random, tables and mails are what the truth lets expect', () => {
  it.each(['first', 'second', 'third', 'fourth'])('in the %s of four lives at once', async () => {
    await fc.assert(
      fc.asyncProperty(history, async (life) => {
        const { differences } = await compareStory(life);
        expect(differences).toEqual([]);
      }),
      { numRuns, endOnFailure: true },
    );
  });
});
