import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parse } from 'csv-parse/sync';
import PostalMime from 'postal-mime';
import { backfill } from '../../src/job/backfill.ts';
import { liveNight, type Night, runUntilDone, withClock } from '../../src/job/demo/live-night.ts';
import { replay } from '../../src/job/replay.ts';
import { generateDataset } from '../../src/simulator/dataset.ts';
import { stories } from '../../src/simulator/stories.ts';
import { playStory, type Story } from '../../src/simulator/story.ts';
import { never } from '../support/nights.ts';
import { openWorld, type World } from '../support/world.ts';
import {
  createOracle,
  type Digest,
  type EarlierPeriod,
  type ExpectedMail,
  type Figures,
  type Oracle,
  type Settings,
} from './oracle.ts';

/** What somebody does after a run of a night. */
export type Deed = 'second run' | 'backfill' | 'replay';

/** A difference between what the oracle expects and what Callsheet says. */
export type Difference = {
  readonly night: string;
  readonly of: string;
  readonly expected: unknown;
  readonly found: unknown;
};

/** Those of three accounts, or one of forty offices. */
function digestsOf({ accounts }: Story): readonly Digest[] {
  const names = accounts.map(({ name }) => name);
  const board = { to: 'board@example.com', accounts: names };
  const rest: Digest[] = [
    { ...board, name: 'Week', every: 'week' },
    { ...board, name: 'Month', every: 'month' },
  ];
  if (!names.includes('north'))
    return [{ name: 'Offices', every: 'day', to: 'manager@example.com', accounts: names }, ...rest];
  return [
    { name: 'Campaigns', every: 'day', to: 'manager@example.com', accounts: ['north', 'coast'] },
    { name: 'Valley', every: 'day', to: 'valley@example.com', accounts: ['valley'] },
    ...rest,
  ];
}

/** Lives through one of the product's stories. The fourth night of month-end is the first of a month, which is loaded. */
export const liveNamed = (name: string): Promise<Difference[]> =>
  name === 'month-end'
    ? liveStory(stories[name]!, '2026-03-29', [], 31)
    : liveStory(stories[name]!, '2026-03-09');

/**
 * Lives through a story from its first night and compares after each one. Stops at the first night that differs.
 *
 * @param deeds         what somebody does after each night
 * @param daysOfHistory days that are backfilled before the first night, on which nothing may be wrong then
 */
export async function liveStory(
  story: Story,
  firstNight: string,
  deeds: readonly (Deed | null)[] = [],
  daysOfHistory = 0,
): Promise<Difference[]> {
  const dateOf = (day: number) => Temporal.PlainDate.from(firstNight).add({ days: day }).toString();
  const base = generateDataset(1, undefined, story.accounts);
  const played = playStory(story, firstNight, base);
  const world = await openWorld({ dataset: played.dataset, intercept: played.intercept });
  try {
    const own = digestsOf(story);
    const oracle = createOracle(story, played, own, dateOf);
    const environment = await environmentOf(world, own);
    for (const [number, events] of story.nights.entries()) {
      const changed = story.nights
        .slice(0, number + 1)
        .flat()
        .flatMap((event) => (event.event === 'setting changed' ? [[event.name, event.value]] : []));
      const outbox = path.join(world.folder, dateOf(number));
      const night: Night = {
        environment: { ...environment, ...Object.fromEntries(changed), OUTBOX_DIR: outbox },
        databaseUrl: world.databaseUrl,
        startsAt: `${dateOf(number)}T06:30:00Z`,
        events,
      };
      const settings: Settings = {
        lookback: Number(night.environment.LOOKBACK_DAYS ?? 3),
        catchUp: 31,
      };
      if (number === 0 && daysOfHistory > 0) {
        await act(night, 'backfill', dateOf(-daysOfHistory), dateOf(-2));
        oracle.backfill(0, -daysOfHistory, -2, settings);
      }
      await liveNight(
        night,
        (outside) => played.turnTo(number, outside),
        () => {},
        never,
      );
      const isKilled = events.some(({ event }) => event === 'killed') && !(await hasFinished(world));
      let mails: readonly ExpectedMail[] = [];
      if (isKilled) oracle.liveKilled(number, settings, await observe(world, dateOf, number));
      else mails = oracle.live(number, settings);
      const deed = deeds[number] ?? null;
      const since = oracle.since();
      if (deed !== null && since !== null) {
        await act(night, deed, dateOf(since - 3), dateOf(since - 1));
        if (deed === 'second run') mails = [...mails, ...oracle.live(number, settings)];
        if (deed === 'backfill') oracle.backfill(number, since - 3, since - 1, settings);
      }
      const found = [
        ...(await compareTables(world, story, oracle, number, dateOf)),
        ...(isKilled ? [] : await compareMails(outbox, mails, dateOf)),
      ];
      if (found.length > 0) return found.map((difference) => ({ night: dateOf(number), ...difference }));
    }
    return [];
  } finally {
    await world.close();
  }
}

