import { describe, expect, test } from 'vitest';
import { missingOf } from './samples.ts';

const printed = `\u001B[2KLoading
\u001B[2K━━──   9%   10 of 105 windows · 40 a second\u001B[2K━━━━ 100%  105 of 105 windows
Loaded 2026-11-21: 3 campaigns

  file:///tmp/one/.callsheet/demo/mail.html
Done
`;

describe('a sample of output', () => {
  test.each([
    [
      'a day, a number and the folder of a link are other ones',
      'Loaded 2025-01-02: 12 campaigns\n\nfile:///home/ana/.callsheet/demo/mail.html\n',
    ],
    ['a progress line was drawn at some time', '━───  34%   36 of 1,105 windows · 1 failed · 7 s left\n'],
    ['lines are left out by a line …', 'Loading\n…\nDone\n'],
    ['a text is left out by …', 'Loaded …: 3 …\n'],
  ])('is printed where %s', (_, sample) => {
    expect(missingOf(sample, printed)).toEqual([]);
  });

  test.each([
    ['a line is another one', 'Loaded 2026-11-21: 3 clients\n', 'Loaded N: N clients'],
    ['lines are in another order', 'Done\n…\nLoading\n', 'Loading'],
    ['a line between is missing', 'Loading\nDone\n', 'Done'],
  ])('is not printed where %s', (_, sample, missing) => {
    expect(missingOf(sample, printed)).toEqual([missing]);
  });
});
