import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { addDays } from '../../../src/model/day.ts';
import { inTransaction } from '../../../src/warehouse/db/transaction.ts';
import { compareClients, upsertClients } from '../../../src/warehouse/load/clients.ts';
import { openTestWarehouse } from '../../support/test-warehouse.ts';

const [day, nextDay] = ['2026-03-02', '2026-03-03'] as const;
const { addAccounts, warehouse } = await openTestWarehouse(1);
const accountId = (await addAccounts('north'))[0]!;

const client = (clientId: number, name: string, balance: string | null) => ({
  clientId,
  name,
  balance,
  checksum: '1',
  extra: {},
});
type Client = ReturnType<typeof client>;

/** Loads lists one after the other, in one transaction: they have the same timestamp. */
const load = (on: string, ...lists: readonly (readonly Client[])[]) =>
  inTransaction(warehouse, async (transaction) => {
    const changes = [];
    for (const list of lists) changes.push(await upsertClients(transaction, { accountId, day: on }, list));
    return changes;
  });

const past = async (table: string, column: string) => {
  const { rows } = await sql<{ line: string }>`
    select concat_ws(' ', client_id, ${sql.ref(column)}) as line from ${sql.table(table)} order by 1`.execute(
    warehouse,
  );
  return rows.map(({ line }) => line);
};

/** Each balance with its day, and the one before. */
async function balancesOf(clientId: number): Promise<string[]> {
  const { rows } = await sql<{ line: string }>`
    select concat_ws(' ', day, balance, previous_balance, previous_day) as line
    from warehouse.client_balances where client_id = ${clientId} order by day`.execute(warehouse);
  return rows.map(({ line }) => line);
}

it('counts clients that are new, changed or listed again, each once', async () => {
  const [ana, ben] = [client(1, 'Ana', '5.00'), client(2, 'Ben', '7.00')];
  expect(await compareClients(warehouse, null, [ana, ben])).toEqual({ appeared: 2, returned: 0, changed: 0 });
  expect(await load(day, [ana, ben])).toEqual([{ appeared: 2, returned: 0, changed: 0 }]);
  expect(await load(day, [ana, ben])).toEqual([{ appeared: 0, returned: 0, changed: 0 }]);
  await sql`update warehouse.clients set absent_at = now() where client_id = 2`.execute(warehouse);
  const later = [client(1, 'Ana & Co', '5.00'), client(2, 'Ben & Co', '7.00'), client(3, 'Cora', '1.00')];
  const counted = { appeared: 1, returned: 1, changed: 1 };
  expect(await compareClients(warehouse, accountId, later)).toEqual(counted);
  expect(await load(nextDay, later)).toEqual([counted]);
});

it('a client has a balance from the day on which the service reported one', async () => {
  await load(day, [client(7, 'Eva', null)]);
  expect(await balancesOf(7)).toEqual([]);
  await load(nextDay, [client(7, 'Eva', '3.00')]);
  expect(await balancesOf(7)).toEqual([`${nextDay} 3.00`]);
});

it('each balance lasts until the day of the next one, without gaps, also if it came back within a day', async () => {
  await load(day, [client(8, 'Finn', '5.00')]);
  await load(nextDay, [client(8, 'Finn', '7.00')], [client(8, 'Finn', '5.00')]);
  const later = addDays(nextDay, 2);
  await load(later, [client(8, 'Finn', '9.00')]);
  const { rows } = await sql<{ line: string }>`
    select concat_ws(' ', day, balance, coalesce(next_day::text, 'now')) as line
    from warehouse.client_balances where client_id = 8 order by day`.execute(warehouse);
  expect(rows.map(({ line }) => line)).toEqual([
    `${day} 5.00 ${nextDay}`,
    `${nextDay} 5.00 ${later}`,
    `${later} 9.00 now`,
  ]);
  expect(await balancesOf(8)).toContain(`${later} 9.00 5.00 ${nextDay}`);
});

it('of two changes within one timestamp or day, the later one replaces the earlier', async () => {
  const states = (...states: readonly [name: string, balance: string][]) =>
    states.map(([name, balance]) => [client(9, name, balance)]);
  await load(day, ...states(['Dan', '1.00'], ['Dana', '2.00']));
  expect(await past('etl.past_client_versions', 'name')).not.toContain('9 Dan');
  expect(await past('etl.past_client_balances', 'balance')).not.toContain('9 1.00');
  await load(nextDay, ...states(['Dora', '3.00'], ['Doro', '4.00']));
  const versions = (await past('etl.past_client_versions', 'name')).filter((line) => line.startsWith('9'));
  const balances = (await past('etl.past_client_balances', 'balance')).filter((line) => line.startsWith('9'));
  expect([versions, balances]).toEqual([['9 Dana'], ['9 2.00']]);
});

it('a client has each of its absences, and its cursor moves when it becomes absent, and when it returns', async () => {
  const [gia] = [client(19, 'Gia', null)];
  const read = async () => {
    const { rows } = await sql<{ updated: string; renamed: string | null; absences: string[] }>`
      select c.updated_at::text as updated, c.renamed_at::text as renamed, array(
          select concat_ws(' ', absent_at at time zone 'UTC', returned_at = c.updated_at)
          from warehouse.client_absences a where a.client_id = c.client_id order by absent_at) as absences
      from warehouse.clients c where client_id = 19`.execute(warehouse);
    return rows[0]!;
  };
  await load(day, [gia]);
  const first = await read();
  expect(first).toMatchObject({ renamed: null, absences: [] });
  await sql`update warehouse.clients set absent_at = '2026-03-01 06:30:00Z' where client_id = 19`.execute(
    warehouse,
  );
  expect((await read()).absences).toEqual(['2026-03-01 06:30:00']);
  await load(nextDay, [gia]);
  const back = await read();
  expect(back).toMatchObject({ renamed: null, absences: ['2026-03-01 06:30:00 t'] });
  expect(back.updated > first.updated).toBe(true);
});

it('a new name moves no balance, and a new balance no name', async () => {
  const read = async () => {
    const { rows } = await sql<{ since: string; renamed: string; isRenamedNow: boolean }>`
      select balance_first_day::text as since, renamed_at::text as renamed, renamed_at = updated_at as "isRenamedNow"
      from warehouse.clients where client_id = 29`.execute(warehouse);
    return rows[0]!;
  };
  await load(day, [client(29, 'Hal', '1.00')]);
  await load(nextDay, [client(29, 'Hal & Co', '1.00')]);
  const renamed = await read();
  expect(renamed).toMatchObject({ since: day, isRenamedNow: true });
  await load(nextDay, [client(29, 'Hal & Co', '2.00')]);
  expect(await read()).toEqual({ since: nextDay, renamed: renamed.renamed, isRenamedNow: false });
  expect(await past('etl.past_client_versions', 'name')).toContain('29 Hal');
});
