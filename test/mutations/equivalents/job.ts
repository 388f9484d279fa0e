import type { Equivalent } from '../equivalents.ts';

const order = 'return 0 or less for each pair as before, and a sort asks for nothing else';
const sortDays = '.sort((one, other) => Number(one.day < other.day) - Number(one.day > other.day));';

export const inJob: readonly Equivalent[] = [
  {
    file: 'src/job/windows/due.ts',
    line: sortDays,
    becomes: '.sort((one, other) => Number(false) - Number(one.day > other.day));',
    because: order,
  },
  {
    file: 'src/job/windows/due.ts',
    line: sortDays,
    becomes: '.sort((one, other) => Number(one.day <= other.day) - Number(one.day > other.day));',
    because: order,
  },
  {
    file: 'src/job/windows/due.ts',
    line: 'return daysBetween(first > earliest ? first : earliest, last);',
    becomes: 'return daysBetween(first >= earliest ? first : earliest, last);',
    because: 'of two equal days either is the first',
  },
  {
    file: 'src/job/windows/decide.ts',
    line: '(response.accepted || (current.heldRunDate !== null && current.heldRunDate < response.runDate));',
    becomes: '(response.accepted || (true && current.heldRunDate < response.runDate));',
    because: 'null is not below a text; the condition is there for its type',
  },
  {
    file: 'src/job/windows/compare.ts',
    line: 'rejects: readonly Reject[] = [],',
    becomes: 'rejects: readonly Reject[] = ["Stryker was here"],',
    because: 'a reject without an id, not even null, is no campaign’s',
  },
  {
    file: 'src/job/clients/walk-status.ts',
    line: 'if (walk.incompleteSince !== null && isOverdue(walk))',
    becomes: 'if (true && isOverdue(walk))',
    because:
      'a walk that is not complete has it set, and only such a one is overdue; it is there for its type',
  },
  {
    file: 'src/job/clients/walk-status.ts',
    line: "if (outcome !== 'changed') return outcome === 'incomplete';",
    becomes: "if (outcome !== 'changed') return true;",
    because:
      'after a complete walk, and before the first, `incompleteSince` is null, which is asked for first',
  },
  ...['true', 'acknowledged.size >= 0'].map((condition) => ({
    file: 'src/job/alerts/diagnose.ts',
    line: 'const dismissed = acknowledged.size > 0 && alert.affects.every((each) => acknowledged.has(each));',
    becomes: `const dismissed = ${condition} && alert.affects.every((each) => acknowledged.has(each));`,
    because: 'every alert affects something',
  })),
];
