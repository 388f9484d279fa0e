import { expect, it } from 'vitest';
import { liveNamed } from './live-story.ts';
import { type Deviation, today } from './oracle.ts';

/** The story that meets each deviation, and the night on which it shows. */
const shown: Readonly<Record<Deviation, readonly [story: string, night: string, of: string]>> = {
  'weeks and months are not corrected': ['month-end', '2026-04-02', 'mails'],
};

it.each(Object.entries(shown))('%s: a story shows it', async (deviation, [story, night, of]) => {
  const others = new Set([...today].filter((other) => other !== deviation));
  const [difference] = await liveNamed(story, others);
  expect(difference).toMatchObject({ night, of });
});
