import { type CountName, countNames, type Row, rateOf, sumOf } from '../stories/figures.ts';
import {
  accounts,
  type Day,
  datasetOfMarch,
  renaming,
  type Truth,
  today,
  yesterdayOf,
} from './analysts-story.ts';

type Cells = readonly (string | number | boolean | null)[];

/** The answer to each question by the truth alone, in the order and with the columns of the file, but for instants. */
export const answers: Readonly<Record<string, (truth: Truth) => readonly Cells[]>> = {
  '01-top-campaigns': (truth) =>
    campaignsOf(truth, 7)
      .map(
        ([{ account, callset, campaign }, rows]) =>
          [account, callset, campaign, sumOf(rows, 'attempts')!, rateText(rows)] as const,
      )
      .sort((one, other) => other[3] - one[3] || compare(one[0], other[0]) || one[1] - other[1])
      .slice(0, 20),

  '02-rate-by-weekday': ({ days }) =>
    weekdays.map((weekday, index) => {
      const own = days.filter(
        ({ day, state, provisional }) =>
          state === 'loaded' && !provisional && Temporal.PlainDate.from(day).dayOfWeek === index + 1,
      );
      const sums = own.flatMap(({ rows }) => sum(rows, 'attempts') ?? []);
      const mean = Math.round(sums.reduce((total, each) => total + each, 0) / sums.length);
      return [weekday, own.length, mean, rateText(own.flatMap(({ rows }) => rows))];
    }),

  '03-falling-balances': ({ oracle: { clients, balances }, dateOf }) =>
    balances
      .map(({ account, client, night, balance }, index) => {
        const before = balances
          .slice(0, index)
          .findLast((each) => each.account === account && each.client === client);
        return { account, client, day: dateOf(night), balance, before: before?.balance };
      })
      .filter(({ account, client, day, balance, before }) => {
        const isListed = clients.get(account)!.get(client)!.absentAt === null;
        return isListed && day >= daysAgo(7) && Number(balance) < Number(before);
      })
      .map(({ account, client, day, balance, before }) => {
        const fell = Number(before) - Number(balance);
        return {
          fell,
          cells: [
            account,
            client,
            clients.get(account)!.get(client)!.name,
            day,
            before!,
            balance,
            fell.toFixed(2),
          ],
        };
      })
      .sort((one, other) => other.fell - one.fell)
      .map(({ cells }) => cells),

  '04-restated-days': ({ oracle, dateOf }) =>
    oracle
      .restatedDays()
      .map((each) => {
        const [was, is] = [each.before?.attempts ?? null, each.after?.attempts ?? null];
        const percent = was && is !== null ? (100 * (is / was - 1)).toFixed(1) : null;
        const [day, night] = [dateOf(each.day), dateOf(each.night)];
        return [
          each.account,
          day,
          night,
          each.campaigns,
          was,
          is,
          (is ?? 0) - (was ?? 0),
          percent,
          oracle.wasMailed(each),
        ] as const;
      })
      .sort(
        (one, other) => compare(other[2], one[2]) || compare(one[0], other[0]) || compare(one[1], other[1]),
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
    accounts.toSorted().map((account) => {
      const yesterday = yesterdayOf(account);
      const month = (from: Temporal.PlainDate, to: Temporal.PlainDate) =>
        days
          .filter((each) => each.account === account && each.day >= `${from}` && each.day <= `${to}`)
          .flatMap(({ rows }) => rows);
      const first = yesterday.with({ day: 1 });
      const both = [
        month(first, yesterday),
        month(first.subtract({ months: 1 }), yesterday.subtract({ months: 1 })),
      ];
      const sums = (['attempts', 'connects'] as const).flatMap((name) => both.map((rows) => sum(rows, name)));
      return [account, `${yesterday}`, ...sums];
    }),

  '07-ended-campaigns': (truth) =>
    campaignsOf(truth, 14)
      .map(([first, rows]) => ({ ...first, rows, last: truth.dateOf(rows.at(-1)!.day) }))
      .filter(({ last }) => last < daysAgo(7))
      .sort(
        (one, other) =>
          compare(other.last, one.last) || compare(one.account, other.account) || one.callset - other.callset,
      )
      .map(({ account, callset, campaign, rows, last }) => [
        account,
        callset,
        campaign,
        last,
        sum(rows, 'attempts'),
      ]),

  '08-new-clients': ({ oracle: { balances }, dateOf }) => {
    const firstSeen = [
      ...Map.groupBy(balances, ({ account, client }) => `${account} ${client}`).values(),
    ].map(([first]) => first!);
    const later = firstSeen.filter(({ night }) => night > 0);
    return [...Map.groupBy(later, ({ account, night }) => `${mondayOf(dateOf(night))} ${account}`)]
      .sort(([one], [other]) => compare(other, one))
      .map(([key, { length }]) => [...key.split(' ').reverse(), length]);
  },

  '09-names': ({ oracle, dateOf }) => {
    const before = new Map(
      datasetOfMarch()
        .clients('valley')
        .map((client) => [client.clientid, client.clientname]),
    );
    return [...oracle.clients.get('valley')!]
      .filter(([id, { name }]) => before.get(id) !== name)
      .sort(([one], [other]) => one - other)
      .map(([id, { name }]) => ['valley', id, before.get(id)!, name, dateOf(0), dateOf(renaming)]);
  },

  '10-not-reported': (truth) =>
    accounts.toSorted().map((account) => {
      const rows = rowsOf(truth, 7).filter((row) => row.account === account);
      const left = (name: CountName) => rows.filter((row) => row[name] === null).length;
      return [
        account,
        rows.length,
        ...countNames.map((name) => ((100 * left(name)) / rows.length).toFixed(1)),
      ];
    }),

  '11-accounts-compared': ({ days }) => {
    const recent = days.filter(
      ({ day, state }) => day >= daysAgo(28) && day < daysAgo(0) && state === 'loaded',
    );
    const all = sumOf(
      recent.flatMap(({ rows }) => rows),
      'attempts',
    )!;
    return accounts
      .map((account) => {
        const own = recent.filter((day) => day.account === account);
        const rows = own.flatMap((day) => day.rows);
        const attempts = sumOf(rows, 'attempts')!;
        const provisional = own.filter((day) => day.provisional).length;
        return [
          account,
          own.length,
          attempts,
          ((100 * attempts) / all).toFixed(1),
          rateText(rows),
          provisional,
        ] as const;
      })
      .sort((one, other) => other[2] - one[2]);
  },

  '12-freshness': ({ days }) =>
    accounts
      .map((account) => {
        const own = days.filter((day) => day.account === account);
        const open = own.filter(({ state, provisional }) => state !== 'loaded' || provisional);
        const complete = own.filter(({ day }) => open.length === 0 || day < open[0]!.day);
        return [account, complete.at(-1)!.day, open.length] as const;
      })
      .sort((one, other) => compare(one[1], other[1]) || compare(one[0], other[0])),
};

const weekdays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
const mondayOf = (day: string) => {
  const date = Temporal.PlainDate.from(day);
  return date.subtract({ days: date.dayOfWeek - 1 }).toString();
};
const daysAgo = (days: number) => today.subtract({ days }).toString();
const compare = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0);

/** Current rows of the last days before today, by day. */
const rowsOf = ({ days }: Truth, last: number) =>
  days.filter(({ day }: Day) => day >= daysAgo(last)).flatMap(({ rows }) => rows);

const campaignsOf = (truth: Truth, last: number) =>
  [...Map.groupBy(rowsOf(truth, last), ({ account, callset }) => `${account} ${callset}`).values()].map(
    (rows) => [rows[0]!, rows] as const,
  );

/** Null of a day without campaigns, as the table has it. */
const sum = (rows: readonly Row[], name: CountName) => (rows.length === 0 ? null : sumOf(rows, name));

function rateText(rows: readonly Row[]): string {
  const { part, attempts } = rateOf(rows, 'connects')!;
  return (part / attempts).toFixed(4);
}
