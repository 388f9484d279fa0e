import { expect, it } from 'vitest';
import { compareStory } from './compare-story.ts';
import { newLives } from './lives.ts';

it.concurrent.each(Object.entries(newLives))(
  '%s: tables and mails are what the truth lets expect',
  async (_, life) => {
    const { differences } = await compareStory(life);
    expect(differences).toEqual([]);
  },
);
