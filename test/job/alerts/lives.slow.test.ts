import { writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { createTwoClocks } from '../../../src/job/run/two-clocks.ts';
import type { ActiveAlert } from '../../../src/model/alert.ts';
import type { Day } from '../../../src/model/day.ts';
import { Interrupted } from '../../../src/model/exit-code.ts';
import { runWorker, withWorkers } from '../../../src/queue/with-workers.ts';
import { errorResponse } from '../../../src/simulator/service.ts';
import { systemClock } from '../../../src/support/clock.ts';
import { setUpQueue } from '../../queue/workers.ts';
import { at, type SimulatedTime } from '../../schedule/simulated-time.ts';
import { command } from '../../support/command.ts';
import { startPostgresProxy } from '../../support/postgres-proxy.ts';
import { runInProgress } from '../../support/run-in-progress.ts';
import {
  asText,
  campaignsOf,
  clientPage,
  first,
  isOfMany,
  type Life,
  listed,
  lookNow,
  type Open,
  on,
  type Requested,
  readLives,
  written,
} from './life.ts';

/*
 * Each alert from its beginning to its end, as every surface has it, in one file for a reader: lives.txt. Its first part are
 * situations that were met; the second has every code of the catalogue that they lack.
 */

const coast =
  (respond: (requested: Requested) => ReturnType<typeof listed> | null) => (requested: Requested) =>
    requested.account === 'coast' ? respond(requested) : null;
/** Coast's day before the first night. */
const yesterdays = (change: (day: Day) => ReturnType<typeof listed>) =>
  coast(({ day }) => (day === on(-1) ? change(day) : null));
const coastsOf = (day: Day) => campaignsOf('coast', day, 1);
const stepOf = (alerts: readonly ActiveAlert[], code: string, word: string) =>
  alerts.find((alert) => alert.code === code)!.steps.find(({ command }) => command?.[0] === word)!.command!;

const lives: Record<string, (open: Open) => Promise<Life>> = {
  'Postgres is away for 70 seconds at a scheduled run': async (open) => {
    const life = await open();
    await using database = await outage(life);
    const settings = { DATABASE_URL: database.url, RETRY_FOR: '1m' };
    await life.schedule(
      at(`${on(0)}T06:29:00Z`),
      `${on(1)}T06:40:00Z`,
      [`${on(0)}T06:33:00Z`],
      settings,
      database.isAway,
    );
    return life;
  },
  '… and with the retries of RETRY_FOR=3h it heals before anybody is alerted': async (open) => {
    const life = await open();
    await using database = await outage(life);
    const settings = { DATABASE_URL: database.url };
    await life.schedule(
      at(`${on(0)}T06:29:00Z`),
      `${on(0)}T06:40:00Z`,
      [`${on(0)}T06:32:00Z`, `${on(0)}T06:34:00Z`],
      settings,
      database.isAway,
    );
    return life;
  },
  'Postgres goes away during a scheduled run, for 70 seconds': async (open) => {
    const life = await open();
    await using database = await outage(life);
    life.wrong.respond = ({ day }) => {
      if (day === on(-1)) void database.begin();
      return null;
    };
    const settings = { DATABASE_URL: database.url, RETRY_FOR: '1m' };
    await life.schedule(
      at(`${on(0)}T06:29:00Z`),
      `${on(1)}T06:40:00Z`,
      [`${on(0)}T06:34:00Z`],
      settings,
      async ({ now }) => {
        if (now.toString() < `${on(0)}T06:32:00Z`) return;
        life.mend();
        database.end();
      },
    );
    return life;
  },
  'the schema is older than this version at a scheduled run': async (open) => {
    const life = await open();
    const [last] = await life.world.query(
      'delete from etl.migrations where name = (select max(name) from etl.migrations) returning *',
    );
    await life.schedule(
      at(`${on(0)}T06:29:00Z`),
      `${on(1)}T06:40:00Z`,
      [`${on(0)}T06:34:00Z`],
      {},
      async ({ now }) => {
        if (now.toString() === `${on(0)}T06:33:00Z`)
          await life.world.query('insert into etl.migrations values ($1, $2)', [last!.name, last!.timestamp]);
      },
    );
    return life;
  },
  'two accounts have the same campaigns; the token is set right on the third day': async (open) => {
    const life = await open();
    // The token of coast is north's.
    life.wrong.respond = coast(({ day }) =>
      day !== null && day >= on(-2) ? listed(campaignsOf('north', day, 0)) : null,
    );
    await life.night(on(0));
    await life.night(on(1));
    const alerts = await life.night(on(2));
    const held = await life.world.query('select day from etl.windows where held_hash is not null');
    life.log(`held because of it, and no alert of its own: ${held.length} days`);
    life.mend();
    await life.type(`${on(2)}T09:00:00Z`, stepOf(alerts, 'SAME_CAMPAIGNS', 'run'));
    await life.type(`${on(2)}T09:10:00Z`, stepOf(alerts, 'SAME_CAMPAIGNS', 'accept'));
    const rows = await life.world.query<{ line: string }>(
      `select day || ': ' || string_agg(account || ' ' || attempts, ', ' order by account) as line
       from warehouse.account_days where day >= $1 group by day order by day`,
      [on(-2)],
    );
    for (const { line } of rows) life.log(line);
    await life.night(on(3));
    return life;
  },
  'forty accounts have the same campaigns': async (open) => {
    const names = Array.from({ length: 40 }, (_, index) => `office-${index + 1}`);
    const life = await open(names, { history: 0 });
    life.wrong.respond = ({ day }) =>
      day !== null && day >= on(-1) ? listed(campaignsOf('office', day, 0)) : null;
    const alerts = await life.night(on(0));
    await life.type(`${on(0)}T09:00:00Z`, stepOf(alerts, 'SAME_CAMPAIGNS', 'accept'));
    life.mend();
    await life.night(on(1));
    return life;
  },
  'a token expires, and the right one is written to the accounts file at nine': async (open) => {
    const life = await open();
    const file = life.world.environment.ACCOUNTS_FILE!;
    const write = (ofCoast: string) =>
      writeFile(
        file,
        JSON.stringify([
          { name: 'north', sidtoken: 'a-token-of-north' },
          { name: 'coast', sidtoken: ofCoast },
        ]),
      );
    await write('an-expired-one');
    await life.night(on(0));
    await write('a-token-of-coast');
    await life.type(`${on(0)}T09:05:00Z`, ['run']);
    await life.night(on(1));
    return life;
  },
  'a token file is half written in the middle of a run, and of 200 kB on the next night': async (open) => {
    const life = await open();
    const file = path.join(life.world.folder, 'token-of-coast');
    const accounts = [
      { name: 'north', sidtoken: 'a-token-of-north' },
      { name: 'coast', sidtoken_file: file },
    ];
    await writeFile(life.world.environment.ACCOUNTS_FILE!, JSON.stringify(accounts));
    for (const [night, content] of ['e', 'x'.repeat(200_000)].entries()) {
      await writeFile(file, 'a-token-of-coast', { mode: 0o600 });
      life.wrong.respond = coast(() => {
        writeFileSync(file, content);
        return errorResponse(401, 'expired');
      });
      await life.night(on(night));
    }
    life.mend();
    await writeFile(file, 'a-token-of-coast');
    await life.type(`${on(1)}T09:05:00Z`, ['run']);
    return life;
  },
  'one day will never come, and its alert is dismissed': async (open) => {
    const life = await open();
    life.wrong.settings = { CATCH_UP_DAYS: '3', LOOKBACK_DAYS: '1' };
    life.wrong.respond = yesterdays(() => errorResponse(404, 'no such day'));
    await life.nights(on(0), on(3));
    await completeThrough(life);
    await life.type(`${on(3)}T09:00:00Z`, ['status', '--dismiss', 'EARLIER_DAYS_INCOMPLETE']);
    await life.night(on(4));
    await completeThrough(life);
    return life;
  },
  'a month that the service recalculates is one alert and one accept': async (open) => {
    const life = await open();
    life.wrong.respond = coast(({ day }) =>
      day !== null && day < on(-1) ? listed(coastsOf(day).slice(0, 1)) : null,
    );
    await life.world.query('update warehouse.accounts set first_expected_day = $1', [on(-29)]);
    const month = ['run', '--from', on(-29), '--to', on(-2), '--account', 'coast'];
    const alerts = await life.type(`${on(0)}T06:00:00Z`, month);
    await life.type(`${on(0)}T06:10:00Z`, stepOf(alerts, 'RESPONSE_HELD', 'accept'));
    await life.night(on(0));
    return life;
  },
  'several at once: the subject counts all that is active, new ones first': async (open) => {
    const life = await open(['north', 'coast', 'valley']);
    life.wrong.refuses = (address) => (address === 'gone@example.com' ? '550 5.1.1 No such user' : null);
    const settings = { DIGEST_TO: 'ana@example.com,gone@example.com' };
    const twoWrong = ({ account, day }: Requested) => {
      if (account === 'north' && day === on(-2)) return listed([]);
      if (account === 'coast' && day === on(-1))
        return listed(coastsOf(day).map((each, n) => (n === 0 ? { ...each, callsetid: 'none' } : each)));
      return null;
    };
    life.wrong.respond = twoWrong;
    const [refused] = await life.night(on(0), { settings });
    life.wrong.respond = (requested) =>
      requested.account === 'valley' ? errorResponse(503, 'Down for maintenance.') : twoWrong(requested);
    await life.type(`${on(0)}T12:00:00Z`, ['run', '--day', on(-2), '--account', 'valley'], settings);
    life.mend();
    const typed = async (minute: number, code: string, word: string) => {
      const step = stepOf(life.alerts(), code, word);
      await life.type(`${on(0)}T12:${minute}:00Z`, step, settings);
    };
    life.log(`corrected: the address (${refused!.title})`);
    await typed(10, 'RECORDS_QUARANTINED', 'run');
    await typed(20, 'RESPONSE_HELD', 'accept');
    await typed(30, 'SERVICE_UNAVAILABLE', 'run');
    await life.night(on(1), { settings });
    return life;
  },
  'client pages fail with 500 on four nights, although campaigns load; doctor finds the setting that ends it':
    async (open) => {
      const life = await open();
      life.wrong.respond = ({ day, params }) =>
        day === null && params.get('balance') === 'true' ? errorResponse(500, 'oh') : null;
      await life.nights(on(0), on(3));
      const step = stepOf(life.alerts(), 'SERVICE_UNAVAILABLE', 'doctor');
      const { stdout } = await command([...step], life.settings());
      const [advice] = /set CLIENT_BALANCE=false, which helps/.exec(stdout)!;
      life.log(`doctor: ${advice}`);
      await life.night(on(4), { settings: { CLIENT_BALANCE: 'false' } });
      return life;
    },
  'six of twelve tokens are refused for a night, and then for their client lists alone': async (open) => {
    const life = await open(Array.from({ length: 12 }, (_, index) => `office-${index + 1}`));
    const isOne = (account: string) => Number(account.replace('office-', '')) <= 6;
    life.wrong.respond = ({ account }) => (isOne(account) ? errorResponse(401, 'expired') : null);
    await life.night(on(0));
    life.wrong.respond = ({ account, day }) =>
      isOne(account) && day === null ? errorResponse(403, 'not allowed') : null;
    await life.nights(on(1), on(3));
    life.mend();
    await life.night(on(4));
    return life;
  },
  'tokens are refused on one night, the service is down on the next, and the run of the third breaks off':
    async (open) => {
      const life = await open();
      life.wrong.respond = () => errorResponse(401, 'expired');
      await life.night(on(0));
      life.wrong.respond = () => errorResponse(503, 'Down for maintenance.');
      await life.night(on(1));
      const interruption = new AbortController();
      life.wrong.respond = () => {
        interruption.abort(new Interrupted('SIGTERM'));
        return null;
      };
      await life.night(on(2), { signal: interruption.signal });
      life.mend();
      await life.night(on(3));
      return life;
    },
  'eighteen of twenty tokens are refused: the two good ones are not requested, and say so': async (open) => {
    const life = await open(Array.from({ length: 20 }, (_, index) => `office-${index + 1}`));
    life.wrong.respond = ({ account }) =>
      Number(account.replace('office-', '')) <= 18 ? errorResponse(401, 'expired') : null;
    await life.night(on(0));
    const codes = await life.world.query<{ line: string }>(
      `select error_code || ': ' || count(*) as line from etl.windows where day = $1 and error_code is not null group by error_code order by 1`,
      [on(-1)],
    );
    for (const { line } of codes) life.log(line);
    await life.night(on(1));
    life.mend();
    await life.night(on(2));
    return life;
  },
  "the database's disk is full in the middle of a run": async (open) => {
    const life = await open();
    const full = "raise 'could not extend file: No space left on device' using errcode = '53100'";
    const accept = await refuseInserts(life, 'etl.windows', full);
    await life.world.query(
      'create trigger refusing before update on etl.runs for each row execute function public.refuse()',
    );
    await life.night(on(0));
    life.log(life.alerts()[0]!.explanation);
    await life.world.query('drop trigger refusing on etl.runs');
    await accept();
    await life.type(`${on(0)}T09:00:00Z`, ['run']);
    return life;
  },
  "the database's disk is full": async (open) => {
    const life = await open();
    const accept = await refuseInserts(
      life,
      'etl.runs',
      "raise 'could not extend file: No space left on device' using errcode = '53100'",
    );
    await life.schedule(
      at(`${first}T06:29:00Z`),
      `${on(1)}T06:40:00Z`,
      [`${on(0)}T08:00:00Z`],
      { RETRY_FOR: '1m' },
      async ({ now }) => {
        if (now.toString() === `${first}T08:00:00Z`) await accept();
      },
    );
    return life;
  },
  'a run is interrupted; another one is running when somebody looks': async (open) => {
    const life = await open();
    const interruption = new AbortController();
    life.wrong.respond = () => {
      interruption.abort(new Interrupted('SIGTERM'));
      return null;
    };
    await life.night(on(0), { signal: interruption.signal });
    life.mend();
    const other = await runInProgress(life.world.databaseUrl);
    const alerts = await life.doAt(`${on(0)}T07:00:00Z`, 'another run is running', async () => null);
    for (const { text, command } of alerts[0]!.steps) life.log(`${text}: ${command?.join(' ')}`);
    await life.type(`${on(0)}T07:01:00Z`, ['run']);
    await other.release();
    await life.doAt(`${on(0)}T07:30:00Z`, 'schedule looks', lookNow);
    await life.night(on(1));
    return life;
  },

  'CLOCKS_APART: the clock of the machine is three hours behind': async (open) => {
    const life = await open();
    const behind = () => systemClock().subtract({ hours: 3 });
    await life.night(on(0), {
      app: (app) => ({ ...app, compareClocks: createTwoClocks(app.clock, behind).compareClocks }),
    });
    await life.night(on(1));
    return life;
  },
  'REQUEST_REFUSED: the service refuses the request for a day': (open) =>
    twoBadNights(open, {
      respond: yesterdays(() => ({
        status: 302,
        headers: { location: 'https://other.example.com/' },
        body: '',
      })),
    }),
  'INVALID_RESPONSE: a response is cut': (open) =>
    twoBadNights(open, { respond: yesterdays(() => ({ body: '{"campaigns": 3, "result": [{' })) }),
  'INVALID_CONFIGURATION: a worker has other accounts than the run': async (open) => {
    const life = await open();
    const { world } = life;
    await setUpQueue(world.databaseUrl);
    const fewer = `${world.folder}/fewer.json`;
    await writeFile(fewer, JSON.stringify([{ name: 'north', sidtoken: 'a-token-of-north' }]));
    const stop = new AbortController();
    const worker = life.look((app) => runWorker(app, stop.signal), { ACCOUNTS_FILE: fewer });
    await life.night(on(0), { executor: (work, app) => withWorkers(app, (_, executor) => work(executor)) });
    stop.abort();
    await worker;
    await life.night(on(1));
    return life;
  },
  'WALK_INCOMPLETE: a client list is shorter than it says': (open) =>
    twoBadNights(open, {
      respond: coast(({ day }) => (day === null ? clientPage(9, { clients: 12 }) : null)),
    }),
  'INTERNAL: an internal error of one day': (open) =>
    twoNightsRefusing(open, 'etl.campaign_days', "if new.callset_id > 200 then raise 'oh'; end if"),
  'DAYS_NOT_LOADED: schedule is killed, and two nights never begin': async (open) => {
    const life = await open();
    await life.night(on(0));
    await life.doAt(`${on(1)}T07:30:00Z`, 'nobody ran at 06:30; another schedule looks', lookNow);
    const alerts = await life.doAt(`${on(2)}T07:30:00Z`, 'another schedule looks', lookNow);
    life.log(alerts[0]!.explanation);
    await life.type(`${on(2)}T08:00:00Z`, stepOf(alerts, 'DAYS_NOT_LOADED', 'run'));
    await life.night(on(3));
    return life;
  },
  'DAYS_NOT_LOADED: an installation of which nobody starts a run': async (open) => {
    const life = await open(['north', 'coast'], { isFresh: true });
    await life.doAt(`${on(0)}T06:00:00Z`, 'set up', async (app) => {
      await sql`update etl.migrations set timestamp = ${`${on(0)}T05:00:00Z`}`.execute(app.warehouse);
      return null;
    });
    await life.doAt(`${on(0)}T09:00:00Z`, 'nobody ran at 06:30', async () => null);
    await life.night(on(1));
    return life;
  },
  'DAYS_PROVISIONAL: a list is shorter than announced': (open) =>
    twoBadNights(open, {
      respond: yesterdays((day) => listed(coastsOf(day).slice(0, 2), { campaigns: 4 })),
    }),
  'UNKNOWN_ANSWER: a text in the place of a list, which somebody accepts for the day': async (open) => {
    const life = await open();
    life.wrong.respond = yesterdays(() => ({
      status: 404,
      body: '{"message": "No campaigns found"}',
    }));
    await life.night(on(0));
    const alerts = await life.night(on(1));
    await life.type(`${on(1)}T09:00:00Z`, stepOf(alerts, 'UNKNOWN_ANSWER', 'accept'));
    await life.night(on(2));
    life.mend();
    await life.night(on(3));
    return life;
  },
  'NEW_REMARK: a version that the service begins to send': async (open) => {
    const life = await open();
    life.wrong.respond = coast(({ day }) =>
      day === null ? null : listed(coastsOf(day), { version: '2.1' }),
    );
    await life.nights(on(0), on(1));
    life.mend();
    await life.night(on(2));
    return life;
  },
  'UNUSUAL_VOLUME: a third of the usual calls': (open) =>
    twoBadNights(open, {
      respond: yesterdays((day) => listed(coastsOf(day).map((each) => ({ ...each, attempts: 500 })))),
    }),
  'NO_CAMPAIGNS_YET: an account lists nothing from its first day on': async (open) => {
    const life = await open(['north', 'coast'], {
      history: 0,
      respond: coast(({ day }) => (day === null ? null : listed([]))),
    });
    await life.nights(on(0), on(7));
    life.mend();
    await life.night(on(8));
    return life;
  },
  'LISTS_CUT: three lists of exactly 50 campaigns': async (open) => {
    const life = await open();
    const fifty = Array.from({ length: 50 }, (_, n) => ({ ...coastsOf(first)[0]!, callsetid: 300 + n }));
    life.wrong.respond = coast(({ day }) => {
      if (day === null || day < on(-1)) return null;
      const list = fifty.map((each) => ({ ...each, attempts: 2_000 + Number(day.slice(8)) }));
      return listed(day === on(2) ? list.slice(1) : list);
    });
    await life.nights(on(0), on(3));
    return life;
  },
  'CLIENTS_MISSING: over half of the clients are missing': (open) =>
    twoBadNights(open, { respond: coast(({ day }) => (day === null ? clientPage(2) : null)) }),
  'DIGEST_FAILED: a digest cannot be built': (open) => twoNightsRefusing(open, 'etl.mails', "raise 'oh'"),
  'MAIL_GIVEN_UP: one of two mailboxes takes no mail for a week': async (open) => {
    const life = await open();
    life.wrong.refuses = (address) => (address === 'gone@example.com' ? '550 5.2.1 Mailbox disabled' : null);
    const settings = { DIGEST_TO: 'ana@example.com,gone@example.com' };
    await life.nights(on(0), on(6), { settings });
    life.mend();
    const alerts = await life.night(on(7), { settings });
    const resend = stepOf(alerts, 'MAIL_GIVEN_UP', 'digest');
    await life.doAt(
      `${on(7)}T09:00:00Z`,
      resend.join(' '),
      async () => (await command(resend, life.settings(settings))).code,
      settings,
    );
    await life.night(on(8), { settings });
    return life;
  },
  'MAIL_UNKNOWN: the mail server closes the connection before it confirms': async (open) => {
    const life = await open();
    let replies = 0;
    life.wrong.mailServer = (stage) => (stage === 'reply' && ++replies === 1 ? 'drop' : 'pass');
    const alerts = await life.night(on(0));
    await life.night(on(1));
    const resend = stepOf(alerts, 'MAIL_UNKNOWN', 'digest');
    await life.doAt(`${on(1)}T09:00:00Z`, resend.join(' '), async () => {
      const { code } = await command(resend, life.settings());
      return code;
    });
    await life.night(on(2));
    return life;
  },
  'WEBHOOK_FAILED: the chat answers 500 while a token is refused': async (open) => {
    const life = await open();
    life.wrong.respond = coast(() => errorResponse(401, 'expired'));
    life.wrong.chat = 500;
    await life.night(on(0));
    await life.night(on(1));
    life.wrong.chat = 200;
    await life.night(on(2));
    life.mend();
    await life.night(on(3));
    return life;
  },
  'MAIL_FAILED: the mail server is down, so the webhook alone alerts': (open) =>
    twoBadNights(open, { settings: { SMTP_URL: 'smtp://127.0.0.1:1' } }),
};

/** Something is wrong on two nights, and all is good again on the third. */
async function twoBadNights(open: Open, wrong: Partial<Life['wrong']>): Promise<Life> {
  const life = await open();
  Object.assign(life.wrong, wrong);
  await life.nights(on(0), on(1));
  life.mend();
  await life.night(on(2));
  return life;
}

/** The same with inserts that fail. */
async function twoNightsRefusing(open: Open, table: string, raise: string): Promise<Life> {
  const life = await open();
  const accept = await refuseInserts(life, table, raise);
  await life.nights(on(0), on(1));
  await accept();
  await life.night(on(2));
  return life;
}

/** Postgres behind a door that closes for 70 seconds from 06:30 on the first night. */
async function outage({ world }: Life) {
  const proxy = await startPostgresProxy(world.databaseUrl);
  const begin = async () => {
    proxy.refuse(true);
    await proxy.cut();
  };
  const end = () => proxy.refuse(false);
  return {
    url: proxy.url,
    begin,
    end,
    async isAway({ now }: SimulatedTime) {
      const isAway = now.toString() >= `${on(0)}T06:30:00Z` && now.toString() < `${on(0)}T06:31:10Z`;
      await (isAway ? begin() : end());
    },
    [Symbol.asyncDispose]: () => proxy.close(),
  };
}

/** Inserts into a table fail until the returned function is called. */
async function refuseInserts({ world }: Life, table: string, raise: string): Promise<() => Promise<unknown>> {
  await world.query(
    `create function public.refuse() returns trigger language plpgsql as $$ begin ${raise}; return new; end $$`,
  );
  await world.query(
    `create trigger refusing before insert on ${table} for each row execute function public.refuse()`,
  );
  return () => world.query(`drop trigger refusing on ${table}`);
}

/** Records how far coast is complete, and what lacks the day, by the tables for BI and the newest digest. */
async function completeThrough({ world, log, digest }: Life): Promise<void> {
  const complete = await world.query<{ line: string }>(
    `select account || ' through ' || complete_through_day as line
     from warehouse.freshness where account = 'coast'`,
  );
  const lacking = await world.query<{ line: string }>(
    `select account || ' ' || day || ' ' || state || case when dismissed then ', dismissed' else '' end as line
     from warehouse.coverage where account = 'coast' and day = $1`,
    [on(-1)],
  );
  for (const { line } of complete) log(`warehouse.freshness: ${line}`);
  for (const { line } of lacking) log(`warehouse.coverage: ${line}`);
  log(`digest: ${/Complete through [^.]*\.|Not complete yet\./.exec(await digest())?.[0]}`);
}

const sections = new Map<string, string>();
for (const [title, live] of Object.entries(lives))
  it.concurrent(title, async () => void sections.set(title, await written(live)));

it('what every surface said of each is in lives.txt', async () => {
  expect(sections.size, 'lives that came to their end').toBe(Object.keys(lives).length);
  const own = Object.keys(lives).map((title) => [title, sections.get(title)!] as const);
  const ofMany = (await readLives()).filter(([title]) => isOfMany(title));
  await expect(asText([...own, ...ofMany])).toMatchFileSnapshot('lives.txt');
});
