import { expect, it } from 'vitest';
import { compareStory } from './compare-story.ts';
import { lives } from './lives.ts';

const slow = Object.entries(lives).filter(([name]) => name !== 'month-end');

it.concurrent.each(slow)('%s: tables and mails are what the truth lets expect', async (_, life) => {
  const { differences } = await compareStory(life);
  expect(differences).toEqual([]);
});