async function environmentOf(world: World, own: readonly Digest[]): Promise<World['environment']> {
  const file = path.join(world.folder, 'digests.json');
  await writeFile(file, JSON.stringify(own.map(({ to, ...digest }) => ({ ...digest, to: [to] }))));
  const { DIGEST_TO: _, ...environment } = world.environment;
  return {
    ...environment,
    DIGESTS_FILE: file,
    ALERT_TO: 'ops@example.com',
    RETRIES: '0',
    LOG_LEVEL: 'silent',
  };
}

async function act(night: Night, deed: Deed, from: string, to: string): Promise<void> {
  await withClock(night, async (app, _, wait) => {
    if (deed === 'second run') await runUntilDone(app, wait, never);
    if (deed === 'backfill') await backfill(app, { command: 'backfill', from, to, accounts: null }, never);
    if (deed === 'replay') await replay(app, { command: 'replay', from, to: '2099-12-31' }, never);
  });
}

/** The request at which the last run was to be killed never came. */
async function hasFinished(world: World): Promise<boolean> {
  const [run] = await world.query<{ outcome: string | null }>(
    'select outcome from etl.runs order by run_id desc limit 1',
  );
  return run?.outcome != null;
}

/** How far a killed run came, by the ledger. */
async function observe(world: World, dateOf: (day: number) => string, night: number) {
  const date = dateOf(night);
  const windows = await world.query<{ key: string }>(
    `select a.name || ' ' || w.day as key from etl.windows w join warehouse.accounts a using (account_id)
     where w.synced_run_date = $1 or w.failed_at > (select max(started_at) from etl.runs)`,
    [date],
  );
  const walks = await world.query<{ name: string }>(
    `select a.name from etl.walks w join warehouse.accounts a using (account_id)
     where w.run_date = $1 and w.verdict = 'complete'`,
    [date],
  );
  const clients = await world.query<{ key: string; balance: string }>(
    `select a.name || ' ' || c.client_id as key, c.balance::text
     from warehouse.clients c join warehouse.accounts a using (account_id)`,
  );
  return {
    windowWasSynced: (account: string, day: number) =>
      windows.some(({ key }) => key === `${account} ${dateOf(day)}`),
    walkWasComplete: (account: string) => walks.some(({ name }) => name === account),
    client: (account: string, id: number) => clients.find(({ key }) => key === `${account} ${id}`),
  };
}

