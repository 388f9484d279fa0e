import { afterAll, describe, inject, it } from 'vitest';
import { killAndHeal, runUndisturbed } from '../crash/killing.ts';
import { startPgBouncer } from '../support/pgbouncer.ts';

const settings = { CONCURRENCY: '1' };
const pooler = await startPgBouncer(inject('postgresAdminUrl'));
afterAll(() => pooler.stop());
const undisturbed = await runUndisturbed(settings, pooler.url);

const { commits } = undisturbed;
/** Four of them, from the first to the last. */
const numbers = [0, 1, 2, 3].map((third) => 1 + Math.round((third * (commits.length - 1)) / 3));

describe.concurrent(`a run of ${commits.length} commits behind PgBouncer`, () => {
  it.each(numbers)('that is killed before commit %i is completed by one undisturbed run', async (before) => {
    await killAndHeal([{ before }], settings, undisturbed, pooler.url);
  });

  it.each(numbers)('that is killed after commit %i is completed by one undisturbed run', async (after) => {
    await killAndHeal([{ after }], settings, undisturbed, pooler.url);
  });
});
