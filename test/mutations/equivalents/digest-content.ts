import type { Equivalent } from '../equivalents.ts';

const file = 'src/digest/content/insight.ts';

export const inDigestContent: readonly Equivalent[] = [
  {
    file,
    line: 'up: byRate > 0,',
    becomes: 'up: byRate >= 0,',
    because: 'a rate that is said has moved by its bound at least, and 0 is below that',
  },
  {
    file,
    line: "return { moved: 'attempts', up: difference > 0, where: whereAttempts(figures, difference) };",
    becomes: "return { moved: 'attempts', up: difference >= 0, where: whereAttempts(figures, difference) };",
    because: 'attempts that are said differ by 20 at least',
  },
  {
    file,
    line: 'if (figures.accounts.length < 2) return [];',
    becomes: 'if (figures.accounts.length < 2) return ["Stryker was here"];',
    because: 'a text has no typical weekday, and what has none is left out by both callers',
  },
];