async function compareTables(
  world: World,
  { accounts }: Story,
  oracle: Oracle,
  night: number,
  dateOf: (day: number) => string,
): Promise<Omit<Difference, 'night'>[]> {
  const since = oracle.since();
  const days = since === null ? [] : Array.from({ length: night - since }, (_, index) => since + index);
  const windows = accounts.flatMap(({ name: account }) =>
    days.map((day) => ({ account, day, window: oracle.windowOf(account, day) })),
  );
  const rows = windows.flatMap(({ account, day, window }) =>
    [...(window?.rows ?? [])].map(([id, row]) =>
      lineOf(
        account,
        dateOf(day),
        id,
        row.campaign,
        row.attempts,
        row.busies,
        row.connects,
        row.liveAnswers,
        row.withdrawn,
      ),
    ),
  );
  const sums = windows.flatMap(({ account, day, window }) => {
    if (!window?.loaded) return [];
    const current = [...window.rows.values()].filter(({ withdrawn }) => !withdrawn);
    const sum = (count: 'attempts' | 'connects') =>
      current.length === 0 ? '–' : current.reduce((total, row) => total + row[count], 0);
    return [lineOf(account, dateOf(day), current.length, sum('attempts'), sum('connects'))];
  });
  const coverage = windows.map(({ account, day, window }) => {
    const state = window === undefined ? 'missing' : window.loaded ? 'loaded' : 'failed';
    return lineOf(account, dateOf(day), state, window?.held != null, window?.failed ?? false);
  });
  const restatements = oracle.restatements.map(({ account, day, callset, reason, attempts }) =>
    lineOf(account, dateOf(day), callset, reason, attempts ?? '–'),
  );
  const sumsLine = (figures: Figures) => lineOf(figures?.attempts ?? '–', figures?.connects ?? '–');
  const restatedDays = oracle.restatedDays.map((each) =>
    lineOf(
      each.account,
      dateOf(each.day),
      each.campaigns,
      sumsLine(each.before),
      sumsLine(each.after),
      oracle.wasMailed(each),
    ),
  );
  const sentDigests = oracle.built.map((each) =>
    lineOf(
      each.name,
      each.every,
      dateOf(each.first),
      dateOf(each.last),
      1,
      oracle.hasArrived(each.mail) ? 1 : 0,
      each.incomplete,
      each.mayBeLow,
      each.corrects,
      sumsLine(each.figures),
    ),
  );
  const clients = [...oracle.clients].flatMap(([account, known]) =>
    [...known].map(([id, { name, balance, absent }]) => lineOf(account, id, name, Number(balance), absent)),
  );
  const balances = oracle.balances.map(({ account, client, night, balance }) =>
    lineOf(account, client, dateOf(night), Number(balance)),
  );
  const fromAccounts = 'from warehouse.accounts a join';
  const compare = async (of: string, expected: readonly string[], text: string) =>
    differenceOf(
      of,
      expected,
      (await world.query<{ line: string }>(text)).map(({ line }) => line),
    );
  return [
    ...(await compare(
      'campaign_days',
      rows,
      `select concat_ws(' | ', a.name, day, callset_id, campaign, attempts, busies, connects, live_answers,
         withdrawn_at is not null) as line ${fromAccounts} etl.campaign_days using (account_id)`,
    )),
    ...(await compare(
      'account_days',
      sums,
      `select concat_ws(' | ', a.name, day, campaigns, coalesce(attempts::text, '–'), coalesce(connects::text, '–')) as line
       ${fromAccounts} warehouse.account_days using (account_id)`,
    )),
    ...(await compare(
      'coverage',
      coverage,
      `select concat_ws(' | ', account, day, state, held, error_code is not null) as line from warehouse.coverage
       where day < '${dateOf(night)}'`,
    )),
    ...(await compare(
      'freshness',
      // Before the first run nobody knows of any account.
      since === null
        ? []
        : accounts.map(({ name }) => {
            const through = oracle.completeThrough(name, night - 1);
            return lineOf(name, through === null ? '–' : dateOf(through));
          }),
      `select concat_ws(' | ', account, coalesce(complete_through::text, '–')) as line from warehouse.freshness`,
    )),
    ...(await compare(
      'restatements',
      restatements,
      `select concat_ws(' | ', a.name, day, callset_id, reason, coalesce(attempts::text, '–')) as line
       ${fromAccounts} warehouse.campaign_day_restatements using (account_id)`,
    )),
    ...(await compare(
      'restated_days',
      restatedDays,
      `select concat_ws(' | ', account, day, campaigns, ${sumsText('attempts_before', 'connects_before')},
         ${sumsText('attempts', 'connects')}, mailed) as line from warehouse.restated_days`,
    )),
    ...(await compare(
      'sent_digests',
      sentDigests,
      `select concat_ws(' | ', digest, period, first_day, last_day, recipients, delivered, incomplete,
         figures_may_be_low, corrects, ${sumsText('attempts', 'connects')}) as line from warehouse.sent_digests`,
    )),
    ...(await compare(
      'clients',
      clients,
      `select concat_ws(' | ', a.name, c.client_id, c.name, trim_scale(balance), absent_since is not null) as line
       ${fromAccounts} warehouse.clients c using (account_id)`,
    )),
    ...(await compare(
      'client_balances',
      balances,
      `select concat_ws(' | ', a.name, b.client_id, b.day, trim_scale(b.balance)) as line
       ${fromAccounts} warehouse.client_balances b using (account_id)`,
    )),
  ];
}

