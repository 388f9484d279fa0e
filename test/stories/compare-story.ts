import { mkdir, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { parse } from 'csv-parse/sync';
import PostalMime from 'postal-mime';
import { type Counts, countNames, rateOf, sumOf, total, typicalOf } from './figures.ts';
import { type Life, type LivedNight, type OpenLife, openLife } from './live-story.ts';
import { restatedDaysOf } from './mails.ts';
import type { AccountState, BuiltMail, Figures, ToldPeriod } from './state.ts';
import { completeThrough, windowOf } from './sync.ts';
import { daysIn, type Window } from './windows.ts';

/** A difference between what the oracle expects and what Callsheet says. */
type Difference = {
  readonly night: string;
  readonly of: string;
  readonly expected: readonly string[];
  readonly found: readonly string[];
};

export type Compared = {
  /** Of the first night that differs. */
  readonly differences: readonly Difference[];
  /** How many lines of each kind were compared. */
  readonly lines: ReadonlyMap<string, number>;
};

/** Lives through a story and compares tables and mails after each night. Stops at the first night that differs. */
export async function compareStory(life: Life): Promise<Compared> {
  const open = await openLife(life);
  const lines = new Map<string, number>();
  const compare: Compare = (of, kind, expected, found) => {
    lines.set(kind, (lines.get(kind) ?? 0) + found.length);
    const [lacking, beyond] = [onlyIn(expected, found), onlyIn(found, expected)];
    if (lacking.length + beyond.length === 0) return [];
    return [{ of, expected: lacking.slice(0, 5), found: beyond.slice(0, 5) }];
  };
  const isQuiet = (number: number) => life.story.nights[number]?.some(({ event }) => event === 'no run');
  try {
    for (const number of life.story.nights.keys()) {
      const night = await open.live(number);
      // Between nights without a run only time passes.
      if (isQuiet(number) && isQuiet(number + 1)) continue;
      const found = [
        ...(await compareTables(open, number, compare)),
        ...(await compareMails(night, open.dateOf, compare)),
      ];
      const differences = found.map((difference) => ({ night: open.dateOf(number), ...difference }));
      if (differences.length > 0) return { differences, lines };
    }
    return { differences: [], lines };
  } finally {
    await open.close();
  }
}

type Found = Omit<Difference, 'night'>;
type Compare = (of: string, kind: string, expected: readonly string[], found: readonly string[]) => Found[];

/** Lines of one side that the other one hasn't as often. */
function onlyIn(some: readonly string[], others: readonly string[]): string[] {
  const left = new Map([...Map.groupBy(others, (line) => line)].map(([line, { length }]) => [line, length]));
  return some.filter((line) => {
    const count = left.get(line) ?? 0;
    left.set(line, count - 1);
    return count <= 0;
  });
}

async function compareTables(
  { world, story, state, dateOf }: OpenLife,
  night: number,
  compare: Compare,
): Promise<Found[]> {
  const days = daysIn(state);
  const windows = story.accounts.flatMap(({ name: account }) => {
    const since = state.since.get(account) ?? night;
    return Array.from({ length: night - since }, (_, index) => since + index).map((day) => ({
      account,
      day,
      date: dateOf(day),
      window: windowOf(state, account, day),
    }));
  });
  const lastLoaded = new Map(
    windows.flatMap(({ account, day, window }) => (window?.loaded ? [[account, day]] : [])),
  );
  /** Of an account that the settings don't name any more, up to the last that was loaded. */
  const expected = windows.filter(
    ({ account, day }) => state.accounts.includes(account) || day <= (lastLoaded.get(account) ?? -Infinity),
  );
  const loaded = windows.flatMap(({ account, day, date, window }) =>
    window?.loaded
      ? [{ account, day, date, window, rows: days.rowsOf(account, { first: day, last: day }) }]
      : [],
  );
  const fromAccounts = 'from warehouse.accounts a join';
  const tables: readonly (readonly [
    view: string,
    columns: string,
    from: string,
    expected: readonly Cell[][],
  ])[] = [
    [
      'campaign_days',
      `a.name, day, callset_id, campaign, attempts, busies, connects, live_answers, withdrawn_at is not null`,
      `${fromAccounts} etl.campaign_days using (account_id)`,
      windows.flatMap(({ account, date, window }) =>
        [...(window?.rows ?? [])].map(([id, row]) => [
          account,
          date,
          id,
          row.campaign,
          ...countsOf(row),
          row.withdrawn,
        ]),
      ),
    ],
    [
      'account_performance',
      `account, day, listed_campaigns, attempts, busies, connects, live_answers, connect_rate, live_answer_rate, busy_rate,
       provisional, typical_attempts, typical_connect_rate, attempts_change_ratio, connect_rate_change_points`,
      'from warehouse.account_performance',
      loaded.map(({ account, day, date, window, rows }) => {
        const sums = countNames.map((name) => sumOf(rows, name));
        const rates = (['connects', 'liveAnswers', 'busies'] as const).map((name) =>
          quotient(rateOf(rows, name)),
        );
        const typical = typicalOf(days, account, day);
        const attempts = typical.length === 0 ? null : mean(typical.map((some) => sumOf(some, 'attempts')!));
        const parts = typical.map((some) =>
          some.length === 0 ? { part: 0, attempts: 0 } : rateOf(some, 'connects'),
        );
        const isRated = parts.length > 0 && !parts.includes(null);
        const typicalRate = isRated
          ? quotient({
              part: mean(parts.map((each) => each!.part)),
              attempts: mean(parts.map((each) => each!.attempts)),
            })
          : null;
        const isConfirmed = window.confirmed;
        const change = attempts && sums[0] != null ? sums[0] / attempts - 1 : null;
        const rateChange = typicalRate !== null && rates[0] != null ? 100 * (rates[0] - typicalRate) : null;
        const changes = isConfirmed ? [change, rateChange] : [null, null];
        return [
          account,
          date,
          rows.length,
          ...sums,
          ...rates,
          !isConfirmed,
          attempts,
          typicalRate,
          ...changes,
        ];
      }),
    ],
    [
      'coverage',
      'account, day, state, held, restated, reason_code is not null',
      `from warehouse.coverage where day < '${dateOf(night)}'`,
      expected.map(({ account, day, date, window }) => [
        account,
        date,
        stateOf(window),
        window?.held === true,
        state.restatements.some((each) => each.account === account && each.day === day),
        window?.failed === true || window?.held === true || stateOf(window) === 'provisional',
      ]),
    ],
    [
      'freshness',
      'account, complete_through_day',
      'from warehouse.freshness',
      story.accounts
        .filter(({ name }) => state.accounts.includes(name))
        .map(({ name }) => {
          const through = completeThrough(state, name, night - 1);
          return [name, through === null ? null : dateOf(through)];
        }),
    ],
    [
      'restatements',
      'a.name, day, callset_id, reason, attempts_before',
      `${fromAccounts} warehouse.campaign_day_restatements using (account_id)`,
      state.restatements.map(({ account, day, callset, reason, before }) => [
        account,
        dateOf(day),
        callset,
        reason,
        before?.attempts ?? null,
      ]),
    ],
    [
      'restated_days',
      'account, day, changed_campaigns, attempts_before, connects_before, attempts_after, connects_after, mailed',
      'from warehouse.restated_days',
      restatedDaysOf(state).map((each) => [
        each.account,
        dateOf(each.day),
        each.campaigns,
        ...cellsOf(each.before),
        ...cellsOf(each.after),
        each.wasMailed,
      ]),
    ],
    [
      'mailed_periods',
      'digest, period, first_day, last_day, account, state, missing_days, attempts, connects, m.recipients, m.delivered',
      'from warehouse.mailed_periods p join warehouse.mails m using (mail_id, digest, period)',
      state.mails.flatMap(({ digest: { name, every }, delivery, periods }) =>
        periods.flatMap(({ period, accounts }) =>
          accounts.map((each) => [
            name,
            every,
            dateOf(period.first),
            dateOf(period.last),
            each.account,
            mailedStateOf(each),
            each.lacking.length,
            ...(each.hasFigures
              ? [sumOf(each.rows, 'attempts'), sumOf(each.rows, 'connects')]
              : [null, null]),
            1,
            delivery === 'arrived' ? 1 : 0,
          ]),
        ),
      ),
    ],
    [
      'clients',
      'a.name, c.client_id, c.name, trim_scale(balance), absent_at is not null',
      `${fromAccounts} warehouse.clients c using (account_id)`,
      [...state.clients].flatMap(([account, known]) =>
        [...known].map(([id, { name, balance, isAbsent }]) => [account, id, name, Number(balance), isAbsent]),
      ),
    ],
    [
      'client_balances',
      'a.name, b.client_id, b.day, trim_scale(b.balance)',
      `${fromAccounts} warehouse.client_balances b using (account_id)`,
      state.balances.map(({ account, client, night, balance }) => [
        account,
        client,
        dateOf(night),
        Number(balance),
      ]),
    ],
  ];
  const found: Found[] = [];
  for (const [view, columns, from, expected] of tables) {
    const rows = await world.query<{ line: string }>(
      `select json_build_array(${columns})::text as line ${from}`,
    );
    const lines = rows.map(({ line }) => lineOf(JSON.parse(line)));
    found.push(...compare(view, view, expected.map(lineOf), lines));
  }
  return found;
}

function mailedStateOf({ hasFigures, lacking, provisional }: AccountState) {
  if (!hasFigures) return 'absent';
  if (lacking.length > 0) return 'incomplete';
  return provisional.length > 0 ? 'provisional' : 'whole';
}

function stateOf(window: Window | undefined) {
  if (window === undefined) return 'missing';
  if (!window.loaded) return 'failed';
  return window.confirmed ? 'loaded' : 'provisional';
}

type Cell = string | number | boolean | null;
const lineOf = (cells: readonly Cell[]) => cells.map(textOf).join(' | ');
/** Postgres divides decimally: the last bits of a double differ. */
const textOf = (cell: Cell) =>
  typeof cell === 'number' && !Number.isInteger(cell) ? Number(cell.toPrecision(9)) : (cell ?? '–');
const countsOf = (row: Counts) => countNames.map((name) => row[name]);
const cellsOf = ({ attempts, connects }: Figures) => [attempts, connects];
const mean = (numbers: readonly number[]) => total(numbers) / numbers.length;
const quotient = (rate: ReturnType<typeof rateOf>) =>
  rate === null || rate.attempts === 0 ? null : rate.part / rate.attempts;

/** The mails of a night: those that arrived, their CSV, and the figures that their two texts show. */
async function compareMails(
  { outbox, mails }: LivedNight,
  dateOf: OpenLife['dateOf'],
  compare: Compare,
): Promise<Found[]> {
  await mkdir(outbox, { recursive: true });
  const names = (await readdir(outbox)).filter((name) => name.endsWith('.eml') && !name.startsWith('alert-'));
  const arrived = compare(
    'mails',
    'mails',
    mails.map(({ file }) => `${file}.eml`),
    names,
  );
  if (arrived.length > 0) return arrived;
  const found: Found[] = [];
  for (const mail of mails)
    found.push(
      ...(await compareMail(mail, await readFile(path.join(outbox, `${mail.file}.eml`)), dateOf, compare)),
    );
  return found;
}

async function compareMail(
  { file, rows, periods }: BuiltMail,
  content: Buffer,
  dateOf: OpenLife['dateOf'],
  compare: Compare,
): Promise<Found[]> {
  const { text, html, attachments } = await PostalMime.parse(content, { attachmentEncoding: 'utf8' });
  const csv = attachments.find(({ mimeType }) => mimeType === 'text/csv')!;
  const listed: Record<string, string>[] = parse(csv.content as string, { columns: true, bom: true });
  const shown = new Set(text!.match(/\d+(,\d{3})*(\.\d+)?%?/g));
  const expected = expectedFigures(periods);
  return [
    ...compare(
      `CSV of ${file}`,
      'CSV',
      rows.map((row) => lineOf([row.account, dateOf(row.day), row.callset, ...countsOf(row), row.status])),
      listed
        .filter(({ callset_id }) => callset_id !== '')
        .map((row) => csvColumns.map((column) => row[column] || '–').join(' | ')),
    ),
    ...compare(
      `figures of ${file}`,
      'figures',
      expected,
      expected.filter((figure) => shown.has(figure)),
    ),
    // Text and HTML say the same: no figure of one is missing in the other.
    ...compare(
      `HTML of ${file}`,
      'HTML',
      [],
      [...shown].filter((figure) => !html!.includes(figure)),
    ),
  ];
}

const oneDigit = { style: 'percent', minimumFractionDigits: 1, maximumFractionDigits: 1 } as const;

/** The attempts of each period that a mail tells, unless it sums them, and the connect rate of the one in full. */
function expectedFigures(periods: readonly ToldPeriod[]): string[] {
  const rowsOf = ({ accounts }: ToldPeriod) => accounts.flatMap(({ rows }) => rows);
  const attempts = periods.slice(-11).map((period) => sumOf(rowsOf(period), 'attempts'));
  const rate = attempts.at(-1) === 0 ? null : quotient(rateOf(rowsOf(periods.at(-1)!), 'connects'));
  return [
    ...attempts.filter((sum) => sum !== null && sum > 0).map((sum) => sum!.toLocaleString('en')),
    ...(rate === null ? [] : [rate.toLocaleString('en', oneDigit)]),
  ];
}

const csvColumns = [
  'account',
  'day',
  'callset_id',
  'attempts',
  'busies',
  'connects',
  'live_answers',
  'status',
];
