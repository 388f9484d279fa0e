import { expect, it } from 'vitest';
import { describeStep } from '../../src/cli/print-dry-run.ts';
import type { DryWindow } from '../../src/job/dry-run.ts';

it('a dry run says why a response would be ignored', () => {
  const window = { account: 'north', day: '2026-03-02' };
  const because = '1 campaign instead of 3';
  const step = { step: 'window', window, outcome: 'ignore', because, rejects: 0 } as DryWindow;
  expect(describeStep(step)).toEqual([`2026-03-02 north: unchanged: ${because}`]);
});
