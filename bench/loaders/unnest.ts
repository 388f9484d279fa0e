import pg from 'pg';
import { campaignsOf, clientPages, readArguments } from './ask.ts';

/** A loader by one who knows Postgres: each answer is one statement over arrays. */
const client = new pg.Client({ connectionString: process.env.DATABASE_URL });
await client.connect();
const { clients, days } = readArguments();

if (clients) {
  for await (const page of clientPages()) {
    await client.query(
      `insert into clients (client_id, name, checksum, balance)
       select * from unnest($1::bigint[], $2::text[], $3::text[], $4::numeric[])
       on conflict (client_id) do update
         set name = excluded.name, checksum = excluded.checksum, balance = excluded.balance`,
      [
        page.map((each) => each.clientid),
        page.map((each) => each.clientname),
        page.map((each) => each.checksum),
        page.map((each) => each.balance),
      ],
    );
  }
}

for (const day of days) {
  const campaigns = await campaignsOf(day);
  await client.query(
    `insert into campaign_days (day, callset_id, campaign, attempts, busies, connects, live_answers)
     select $1::date, * from unnest($2::bigint[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[])
     on conflict (day, callset_id) do update
       set campaign = excluded.campaign, attempts = excluded.attempts, busies = excluded.busies,
         connects = excluded.connects, live_answers = excluded.live_answers`,
    [
      day,
      campaigns.map((each) => each.callsetid),
      campaigns.map((each) => each.campaign),
      campaigns.map((each) => each.attempts),
      campaigns.map((each) => each.busies),
      campaigns.map((each) => each.connects),
      campaigns.map((each) => each.liveanswers),
    ],
  );
}

await client.end();
