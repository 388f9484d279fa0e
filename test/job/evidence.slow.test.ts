import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { acceptAlways } from '../../src/job/accept-always.ts';
import { readState } from '../../src/job/alerts/read-alerts.ts';
import { needsAction } from '../../src/model/alert.ts';
import { addDays, type Day, daysBetween } from '../../src/model/day.ts';
import { atInstant, never, runNight } from '../support/nights.ts';
import { openWorld } from '../support/world.ts';
import { readMail } from './digests/read-mail.ts';

/* What an operator and a manager get of responses that can mean two things, night by night. */

type ServiceReply = { readonly status?: number; readonly body: unknown };
/** The attempts for a day of a run date are numbered. */
type Service = (day: Day, runDate: Day, to: Day, attempt: number) => ServiceReply;
type Case = {
  readonly what: string;
  readonly service: Service;
  readonly nights: number;
  /** Weeks before the first night, loaded a run date earlier; by default four. */
  readonly weeks?: number;
  /** The signs that somebody accepts for good, in the evening of a night. */
  readonly accepts?: readonly [night: number, ...signs: string[]];
  /** From this night on, `SERVICE_BASE_URL` is a wrong address, where a web server answers. */
  readonly wrongFrom?: number;
};

/** A Friday: its yesterday is Thursday the 12th. */
const firstNight = '2026-03-13';
const date = (night: number) => addDays(firstNight, night - 1);
const newest = addDays(firstNight, -1);

const campaign = (n: number, day: Day) => ({
  callsetid: 500 + n,
  campaign: `Campaign ${n}`,
  attempts: 100 * n + Number(day.slice(8)),
  busies: 10,
  connects: 50,
  liveanswers: 20,
});
const listOf = (day: Day, count = 9) => Array.from({ length: count }, (_, index) => campaign(index + 1, day));
const listing = (result: readonly object[], others: object = {}): ServiceReply => ({
  body: { campaigns: result.length, reports: result.length, result, ...others },
});
const good = (day: Day, ..._: readonly Day[]) => listing(listOf(day));
const isSunday = (day: Day) => Temporal.PlainDate.from(day).dayOfWeek === 7;

