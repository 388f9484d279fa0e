import {
  accounts,
  type Day,
  dateOf,
  type Row,
  type Truth,
  today,
  unreportedCampaign,
  yesterdayOf,
} from './eight-nights.ts';

type Cells = readonly (string | number | boolean | null)[];

/** The answer to each question by the truth alone, in the order and with the columns of the file, but for instants. */
export const answers: Readonly<Record<string, (truth: Truth) => readonly Cells[]>> = {
  '01-top-campaigns': (truth) =>
    [...campaignsOf(rowsOf(truth, 7))]
      .map(([{ account, callset }, rows]) => ({ account, callset, rows, attempts: sum(rows, 'attempts')! }))
      .sort(
        (one, other) =>
          other.attempts - one.attempts || compare(one.account, other.account) || one.callset - other.callset,
      )
      .slice(0, 20)
      .map(({ account, callset, rows, attempts }) => [
        account,
        callset,
        rows[0]!.campaign,
        attempts,
        rateOf(rows),
      ]),

  '02-rate-by-weekday': ({ days }) =>
    weekdays.flatMap((weekday) => {
      const own = days.filter(
        (day) => day.state === 'loaded' && !day.short && weekdayOf(day.day) === weekday,
      );
      const sums = own.flatMap(({ rows }) => sum(rows, 'attempts') ?? []);
      const mean = Math.round(sums.reduce((total, each) => total + each, 0) / sums.length);
      return [[weekday, own.length, mean, rateOf(own.flatMap(({ rows }) => rows))]];
    }),

  '03-falling-balances': ({ clients, balances }) =>
    balances
      .map((balance, index) => ({
        ...balance,
        before: balances
          .slice(0, index)
          .findLast(({ account, client }) => account === balance.account && client === balance.client),
      }))
      .filter(({ before, balance }) => before !== undefined && Number(balance) < Number(before.balance))
      .map(({ account, client, night, balance, before }) => {
        const name = clients.get(account)!.get(client)!.name;
        const fell = (Number(before!.balance) - Number(balance)).toFixed(2);
        return [account, client, name, dateOf(night), before!.balance, balance, fell];
      })
      .sort((one, other) => Number(other[6]) - Number(one[6])),

  '04-restated-days': ({ restated }) =>
    restated
      .map(({ night, campaigns, before, after }) => {
        const [was, is] = [sum(before.rows, 'attempts'), sum(after.rows, 'attempts')];
        const percent = was && is !== null ? (100 * (is / was - 1)).toFixed(1) : null;
        return [after.account, after.day, night, campaigns, was, is, (is ?? 0) - (was ?? 0), percent, true];
      })
      .sort(
        (one, other) =>
          compare(`${other[2]}`, `${one[2]}`) ||
          compare(`${one[0]}`, `${other[0]}`) ||
          compare(`${one[1]}`, `${other[1]}`),
      ),

  '05-missing-days': ({ days }) =>
    days
      .filter(({ state, held }) => state !== 'loaded' || held)
      .sort((one, other) => compare(other.day, one.day) || compare(one.account, other.account))
      .map(({ account, day, state, held }) => [
        account,
        day,
        state,
        held,
        state === 'failed' ? 'TOKEN_REFUSED' : null,
      ]),

  '06-month-to-date': ({ days }) =>
    accounts.toSorted().flatMap((account) => {
      const yesterday = yesterdayOf(account);
      const month = (from: Temporal.PlainDate, to: Temporal.PlainDate) =>
        days
          .filter((each) => each.account === account && each.day >= `${from}` && each.day <= `${to}`)
          .flatMap(({ rows }) => rows);
      const first = yesterday.with({ day: 1 });
      const now = month(first, yesterday);
      const last = month(first.subtract({ months: 1 }), yesterday.subtract({ months: 1 }));
      return [
        [
          account,
          `${yesterday}`,
          sum(now, 'attempts'),
          sum(last, 'attempts'),
          sum(now, 'connects'),
          sum(last, 'connects'),
        ],
      ];
    }),

  '07-ended-campaigns': (truth) =>
    [...campaignsOf(rowsOf(truth, 14))]
      .map(([{ account, callset }, rows]) => ({ account, callset, rows, last: rows.at(-1)! }))
      .filter(({ last }) => last.day < daysAgo(7))
      .sort(
        (one, other) =>
          compare(other.last.day, one.last.day) ||
          compare(one.account, other.account) ||
          one.callset - other.callset,
      )
      .map(({ account, callset, rows, last }) => [
        account,
        callset,
        last.campaign,
        last.day,
        sum(rows, 'attempts'),
      ]),

  '08-new-clients': ({ newClients }) =>
    [...Map.groupBy(newClients, ({ account, night }) => `${mondayOf(night)} ${account}`)]
      .sort(([one], [other]) => compare(other, one))
      .map(([key, { length }]) => [...key.split(' ').reverse(), length]),

  '09-names': ({ renamed }) =>
    renamed
      .toSorted((one, other) => one.id - other.id)
      .map(({ account, id, before, now }) => [account, id, before, now, dateOf(0), dateOf(4)]),

  '10-not-reported': (truth) =>
    accounts.toSorted().map((account) => {
      const rows = rowsOf(truth, 7).filter((row) => row.account === account);
      const unreported = rows.filter(({ campaign }) => campaign === unreportedCampaign).length;
      return [account, rows.length, '0.0', '0.0', '0.0', ((100 * unreported) / rows.length).toFixed(1)];
    }),

  '11-accounts-compared': ({ days }) => {
    const recent = days.filter(({ day, state }) => day >= daysAgo(28) && state === 'loaded');
    const all = sum(
      recent.flatMap(({ rows }) => rows),
      'attempts',
    )!;
    return accounts
      .map((account) => {
        const own = recent.filter((day) => day.account === account);
        const rows = own.flatMap((day) => day.rows);
        return { account, own, rows, attempts: sum(rows, 'attempts')! };
      })
      .sort((one, other) => other.attempts - one.attempts)
      .map(({ account, own, rows, attempts }) => [
        account,
        own.length,
        attempts,
        ((100 * attempts) / all).toFixed(1),
        rateOf(rows),
        own.filter(({ short }) => short).length,
      ]);
  },

  '12-freshness': ({ days }) =>
    accounts
      .map((account) => {
        const own = days.filter((day) => day.account === account);
        const open = own.filter(({ state }) => state !== 'loaded');
        const complete = own.filter(({ day }) => open.length === 0 || day < open[0]!.day);
        return [account, complete.at(-1)!.day, open.length] as const;
      })
      .sort((one, other) => compare(one[1], other[1]) || compare(one[0], other[0])),
};

