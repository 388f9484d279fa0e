import fc from 'fast-check';
import { expect, it } from 'vitest';
import { rounds } from '../support/rounds.ts';
import { liveStory } from './live-story.ts';
import { today } from './oracle.ts';
import { history } from './random-histories.ts';

// However busy the machine: a history takes some seconds, and a failing one is tried in many shorter forms.
const timeout = 3_600_000;

it('after each night of histories at random, tables and mails are what the truth lets expect', {
  timeout,
}, async () => {
  await fc.assert(
    fc.asyncProperty(history, async ({ story, deeds }) => {
      expect(await liveStory(story, '2026-03-09', today, deeds)).toEqual([]);
    }),
    { numRuns: rounds(100, 10) },
  );
});