const cases: readonly Case[] = [
  {
    what: 'nine announced and five listed, on two nights for one day; then again for another',
    nights: 4,
    service: (day, runDate) => {
      const isHalf =
        (day === newest && runDate < date(3)) || (day === date(2) && runDate < addDays(date(4), 1));
      return isHalf ? listing(listOf(day, 5), { campaigns: 9 }) : good(day, runDate, day);
    },
  },
  {
    what: 'a record that can’t be read, each night',
    nights: 4,
    service: (day) =>
      day < newest
        ? listing(listOf(day))
        : listing([...listOf(day), { ...campaign(10, day), callsetid: 'ten' }]),
  },
  {
    what: 'a confirmed day, then empty lists on two nights',
    nights: 4,
    service: (day, runDate) =>
      day === newest && runDate > firstNight && runDate < date(4) ? listing([]) : good(day, runDate, day),
  },
  {
    what: 'busies left out on two nights',
    nights: 3,
    service: (day, runDate) =>
      runDate > firstNight
        ? listing(listOf(day).map(({ busies: _, ...each }) => each))
        : good(day, runDate, day),
  },
  {
    what: 'five of nine, then an empty list, then the whole one',
    nights: 3,
    service: (day, runDate) => {
      if (day !== newest || runDate === date(3)) return good(day, runDate, day);
      return runDate === firstNight ? listing(listOf(day, 5), { campaigns: 9 }) : listing([]);
    },
  },
  {
    what: 'five of nine, and all nine when they are requested once more',
    nights: 1,
    service: (day, _, __, attempt) => listing(listOf(day, attempt === 1 ? 5 : 9), { campaigns: 9 }),
  },
  {
    what: 'an empty list once, on a weekday with calls',
    nights: 2,
    service: (day, runDate) =>
      day === newest && runDate === firstNight ? listing([]) : good(day, runDate, day),
  },
  {
    what: 'ten announced and nine listed, on each day',
    nights: 2,
    service: (day) => listing(listOf(day), { campaigns: 10 }),
  },
  {
    what: 'busies that are never reported',
    nights: 1,
    service: (day) => listing(listOf(day).map((each) => ({ ...each, busies: null }))),
  },
  {
    what: 'busies that are never a number',
    nights: 2,
    service: (day) => listing(listOf(day).map((each) => ({ ...each, busies: 'N/A' }))),
  },
  {
    what: '202 with an empty list, once',
    nights: 2,
    service: (day, runDate) =>
      day === newest && runDate === firstNight ? { ...listing([]), status: 202 } : good(day, runDate, day),
  },
  {
    what: '200 with a status of processing and an empty list, once',
    nights: 2,
    service: (day, runDate) =>
      day === newest && runDate === firstNight
        ? listing([], { status: 'processing' })
        : good(day, runDate, day),
  },
  {
    what: '206 with one row of nine, once',
    nights: 2,
    service: (day, runDate) =>
      day === newest && runDate === firstNight
        ? { ...listing(listOf(day, 1)), status: 206 }
        : good(day, runDate, day),
  },
  {
    what: 'startdate without effect',
    nights: 3,
    weeks: 1,
    service: () => listing(listOf('2026-03-01')),
  },
  {
    what: 'a company that made the same calls on two days',
    nights: 2,
    service: (day, _, to) => {
      const twice = ['2026-03-12', '2026-03-13'];
      const days = daysBetween(day, to);
      const figures = listOf(twice.includes(day) ? newest : day);
      return listing(
        figures.map((each) => ({
          ...each,
          attempts: each.attempts * days.length,
          busies: each.busies * days.length,
          connects: each.connects * days.length,
          liveanswers: each.liveanswers * days.length,
        })),
      );
    },
  },
  {
    what: '404 with “No campaigns found” on Sundays: somebody says once that it is an empty day',
    nights: 11,
    weeks: 0,
    accepts: [4, 'HTTP 404; message: No campaigns found'],
    service: (day, runDate) =>
      isSunday(day) ? { status: 404, body: { message: 'No campaigns found' } } : good(day, runDate, day),
  },
  {
    what: 'an accepted 404 of Sundays, then an outage that says the same of busy days, then a wrong address that does',
    nights: 8,
    wrongFrom: 7,
    accepts: [3, 'HTTP 404; message: No campaigns found'],
    service: (day, runDate) =>
      isSunday(day) || (runDate >= date(4) && runDate <= date(5) && day >= date(3))
        ? { status: 404, body: { message: 'No campaigns found' } }
        : good(day, runDate, day),
  },
  {
    what: 'a vendor who begins to add how long it took, and by which server: two commands, then silence',
    nights: 4,
    accepts: [1, 'took: *', 'server: a7'],
    service: (day, runDate) =>
      listing(listOf(day), { took: Number(day.slice(8)) + Number(runDate.slice(8)), server: 'a7' }),
  },
  {
    what: 'a count that means something else: somebody says so once',
    nights: 3,
    accepts: [1, 'announced/reports'],
    service: (day) => listing(listOf(day), { reports: 3 }),
  },
  {
    what: 'a version that is added one day, beside figures that are confirmed',
    nights: 2,
    service: (day, runDate) => listing(listOf(day), runDate >= date(2) ? { version: '2.1' } : {}),
  },
  {
    what: 'an account that never lists a campaign',
    nights: 9,
    weeks: 0,
    service: () => listing([]),
  },
  {
    what: 'an outage of five nights, after which one day has a tenth of its calls',
    nights: 7,
    service: (day, runDate) => {
      if (runDate >= firstNight && runDate < date(6)) return { status: 503, body: 'down' };
      return day === newest
        ? listing(listOf(day).map((each) => ({ ...each, attempts: Math.floor(each.attempts / 10) })))
        : good(day, runDate, day);
    },
  },
  {
    what: 'a day restated from 4,608 attempts to 459',
    nights: 4,
    service: (day, runDate) =>
      day === newest && runDate > date(2)
        ? listing(listOf(day).map((each) => ({ ...each, attempts: Math.floor(each.attempts / 10) })))
        : good(day, runDate, day),
  },
  {
    what: 'a list that is cut at exactly fifty, on each day',
    nights: 3,
    weeks: 1,
    service: (day) => listing(listOf(day, 50)),
  },
];