const sumsText = (...columns: readonly string[]) =>
  columns.map((column) => `coalesce(${column}::text, '–')`).join(', ');

const lineOf = (...cells: readonly unknown[]) =>
  cells.map((cell) => (typeof cell === 'boolean' ? String(cell)[0] : String(cell))).join(' | ');

/** Lines that only one side has; a few of them tell enough. */
function differenceOf(
  of: string,
  expected: readonly string[],
  found: readonly string[],
): Omit<Difference, 'night'>[] {
  const only = (some: readonly string[], others: readonly string[]) => {
    const left = new Map(
      [...Map.groupBy(others, (line) => line)].map(([line, { length }]) => [line, length]),
    );
    return some.filter((line) => {
      const count = left.get(line) ?? 0;
      left.set(line, count - 1);
      return count <= 0;
    });
  };
  const [lacking, beyond] = [only(expected, found), only(found, expected)];
  if (lacking.length + beyond.length === 0) return [];
  return [{ of, expected: lacking.slice(0, 5), found: beyond.slice(0, 5) }];
}

/** The mails of a night: those that arrived, and the figures that a manager reads in them. */
async function compareMails(
  outbox: string,
  expected: readonly ExpectedMail[],
  dateOf: (day: number) => string,
): Promise<Omit<Difference, 'night'>[]> {
  await mkdir(outbox, { recursive: true });
  const files = (await readdir(outbox)).filter((name) => name.endsWith('.eml') && !name.startsWith('alert-'));
  const mails = await Promise.all(
    files.map(async (name) => await readMail(name, await readFile(path.join(outbox, name)))),
  );
  const keyed = (mails: readonly Omit<ExpectedMail, 'recipient' | 'rows' | 'earlier'>[]) =>
    mails.map(({ file, incomplete, mayBeLow, completeThrough, countedTwice }) =>
      lineOf(file, incomplete, mayBeLow, completeThrough, countedTwice),
    );
  const figures = mails.flatMap((mail) => {
    const { rows, earlier } = expected.find(({ file }) => file === mail.file) ?? { rows: [], earlier: [] };
    const attempts = rows.reduce((sum, row) => sum + row.attempts, 0);
    const connects = rows.reduce((sum, row) => sum + row.connects, 0);
    return [
      ...differenceOf(
        `CSV of ${mail.file}`,
        [...rows, ...earlier.flatMap((each) => each.rows)].map((row) =>
          lineOf(
            row.account,
            dateOf(row.day),
            row.callset,
            row.attempts,
            row.busies,
            row.connects,
            row.liveAnswers,
          ),
        ),
        mail.csv,
      ),
      ...differenceOf(
        `earlier periods in ${mail.file}`,
        earlier.map((each) => earlierLine(each, dateOf(each.first))),
        mail.earlier,
      ),
      ...(attempts === 0
        ? []
        : differenceOf(
            `text of ${mail.file}`,
            [`${connects} of ${attempts}`, `${((100 * connects) / attempts).toFixed(1)}%`],
            mail.headline,
          )),
    ];
  });
  return [...differenceOf('mails', keyed(expected), keyed(mails)), ...figures];
}

