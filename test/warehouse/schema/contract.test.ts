import { afterAll, beforeAll, expect, it } from 'vitest';
import { runNight } from '../../support/nights.ts';
import { openWorld, type World } from '../../support/world.ts';

const rates = `connect_rate live_answer_rate busy_rate connect_rate_connects connect_rate_attempts
  live_answer_rate_live_answers live_answer_rate_attempts busy_rate_busies busy_rate_attempts`;
const sums = `listed_campaigns active_campaigns attempts_unreported_campaigns attempts busies connects live_answers ${rates}`;
const states = `provisional provisional_code provisional_reason first_loaded_at confirmed_at synced_at updated_at`;

/** What dashboards hang on: the relations of `warehouse`, each with its columns in order. */
const contract = {
  accounts: `account_id name label time_zone first_expected_day last_expected_day clients_walked_at listed_by_account_id
    listed_client_id`,
  clients: `account_id client_id name checksum balance extra first_seen_at renamed_at balance_first_day updated_at absent_at`,
  client_versions: 'account_id client_id name valid_from valid_to updated_at',
  client_balances: 'account_id client_id day balance previous_balance previous_day next_day updated_at',
  client_absences: 'account_id client_id absent_at returned_at updated_at',
  client_days: 'account_id account client_id name day balance',
  campaigns: 'account_id callset_id name first_day last_day is_start_known updated_at',
  campaign_days: `account_id account listed_by_account_id listed_client_id client day callset_id campaign
    attempts busies connects live_answers connect_rate live_answer_rate busy_rate provisional restated_at updated_at extra`,
  campaign_day_restatements: `account_id day callset_id restated_at reason campaign_before attempts_before busies_before
    connects_before live_answers_before extra_before loaded_at`,
  restated_days: `account_id account day restated_at changed_campaigns attempts_before attempts_after connects_before
    connects_after mailed`,
  account_days: `account_id account day ${sums} ${states} label`,
  account_performance: `account_id account label time_zone day ${sums} ${states}
    typical_attempts typical_connect_rate attempts_change_ratio connect_rate_change_points`,
  freshness: 'account_id account complete_through_day last_synced_at open_days',
  coverage: `account_id account day state held settling restated dismissed synced_at reason_code reason listed announced`,
  mails: 'mail_id digest period built_at subject recipients delivered updated_at',
  mailed_periods: `mail_id digest period first_day last_day account_id account state missing_days is_first attempts connects
    connect_rate_connects connect_rate_attempts`,
  deliveries: `delivery_id mail_id recipient message_id delivery_state delivery_attempts reply updated_at`,
  runs: `run_id kind command run_date scheduled_at number started_at finished_at outcome exit_code days_synced days_new
    days_provisional days_held days_failed campaigns_restated mails_sent first_error_code first_error first_error_account
    errors updated_at`,
} as const;

let world: World;
beforeAll(async () => {
  world = await openWorld();
  for (const night of ['2026-03-03', '2026-03-04']) await runNight(world, night);
});
afterAll(() => world.close());

type Column = { readonly relation: string; readonly column: string; readonly type: string };

const readColumns = () =>
  world.query<Column>(
    `select table_name as relation, column_name as column, data_type as type
     from information_schema.columns where table_schema = 'warehouse' order by table_name, ordinal_position`,
  );

it('every relation of the contract is there, with its columns first and in order', async () => {
  const byRelation = Map.groupBy(await readColumns(), ({ relation }) => relation);
  for (const [relation, columns] of Object.entries(contract)) {
    const names = columns.split(/\s+/);
    const found = byRelation.get(relation)?.map(({ column }) => column);
    expect(found?.slice(0, names.length), relation).toEqual(names);
  }
});

it('a name says what a column is: a day, an instant, a number of rows, a sum, money', async () => {
  const dates = /^(day|run_date|.*_day)$/;
  const instants = /^(valid_from|valid_to|.*_at)$/;
  const counts = /^(attempts|busies|connects|live_answers)$/;
  const ids = /^(client|callset|run|listed_client)_id$/;
  const columns = (await readColumns()).filter(({ relation }) => relation in contract);
  for (const { relation, column, type } of columns) {
    const place = `${relation}.${column}`;
    expect([place, type === 'date']).toEqual([place, dates.test(column)]);
    expect([place, type === 'timestamp with time zone']).toEqual([place, instants.test(column)]);
    if (ids.test(column)) expect([place, type]).toEqual([place, 'bigint']);
    if (/balance$/.test(column)) expect([place, type]).toEqual([place, 'numeric']);
    if (counts.test(column))
      expect([place, type]).toEqual([place, relation === 'campaign_days' ? 'bigint' : 'numeric']);
  }
});

it('a column that ends in _id, or day, means the same wherever it is: a join by all that two relations share is right', async () => {
  /** Where each key is unique, with the other columns of that key. */
  const homes = {
    account_id: ['accounts', 'account_id'],
    client_id: ['clients', 'account_id, client_id'],
    callset_id: ['campaigns', 'account_id, callset_id'],
    run_id: ['runs', 'run_id'],
    mail_id: ['mails', 'mail_id'],
    delivery_id: ['deliveries', 'delivery_id'],
    message_id: ['deliveries', 'message_id'],
    // Figures belong to a loaded day; a balance may be of today.
    day: ['account_days', 'account_id, day'],
  } as const;
  const columns = (await readColumns()).filter(({ relation }) => relation in contract);
  const shared = Map.groupBy(
    columns.filter(({ column }) => column === 'day' || column.endsWith('_id')),
    ({ column }) => column,
  );
  for (const [column, places] of shared) {
    if (!(column in homes)) {
      // Those who share it have it from the same row of accounts.
      expect([column, places.map(({ relation }) => relation)]).toEqual([
        column,
        ['accounts', 'campaign_days'],
      ]);
      continue;
    }
    const [home, key] = homes[column as keyof typeof homes];
    for (const { relation } of places) {
      if (column === 'day' && (relation === 'coverage' || relation.startsWith('client_'))) continue;
      const rows = await world.query(
        `select ${key} from warehouse.${relation} except select ${key} from warehouse.${home} limit 1`,
      );
      expect([relation, rows]).toEqual([relation, []]);
    }
  }
  const rows = await world.query(`
    select from warehouse.campaign_days d join warehouse.accounts a using (account_id)
    where (d.listed_by_account_id, d.listed_client_id) is distinct from (a.listed_by_account_id, a.listed_client_id)`);
  expect(rows).toEqual([]);
  const filled = await world.query(`
    select from warehouse.campaign_days d join warehouse.campaigns c using (account_id, callset_id)
    join warehouse.account_days s using (account_id, day) join warehouse.clients l using (account_id) limit 1`);
  expect(filled).toHaveLength(1);
});

it('messages can be counted: those of a mail are its recipients, and those that arrived are delivered', async () => {
  const rows = await world.query(`
    select m.mail_id from warehouse.mails m left join warehouse.deliveries d using (mail_id)
    group by m.mail_id, m.recipients, m.delivered
    having (m.recipients, m.delivered) is distinct from
      (count(d.delivery_id), count(*) filter (where d.delivery_state in ('sent', 'written')))`);
  expect(rows).toEqual([]);
  const counted = await world.query(
    'select sum(recipients)::integer as recipients, sum(delivered)::integer as delivered from warehouse.mails',
  );
  expect(counted).toEqual([{ recipients: 2, delivered: 2 }]);
});
