import { expect, test } from 'vitest';
import {
  type AlertKind,
  countAlerts,
  countedLines,
  isUrgent,
  namesLine,
  toDoLine,
} from '../../src/model/alert.ts';

test('a line names five of what an alert hit, and three of what is to do, and counts or cuts only what is more', () => {
  const hit = (...names: readonly string[]) => namesLine({ noun: 'account', names });
  expect(hit('A', 'B', 'C', 'D', 'E')).toBe('5 accounts: A, B, C, D, E');
  expect(hit('A', 'B', 'C', 'D', 'E', 'F')).toBe('6 accounts: A, B, C, D, E and 1 more');
  const six = { noun: 'account', names: ['A', 'B', 'C', 'D', 'E', 'F'] } as const;
  expect(countedLines({ named: [six] })).toEqual([
    '6 accounts: A, B, C, D, E and 1 more (status --json has all)',
  ]);
  const toDo = inBrief('to do', 'a', 'b', 'c', 'd');
  const toCheck = inBrief('to check', 'e', 'f');
  const notes = inBrief('note', 'g');
  expect(toDoLine(toDo.slice(0, 3))).toBe('3 to do: a; b; c');
  expect(toDoLine([...toDo, ...toCheck, ...notes])).toBe('4 to do: a; b; c; …; 2 to check');
  expect(toDoLine([...toCheck, ...notes])).toBe('2 to check: e; f');
  expect(countAlerts([...toDo, ...toCheck, ...notes])).toBe('4 to do, 2 to check');
  expect(countAlerts(toCheck)).toBe('2 to check');
  expect(countAlerts(notes)).toBeNull();
});

test('status ends with 75 for what is to do, and for what is missing', () => {
  const urgent = (kind: AlertKind, severity: 'error' | 'warning') => isUrgent({ kind, severity });
  expect([urgent('to do', 'warning'), urgent('to check', 'error')]).toEqual([true, true]);
  expect([urgent('to check', 'warning'), urgent('note', 'error')]).toEqual([false, false]);
});

const inBrief = (kind: AlertKind, ...subjects: readonly string[]) =>
  subjects.map((subject) => ({ kind, subject }));
