import { expect, it } from 'vitest';
import { shared } from '../../src/server/read.ts';

it('concurrent callers share one result, and a later one gets a new result', async () => {
  let times = 0;
  const gates: (() => void)[] = [];
  const read = shared(async () => {
    await new Promise<void>((resolve) => gates.push(resolve));
    return ++times;
  });
  const together = [read(), read(), read()];
  gates[0]!();
  expect(await Promise.all(together)).toEqual([1, 1, 1]);
  const later = read();
  gates[1]!();
  expect(await later).toBe(2);
});

it('a failure is thrown to all concurrent callers, and not to a later one', async () => {
  let times = 0;
  const read = shared(async () => {
    if (++times === 1) throw new Error('the first fails');
    return times;
  });
  const results = await Promise.allSettled([read(), read()]);
  expect(results.map((result) => result.status)).toEqual(['rejected', 'rejected']);
  expect(await read()).toBe(2);
});
