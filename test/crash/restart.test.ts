import { it } from 'vitest';
import { restartAndHeal } from './restarting.ts';

it('a run whose Postgres is stopped and started again ends with a line that says so, and is healed', async () => {
  await restartAndHeal(async () => (url) => url);
});
