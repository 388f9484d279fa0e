import { expect, it } from 'vitest';
import { readStatus } from '../../../src/cli/commands/status.ts';
import { accountsNeedingAttention, describeStatus } from '../../../src/cli/print-status.ts';
import { errorResponse } from '../../../src/simulator/service.ts';
import { asText, isOfMany, type Life, lookNow, type Open, on, readLives, written } from './life.ts';

/* The last section of lives.txt: it takes minutes. */

const twoThousand = Array.from(
  { length: 2_000 },
  (_, index) => `office-${String(index + 1).padStart(4, '0')}`,
);

/** Records the accounts in `status`, and how many `--json` lists. */
async function statusOfAll(life: Life): Promise<void> {
  await life.look(async (app) => {
    const status = await readStatus(app);
    const text = describeStatus(status, 100).split('\n');
    const from = text.indexOf('Accounts');
    for (const line of text.slice(from, text.indexOf('', from))) life.log(line);
    life.log(`status --json lists ${accountsNeedingAttention(status).length} of them`);
  });
}

const title =
  'two thousand accounts: 400 tokens are refused on one day, all on the next; then 31 days of each are provisional';

it(title, async () => {
  const text = await written(async (open: Open) => {
    const life = await open(twoThousand, { history: 0, settings: { LOOKBACK_DAYS: '1' } });
    life.wrong.respond = ({ account }) =>
      Number(account.slice(-4)) <= 400 ? errorResponse(401, 'expired') : null;
    await life.night(on(0));
    life.wrong.respond = () => errorResponse(401, 'expired');
    await life.night(on(1));
    await statusOfAll(life);
    life.mend();
    await life.night(on(2));
    await statusOfAll(life);
    life.log('now 31 days of each are provisional');
    await life.world.query('update warehouse.accounts set first_expected_day = $1::date - 30', [on(1)]);
    await life.world.query('update etl.complete_through set complete_through_day = $1::date - 31', [on(1)]);
    await life.world.query(
      `insert into etl.windows (account_id, day, state, fetched_at, synced_run_date, anomalies, provisional_reason)
       select account_id, $1::date - n, 'provisional', now(), $1::date, $2::jsonb, 'announced'
       from warehouse.accounts, generate_series(0, 30) n
       on conflict (account_id, day) do update
       set state = 'provisional', anomalies = excluded.anomalies, provisional_reason = excluded.provisional_reason`,
      [
        on(1),
        JSON.stringify([
          { code: 'announced', field: 'campaigns', announced: 9, listed: 4, confirmedBy: null },
        ]),
      ],
    );
    await life.doAt(`${on(2)}T09:00:00Z`, 'schedule looks', lookNow);
    await statusOfAll(life);
    await life.world.query(`update etl.windows set state = 'loaded', anomalies = '[]'`);
    await life.doAt(`${on(2)}T11:00:00Z`, 'all are confirmed; schedule looks', lookNow);
    return life;
  });
  const others = (await readLives()).filter(([other]) => !isOfMany(other));
  await expect(asText([...others, [title, text]])).toMatchFileSnapshot('lives.txt');
});
