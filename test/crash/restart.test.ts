import { it } from 'vitest';
import { restartAndHeal } from './restarting.ts';

it('a run whose Postgres is restarted ends with a line that reports it, and the next run completes it', async () => {
  await restartAndHeal(async () => (url) => url);
});