async function live({
  service,
  nights,
  weeks = 4,
  accepts,
  wrongFrom = Number.POSITIVE_INFINITY,
}: Case): Promise<string[]> {
  let runDate = firstNight;
  const attempts = new Map<string, number>();
  const world = await openWorld({
    dataset: {
      accounts: [{ name: 'north', token: 'a-token-of-north' }],
      clients: () => [],
      campaigns: () => [],
    },
    intercept: ({ operation, params }) => {
      if (operation === 'unknown')
        return { status: 404, body: JSON.stringify({ message: 'No campaigns found' }) };
      if (operation !== 'campaignSummary') return undefined;
      const [from, to] = ['startdate', 'enddate'].map((name) =>
        params.get(name)!.replace(/^(..)-(..)-(.*)$/, '$3-$1-$2'),
      ) as [Day, Day];
      const key = `${from} ${to} ${runDate}`;
      attempts.set(key, (attempts.get(key) ?? 0) + 1);
      const { status = 200, body } = service(from, runDate, to, attempts.get(key)!);
      return { status, body: typeof body === 'string' ? body : JSON.stringify(body) };
    },
  });
  onTestFinished(() => world.close());
  const settings = { RETRIES: '0', CATCH_UP_DAYS: '31' };
  if (weeks > 0) {
    runDate = addDays(firstNight, -1);
    const history = daysBetween(addDays(firstNight, -7 * weeks - 1), addDays(firstNight, -2));
    await runNight(world, runDate, settings, { days: history, digest: false });
  }
  const lines: string[] = [];
  for (let night = 1; night <= nights; night++) {
    runDate = date(night);
    const outbox = path.join(world.outbox, runDate);
    const wrong = night < wrongFrom ? {} : { SERVICE_BASE_URL: `${world.environment.SERVICE_BASE_URL}/old` };
    const { exitCode } = await runNight(world, runDate, {
      ...settings,
      ...wrong,
      OUTBOX_DIR: outbox,
    });
    const files = (await readdir(outbox).catch(() => [])).filter(
      (file) => file.endsWith('.eml') && !file.startsWith('alert-'),
    );
    const mails = await Promise.all(
      files.sort().map(async (file) => await readMail(await readFile(path.join(outbox, file)))),
    );
    const coverage = await world.query<{ line: string }>(
      `select concat_ws(', ', to_char(day, 'Dy DD Mon'), state, case when held then 'held' end, reason) as line
       from warehouse.coverage where (state <> 'loaded' or held) and day < '${runDate}' order by day`,
    );
    const alerts = await atInstant(world, `${runDate}T20:00:00Z`, async (app) => {
      const { alerts } = await readState(app.warehouse, app);
      return alerts.map((alert) => `${needsAction(alert) ? '' : '(note) '}${alert.title}`);
    });
    lines.push(`night ${night}: exit code ${exitCode}`);
    for (const mail of mails) {
      const status = [...new Set(mail.csv.map((row) => row.status))].join(', ');
      lines.push(
        `  mail: ${mail.linesOf('subject')[0]}; CSV ${status || 'without rows'}`,
        ...(['provisional', 'incomplete', 'corrected', 'earlier', 'ongoing'] as const).flatMap((kind) =>
          mail.linesOf(kind).map((line) => `    ${line}`),
        ),
      );
    }
    if (mails.length === 0) lines.push('  no mail');
    lines.push(
      ...(coverage.length > 3
        ? [`  coverage: ${coverage.length} days: ${coverage.at(-1)!.line}`]
        : coverage.map(({ line }) => `  coverage: ${line}`)),
      ...(alerts.length === 0 ? ['  status: all good'] : alerts.map((title) => `  alert: ${title}`)),
    );
    if (accepts?.[0] !== night) continue;
    for (const sign of accepts.slice(1) as string[]) {
      const request = { command: 'accept', sign, accounts: null, undo: false };
      await atInstant(world, `${runDate}T21:00:00Z`, (app) =>
        acceptAlways(app, request, never, async ({ days }) => {
          lines.push(`  typed: accept --always "${sign}": confirms ${days.length} days`);
          return true;
        }),
      );
    }
  }
  return lines;
}

// However busy the machine: the limit only ends what hangs.
it('a sign that can mean two things is provisional, held or failed wherever it is said, and looked at again', {
  timeout: 600_000,
}, async () => {
  const texts = new Map<Case, string>();
  const waiting = cases.values();
  // Four lives at once: one waits for Postgres most of the time.
  const inTurn = async () => {
    for (const each of waiting) texts.set(each, [`# ${each.what}`, '', ...(await live(each))].join('\n'));
  };
  await Promise.all([inTurn(), inTurn(), inTurn(), inTurn()]);
  await expect(`${cases.map((each) => texts.get(each)).join('\n\n')}\n`).toMatchFileSnapshot('evidence.txt');
});
