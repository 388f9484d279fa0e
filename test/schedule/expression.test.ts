import { expect, it } from 'vitest';
import { scheduleWarning } from '../../src/schedule/expression.ts';

it.each(['30 6 1 * 1', '30 6 */2 * mon-fri', '0 30 6 L * 5L'])(
  'a schedule of %s is warned of: both of its days must match',
  (expression) => {
    expect(scheduleWarning(expression)).toMatch(
      new RegExp(`SCHEDULE "${RegExp.escape(expression)}" .* it runs on days that match both`),
    );
  },
);

it.each(['30 6 1 * *', '30 6 * * 1', '30 6 ? * 1', '30 6 1-31 * 0-6', '@weekly'])(
  'a schedule of %s is not: one of its days is any',
  (expression) => {
    expect(scheduleWarning(expression)).toBeNull();
  },
);