const weekdays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
const weekdayOf = (day: string) => weekdays[Temporal.PlainDate.from(day).dayOfWeek - 1]!;
const mondayOf = (day: string) => {
  const date = Temporal.PlainDate.from(day);
  return date.subtract({ days: date.dayOfWeek - 1 }).toString();
};
const daysAgo = (days: number) => today.subtract({ days }).toString();
const compare = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0);

type DayRow = Row & Pick<Day, 'account' | 'day'>;

/** Current rows of the last days before today, by day. */
function rowsOf({ days }: Truth, last: number): DayRow[] {
  return days
    .filter(({ day }) => day >= daysAgo(last))
    .flatMap(({ account, day, rows }) => rows.map((row) => ({ ...row, account, day })));
}

function* campaignsOf(rows: readonly DayRow[]) {
  for (const own of Map.groupBy(rows, ({ account, callset }) => `${account} ${callset}`).values())
    yield [own[0]!, own] as const;
}

/** The sum; null of nothing. */
const sum = (rows: readonly Row[], of: 'attempts' | 'connects') =>
  rows.length === 0 ? null : rows.reduce((total, row) => total + row[of], 0);

const rateOf = (rows: readonly Row[]) => (sum(rows, 'connects')! / sum(rows, 'attempts')!).toFixed(4);
