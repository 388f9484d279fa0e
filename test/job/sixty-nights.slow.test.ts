import { readFile } from 'node:fs/promises';
import path from 'node:path';
import PostalMime from 'postal-mime';
import { expect, it, onTestFinished } from 'vitest';
import { acceptAlways } from '../../src/job/accept-always.ts';
import { signId } from '../../src/model/accepted.ts';
import { addDays, type Day } from '../../src/model/day.ts';
import { readWaitingSigns } from '../../src/warehouse/ledger/accepted.ts';
import { atInstant, never, runNight } from '../support/nights.ts';
import { scriptedService } from '../support/scripted-service.ts';
import { openWorld } from '../support/world.ts';

/* Services with a way of their own, over sixty nights: on how many mornings the newest day is provisional, with an operator who
 * answers each alert of the first month, and with one who never does. */

type ServiceReply = { readonly status?: number; readonly body: object };
type Campaign = { readonly callsetid: number; readonly campaign: unknown; readonly busies: number | null };

const firstNight = '2026-03-03';
const nights = 60;
/** From a night on: the service does what is its way, is a good one, lists half of each day, and goes back to its way. */
const phases = { way: 1, good: 31, bad: 41, after: 48 };

const isWeekend = (day: Day) => Temporal.PlainDate.from(day).dayOfWeek > 5;
const daysSince = (day: Day) => Temporal.PlainDate.from('2026-03-02').until(day).days;
const listing = (result: readonly Campaign[], others: object = {}): ServiceReply => ({
  body: { campaigns: result.length, result, ...others },
});

/** What each service does beside its ten campaigns, and how an ordinary one is written. */
const services: Readonly<Record<string, (campaigns: readonly Campaign[], day: Day) => ServiceReply>> = {
  'an ordinary one': (campaigns) => listing(campaigns),
  'announces one more': (campaigns) => listing(campaigns, { campaigns: 11 }),
  'announces one more nine days in ten': (campaigns, day) =>
    listing(campaigns, daysSince(day) % 10 === 4 ? {} : { campaigns: 11 }),
  'leaves busies out from day 11': (campaigns, day) =>
    listing(daysSince(day) < 11 ? campaigns : campaigns.map((each) => ({ ...each, busies: null }))),
  'is not finished beside rows': (campaigns) => listing(campaigns, { status: 'processing' }),
  'has one unreadable record': (campaigns) =>
    listing([...campaigns, { ...campaigns[0]!, callsetid: 'none' as unknown as number }]),
  'answers 404 at weekends': (campaigns) =>
    campaigns.length === 0 ? { status: 404, body: { message: 'No campaigns found' } } : listing(campaigns),
  'calls every second Monday': (campaigns) => listing(campaigns),
};
const ways = Object.keys(services);
/** The way of an account that an operator answers for. */
const answered = ways.map((way) => `${way} answered`);
const names = [...ways, ...answered];
const wayOf = (account: string) => account.replace(' answered', '');

const callsOn = (name: string, day: Day) => {
  const account = wayOf(name);
  if (account === 'answers 404 at weekends') return !isWeekend(day);
  return account !== 'calls every second Monday' || daysSince(day) % 14 === 0;
};

/** Ten campaigns, with other counts on each day. */
const campaignsOf = (account: string, day: Day): Campaign[] =>
  Array.from({ length: 10 }, (_, index) => ({
    callsetid: 100 * (names.indexOf(account) + 1) + index,
    campaign: `Campaign ${index}`,
    attempts: 500 + 7 * daysSince(day) + index,
    busies: 10 + index,
    connects: 200 + index,
    liveanswers: 90 + index,
  }));

function respond(account: string, day: Day, night: number): ServiceReply {
  const campaigns = callsOn(account, day) ? campaignsOf(account, day) : [];
  if (night >= phases.bad && night < phases.after)
    return listing(campaigns.slice(5), { campaigns: campaigns.length });
  if (night >= phases.good && night < phases.bad) return listing(campaigns);
  return services[wayOf(account)]!(campaigns, day);
}

it('each service is confirmed and provisional as the table says', async () => {
  let night = 0;
  const world = await openWorld(
    scriptedService(names, (account, day) => {
      const { status = 200, body } = respond(account, day, night);
      return { status, body: JSON.stringify(body) };
    }),
  );
  onTestFinished(() => world.close());
  const provisional = new Map(names.map((name) => [name, [] as number[]]));
  const typedSigns = new Set<string>();
  for (night = 1; night <= nights; night++) {
    const date = addDays(firstNight, night - 1);
    await runNight(world, date, { RETRIES: '0' });
    const days = await world.query<{ account: string; isProvisional: boolean }>(
      `select a.name as account, bool_or(w.state = 'provisional' and w.day = $1) as "isProvisional"
       from warehouse.accounts a join etl.windows w using (account_id) group by 1`,
      [addDays(date, -1)],
    );
    for (const { account, isProvisional } of days) if (isProvisional) provisional.get(account)!.push(night);
    // What speaks against half lists later on is no way of the service.
    if (night >= phases.good) continue;
    await atInstant(world, `${date}T12:00:00Z`, async (app) => {
      for (const { sign } of await readWaitingSigns(app.warehouse, app.config.service.baseUrl)) {
        const request = { command: 'accept', sign: signId(sign), accounts: answered, undo: false };
        await acceptAlways(app, request, never, async ({ sign, kind }) => {
          const isNew = !typedSigns.has(`${kind} ${sign}`);
          typedSigns.add(`${kind} ${sign}`);
          return isNew;
        });
      }
    });
  }
  const open = await world.query<{ account: string; provisional: number; held: number }>(
    `select a.name as account, (count(*) filter (where w.state = 'provisional'))::integer as provisional,
       (count(*) filter (where w.held_hash is not null))::integer as held
     from warehouse.accounts a join etl.windows w using (account_id) group by 1`,
  );
  const between = (account: string, from: number, to: number) =>
    provisional.get(account)!.filter((each) => each >= from && each < to).length;
  const lines = await Promise.all(
    names.map(async (account) => {
      const left = open.find((each) => each.account === account)!;
      return [
        `${account}:`,
        `  provisional on ${between(account, 1, phases.good)} of 30 mornings`,
        `  good for ten nights: ${between(account, phases.good, phases.bad)}`,
        `  half listed for seven: ${between(account, phases.bad, phases.after)}`,
        `  its own way again, for thirteen: ${between(account, phases.after, nights + 1)}`,
        `  at the end: ${left.provisional} days provisional, ${left.held} held`,
      ].join('\n');
    }),
  );
  const mails = await Promise.all(
    [30, 41, 60].map(async (night) => {
      const day = addDays(firstNight, night - 2);
      const file = path.join(world.outbox, `campaigns-${day}-ana@example.com.eml`);
      const { subject, text } = await PostalMime.parse(await readFile(file));
      const sentences = text!
        .split('\n')
        .filter((line) =>
          /: the service |could not be read|campaigns missing|no calls|Accepted as the way|sent no list/.test(
            line,
          ),
        );
      return [`# the mail of night ${night}`, subject, ...sentences].join('\n');
    }),
  );
  const accepted = ['# accepted', ...typedSigns].join('\n');
  await expect(`${[...lines, accepted, ...mails].join('\n\n')}\n`).toMatchFileSnapshot('sixty-nights.txt');
});
