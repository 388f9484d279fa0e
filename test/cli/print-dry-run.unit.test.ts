import { expect, it } from 'vitest';
import { describeStep } from '../../src/cli/print-dry-run.ts';
import type { DryWindow } from '../../src/job/dry-run.ts';

it.each(['the service no longer lists campaigns of that day', '1 campaign instead of 3'])(
  'a dry run says why a response would be ignored: %s',
  (because) => {
    const window = { account: 'north', day: '2026-03-02' };
    const step = { step: 'window', window, outcome: 'ignore', because, rejects: 0 } as DryWindow;
    expect(describeStep(step)).toEqual([`2026-03-02 north: unchanged: ${because}`]);
  },
);
