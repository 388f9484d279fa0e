import { expect, it } from 'vitest';
import { shared } from '../../src/server/read.ts';

it('those who ask at the same time share one answer, and who asks later gets a new one', async () => {
  let times = 0;
  const gates: (() => void)[] = [];
  const ask = shared(async () => {
    await new Promise<void>((resolve) => gates.push(resolve));
    return ++times;
  });
  const together = [ask(), ask(), ask()];
  gates[0]!();
  expect(await Promise.all(together)).toEqual([1, 1, 1]);
  const later = ask();
  gates[1]!();
  expect(await later).toBe(2);
});

it('a failure is told to all who share it, and not to who asks later', async () => {
  let times = 0;
  const ask = shared(async () => {
    if (++times === 1) throw new Error('the first fails');
    return times;
  });
  const results = await Promise.allSettled([ask(), ask()]);
  expect(results.map((result) => result.status)).toEqual(['rejected', 'rejected']);
  expect(await ask()).toBe(2);
});
