import { describe, expect, it } from 'vitest';
import { generateDataset } from '../../src/simulator/dataset.ts';
import { withStory } from '../../src/simulator/story.ts';

const day = Temporal.PlainDate.from('2026-11-18');
const story = {
  corrected: { account: 'coast', day: '2026-11-18' },
  thinned: { account: 'north', day: '2026-11-18' },
};

describe('a story', () => {
  it('changes nothing until it begins, and then the days that it is about alone', () => {
    const plain = generateDataset();
    const { dataset, begin } = withStory(plain, story);
    const read = (account: string, from = day) => dataset.campaigns(account, from, day);
    expect(read('coast')).toEqual(plain.campaigns('coast', day, day));
    begin();
    expect(read('valley')).toEqual(plain.campaigns('valley', day, day));
    const range = day.subtract({ days: 1 });
    expect(read('north', range)).toEqual(plain.campaigns('north', range, day));
    const north = plain.campaigns('north', day, day);
    expect(read('north')).toEqual(north.slice(0, Math.floor(north.length / 3)));
    const changed = read('coast').filter((each, index) => {
      expect(each.busies + each.connects + each.noanswers).toBeLessThanOrEqual(each.attempts);
      return each.attempts > plain.campaigns('coast', day, day)[index]!.attempts;
    });
    expect(changed).toHaveLength(3);
  });
});
