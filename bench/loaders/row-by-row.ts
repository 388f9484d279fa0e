import pg from 'pg';
import { campaignsOf, clientPages, readArguments } from './ask.ts';

/** A loader as one writes it first: an INSERT for each row, in a transaction for each answer. */
const client = new pg.Client({ connectionString: process.env.DATABASE_URL });
await client.connect();
const { clients, days } = readArguments();

if (clients) {
  for await (const page of clientPages()) {
    await client.query('begin');
    for (const each of page) {
      await client.query(
        `insert into clients (client_id, name, checksum, balance) values ($1, $2, $3, $4)
         on conflict (client_id) do update
           set name = excluded.name, checksum = excluded.checksum, balance = excluded.balance`,
        [each.clientid, each.clientname, each.checksum, each.balance],
      );
    }
    await client.query('commit');
  }
}

for (const day of days) {
  const campaigns = await campaignsOf(day);
  await client.query('begin');
  for (const each of campaigns) {
    await client.query(
      `insert into campaign_days (day, callset_id, campaign, attempts, busies, connects, live_answers)
       values ($1, $2, $3, $4, $5, $6, $7)
       on conflict (day, callset_id) do update
         set campaign = excluded.campaign, attempts = excluded.attempts, busies = excluded.busies,
           connects = excluded.connects, live_answers = excluded.live_answers`,
      [day, each.callsetid, each.campaign, each.attempts, each.busies, each.connects, each.liveanswers],
    );
  }
  await client.query('commit');
}

await client.end();
