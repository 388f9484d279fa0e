import { describe, expect, it } from 'vitest';
import { type AlertCode, alertCodes } from '../../../src/job/alerts/conditions/catalogue.ts';
import { read } from '../../deploy/known.ts';

const headings = read('docs/operations.md').match(/^#{3,4} .*$/gm)!;
const lives = read('test/job/alerts/lives.txt').split(/^(?=# )/m);

describe.each(alertCodes)('%s', (code: AlertCode) => {
  it('has a section of its own in the guide', () => {
    expect(headings.filter((heading) => heading.split(/\W+/).includes(code))).toHaveLength(1);
  });

  it('begins and ends in one of the lives: add one to lives.slow.test.ts', () => {
    const lineOf = (words: string) => new RegExp(`^  (?:${words}) .*\\b${code}\\b`, 'm');
    const ended = lives.filter((life) => {
      const begun = life.search(lineOf('firing|shown'));
      return begun >= 0 && lineOf('resolved|gone').test(life.slice(begun));
    });
    expect(ended).not.toEqual([]);
  });
});
