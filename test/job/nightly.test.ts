import { parse } from 'csv-parse/sync';
import PostalMime from 'postal-mime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { generateDataset } from '../../src/simulator/dataset.ts';
import { callsheet } from '../support/callsheet.ts';
import { startSmtpServer, type TestSmtpServer } from '../support/smtp-server.ts';
import { mailsLongAgo, openWorld, type World } from '../support/world.ts';

const dataset = generateDataset();
const days = ['2026-03-09', '2026-03-10'];
const accounts = dataset.accounts.map((account) => account.name);

let world: World;
let smtp: TestSmtpServer;
let environment: World['environment'];

beforeAll(async () => {
  world = await openWorld();
  smtp = await startSmtpServer();
  environment = {
    ...world.environment,
    PAGE_LIMIT: '37',
    ...(await mailsLongAgo(world)),
    SMTP_URL: smtp.url,
    DIGEST_FROM: 'Callsheet <callsheet@example.com>',
    DIGEST_TO: 'ana@example.com,ben@example.com',
  };
});
afterAll(async () => {
  await smtp.close();
  await world.close();
});

const run = () => callsheet(['run', '--from', days[0]!, '--to', days[1]!], environment);

/** Every row of `warehouse` with the transaction that wrote it: equal only if nothing was written again. */
/** Every row of the warehouse, but for accounts: each complete walk moves `clients_walked_at`. */
async function writtenRows() {
  const tables = await world.query<{ name: string }>(
    `select table_name as name from information_schema.tables where table_schema = 'warehouse' and table_type = 'BASE TABLE' and table_name <> 'accounts' order by 1`,
  );
  const rows = [];
  for (const { name } of tables) {
    rows.push(
      ...(await world.query(
        `select '${name}' as name, xmin::text, t::text as row from warehouse.${name} t order by row`,
      )),
    );
  }
  return rows;
}

describe('a nightly run over three accounts and two days', () => {
  it('ends with 0, prints nothing on stdout and never writes a token', async () => {
    const { code, stdout, stderr } = await run();
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    for (const { token } of dataset.accounts) expect(stderr).not.toContain(token);
  });

  it('has every client of every page, exactly as the service returns them', async () => {
    const rows = await world.query(
      `select a.name as account, c.client_id::int as id, c.name, checksum, balance::text as balance, extra
       from warehouse.clients c join warehouse.accounts a using (account_id) order by a.name, c.client_id`,
    );
    const expected = accounts.toSorted().flatMap((account) =>
      [...dataset.clients(account)]
        .sort((one, other) => one.clientid - other.clientid)
        .map(({ clientid, clientname, checksum, balance }) => ({
          account,
          id: clientid,
          name: clientname,
          checksum,
          balance,
          extra: {},
        })),
    );
    expect(rows).toEqual(expected);
    expect(rows).toHaveLength(1200);
  });

  it('has the campaigns of each day, exactly as the service returns them', async () => {
    const rows = await world.query(
      `select a.name as account, day::text, callset_id::int as callsetid, campaign, attempts::int, busies::int,
         connects::int, live_answers::int as liveanswers, extra
       from etl.campaign_days join warehouse.accounts a using (account_id) order by a.name, day, callset_id`,
    );
    const expected = accounts.toSorted().flatMap((account) =>
      days.flatMap((day) =>
        [...dataset.campaigns(account, Temporal.PlainDate.from(day), Temporal.PlainDate.from(day))]
          .sort((one, other) => one.callsetid - other.callsetid)
          .map(({ callsetid, campaign, attempts, busies, connects, liveanswers, ...extra }) => ({
            account,
            day,
            callsetid,
            campaign,
            attempts,
            busies,
            connects,
            liveanswers,
            extra,
          })),
      ),
    );
    expect(rows).toEqual(expected);
    expect(rows.length).toBeGreaterThan(50);
  });

  it('has sums that agree with the rows, and a ledger that agrees with both', async () => {
    const disagreeing = await world.query(
      `select * from warehouse.account_days s
       full join (select account_id, day, count(*) as campaigns, sum(attempts) as attempts, sum(connects) as connects
                  from etl.campaign_days group by 1, 2) d using (account_id, day)
       full join etl.windows w using (account_id, day)
       where (s.campaigns, s.attempts, s.connects) is distinct from (d.campaigns, d.attempts, d.connects)
          or w.state is distinct from 'loaded' or s.provisional`,
    );
    expect(disagreeing).toEqual([]);
    expect(await world.query('select 1 from etl.windows')).toHaveLength(6);
  });

  it('mails each recipient one message over STARTTLS, with both days in a CSV that is the warehouse', async () => {
    expect(smtp.received.map((mail) => mail.to)).toEqual([['ana@example.com'], ['ben@example.com']]);
    expect(smtp.received.every((mail) => mail.secure && mail.from === 'callsheet@example.com')).toBe(true);
    const mail = await PostalMime.parse(smtp.received[0]!.raw);
    expect(mail.subject).toMatch(/^Campaigns, Tue 10 Mar: [\d.]+% connected.*, [\d,]+ attempts$/);
    expect(mail.to).toEqual([{ name: '', address: 'ana@example.com' }]);
    const attachment = mail.attachments.at(-1)!;
    expect(attachment.filename).toBe('campaigns-2026-03-10.csv');
    const cells = parse(Buffer.from(attachment.content as ArrayBuffer), { bom: true, columns: true });
    const rows = await world.query(
      `select a.name as account, a.label as account_label, day::text, callset_id::text,
         case when campaign ~ '^\\s*[=+@-]' then '''' else '' end || campaign as campaign,
         attempts::text, busies::text, connects::text, live_answers::text,
         round(connects::numeric / attempts, 4)::float8 as connect_rate,
         round(live_answers::numeric / attempts, 4)::float8 as live_answer_rate, 'loaded' as status
       from etl.campaign_days join warehouse.accounts a using (account_id)
       where day in ('2026-03-09', '2026-03-10') order by day, array_position($1, a.name), callset_id`,
      [accounts],
    );
    const numbered = (cells as unknown as Record<string, string>[]).map((row) => ({
      ...row,
      connect_rate: Number(row.connect_rate),
      live_answer_rate: Number(row.live_answer_rate),
    }));
    expect(numbered).toEqual(rows);
  });

  it('writes no row again and sends no mail again when the same days are run again', async () => {
    const before = await writtenRows();
    const ids = smtp.received.length;
    expect((await run()).code).toBe(0);
    expect(await writtenRows()).toEqual(before);
    expect(smtp.received).toHaveLength(ids);
  });

  it('shows a changed figure as a restatement instead of overwriting it in silence', async () => {
    const [row] = await world.query<{ account_id: number; callset_id: string }>(
      `update etl.campaign_days set attempts = attempts + 7 where ctid = (select ctid from etl.campaign_days limit 1)
       returning account_id, callset_id`,
    );
    expect((await run()).code).toBe(0);
    const restated = await world.query(
      `select r.reason, (r.attempts - d.attempts)::int as difference, d.restated_at = r.restated_at as marked
       from warehouse.campaign_day_restatements r join etl.campaign_days d using (account_id, day, callset_id)
       where (account_id, callset_id) = ($1, $2)`,
      [row!.account_id, row!.callset_id],
    );
    expect(restated).toEqual([{ reason: 'changed', difference: 7, marked: true }]);
  });
});
