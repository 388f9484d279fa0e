import { expect, it } from 'vitest';
import { stories } from '../../src/simulator/stories.ts';
import { liveNamed } from './live-story.ts';

it.concurrent.each(Object.keys(stories))(
  '%s: tables and mails are what the truth lets expect',
  async (name) => {
    expect(await liveNamed(name)).toEqual([]);
  },
);