/** `Complete through Thursday 19 November 2026.` as a date. */
function completeThroughOf(text: string): string | null {
  const [, day] = /^Complete through (.*?)\./m.exec(text) ?? [];
  return day === undefined ? null : new Date(`${day} UTC`).toISOString().slice(0, 10);
}

/** A row of the table of earlier periods: its figures, from → to if they were mailed before, and what it is. */
function earlierLine({ every, figures, before, ...each }: EarlierPeriod, date: string): string {
  const texts = (some: Figures) => [
    some === null ? '–' : some.attempts.toLocaleString('en'),
    some === null || some.attempts === 0 ? '–' : `${((100 * some.connects) / some.attempts).toFixed(1)}%`,
  ];
  const now = texts(figures);
  const then = before === undefined ? now : texts(before);
  const cells = now.map((text, index) => (text === then[index] ? text : `${then[index]} → ${text}`));
  const named = (options: Intl.DateTimeFormatOptions) =>
    new Date(date).toLocaleDateString('en-GB', options).replace(',', '');
  const title = {
    day: named({ weekday: 'short', day: 'numeric', month: 'short' }),
    week: `Week of ${named({ day: 'numeric', month: 'short' })}`,
    month: named({ month: 'long', year: 'numeric' }),
  }[every];
  const marks = [
    before === undefined ? [] : ['corrected'],
    each.incomplete ? ['incomplete'] : [],
    each.mayBeLow ? ['may be low'] : [],
  ].flat();
  const marked = figures === null ? ['not loaded'] : marks;
  return [...cells, title, ...(marked.length === 0 ? [] : [`(${marked.join(', ')})`])].join(' ');
}

async function readMail(file: string, content: Buffer) {
  const mail = await PostalMime.parse(content, { attachmentEncoding: 'utf8' });
  const csv = mail.attachments.find(({ mimeType }) => mimeType === 'text/csv');
  const rows =
    csv === undefined
      ? []
      : (parse(csv.content as string, { columns: true, bom: true }) as Record<string, string>[]);
  const [, rate, connects, attempts] =
    /^Connect rate(?: \([a-z ]+\))?: ([\d.]+%) \(([\d,]+) of ([\d,]+) attempts/m.exec(mail.text!) ?? [];
  /** The rows below a heading and the names of the columns. */
  const table = (heading: string) =>
    (mail.text!.split(`${heading}\n`)[1] ?? '').split('\n\n', 1).join().split('\n').slice(1);
  return {
    file: file.replace(/\.eml$/, ''),
    incomplete: /^(Corrected, )?Incomplete: /.test(mail.subject!),
    mayBeLow: mail.text!.includes('Figures may be low'),
    completeThrough: completeThroughOf(mail.text!),
    countedTwice: mail.text!.includes('counted more than once'),
    earlier: table('EARLIER PERIODS AND CORRECTIONS').map((line) => line.trim().replaceAll(/ +/g, ' ')),
    headline: [`${connects?.replaceAll(',', '')} of ${attempts?.replaceAll(',', '')}`, rate ?? 'no rate'],
    csv: rows
      .filter(({ callset_id }) => callset_id !== '')
      .map((row) =>
        lineOf(
          row.account,
          row.day,
          row.callset_id,
          row.attempts,
          row.busies,
          row.connects,
          row.live_answers,
        ),
      ),
  };
}
