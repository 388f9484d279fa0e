import { expect, test } from 'vitest';
import { countedLines, namesLine, toDoLine } from '../../src/model/alert.ts';

test('a line names five of what an alert hit, and three of what is to do, and counts or cuts only what is more', () => {
  const hit = (...names: readonly string[]) => namesLine({ noun: 'account', names });
  expect(hit('A', 'B', 'C', 'D', 'E')).toBe('5 accounts: A, B, C, D, E');
  expect(hit('A', 'B', 'C', 'D', 'E', 'F')).toBe('6 accounts: A, B, C, D, E and 1 more');
  const six = { noun: 'account', names: ['A', 'B', 'C', 'D', 'E', 'F'] } as const;
  expect(countedLines({ named: [six] })).toEqual([
    '6 accounts: A, B, C, D, E and 1 more (status --json has all)',
  ]);
  expect(toDoLine(['a', 'b', 'c'])).toBe('3 to do: a; b; c');
  expect(toDoLine(['a', 'b', 'c', 'd'])).toBe('4 to do: a; b; c; …');
});
