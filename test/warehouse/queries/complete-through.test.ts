import fc from 'fast-check';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { addDays, type Day, daysBetween } from '../../../src/model/day.ts';
import { lowerFirstDay, moveCompleteThrough } from '../../../src/warehouse/ledger/accounts.ts';
import { readAccountDays } from '../../../src/warehouse/queries/account-days.ts';
import { openTestWarehouse } from '../../support/test-warehouse.ts';

const { addAccounts, warehouse } = await openTestWarehouse();
const accountId = (await addAccounts('north'))[0]!;
const now = Temporal.Now.instant();
const last = addDays(Temporal.Now.plainDateISO('UTC').toString(), -1);

/** A day is loaded, fails or is expected from now on, or a run ends. */
const step = fc.oneof(
  fc.record({ ago: fc.nat(4), state: fc.constantFrom('loaded' as const, 'failed' as const) }),
  fc.record({ ago: fc.nat(4), since: fc.constant(true) }),
  fc.constant({ ended: true }),
);

async function load(day: Day, state: 'loaded' | 'failed') {
  await sql`insert into etl.windows (account_id, day, state) values (${accountId}, ${day}, ${state})
    on conflict (account_id, day) do update set state = excluded.state where etl.windows.state <> 'loaded'`.execute(
    warehouse,
  );
}

it('an account is complete through the day before its first open one, whichever runs ended meanwhile', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: 30, size: 'max' }),
      fc.integer({ min: 1, max: 5 }),
      async (steps, reach) => {
        await sql`delete from etl.windows`.execute(warehouse);
        await warehouse.updateTable('warehouse.accounts').set({ first_expected_day: null }).execute();
        await warehouse.deleteFrom('etl.complete_through').execute();
        const loaded = new Set<Day>();
        let since = null as Day | null;
        for (const each of steps) {
          if ('ended' in each) {
            await moveCompleteThrough(warehouse);
            continue;
          }
          const day = addDays(last, -each.ago);
          if ('since' in each) {
            since = since === null || day < since ? day : since;
            await lowerFirstDay(warehouse, [accountId], day);
          } else {
            if (each.state === 'loaded') loaded.add(day);
            await load(day, each.state);
          }
        }
        const expected = since === null ? [] : daysBetween(since, last);
        const firstOpen = expected.find((day) => !loaded.has(day));
        const through = since === null ? null : firstOpen === undefined ? last : addDays(firstOpen, -1);
        const [account] = await readAccountDays(warehouse, now, reach);
        expect(account!.completeThrough).toBe(through !== null && through < since! ? null : through);
        const { open } = await warehouse
          .selectFrom('warehouse.freshness')
          .select('open_days as open')
          .executeTakeFirstOrThrow();
        expect(open).toBe(expected.filter((day) => !loaded.has(day)).length);
        expect(account!.days.filter(({ state }) => state !== 'loaded').map(({ day }) => day)).toEqual(
          expected.filter((day) => !loaded.has(day) && day > addDays(last, -reach)),
        );
      },
    ),
    { numRuns: 60 },
  );
});
