import {
  accounts,
  type Client,
  clients,
  type Day,
  dateIn,
  dayAgo,
  days,
  firstNightOf,
  hasArrived,
  isConfirmed,
  isLoaded,
  loadedAt,
  mails,
  nightAgo,
  nights,
  type Row,
  reported,
  runs,
  weekdayOf,
  zoneOf,
} from './story.ts';

/** Of whoever asks: `current_date` is the day in the zone of the session. */
export type Session = { readonly zone: string; readonly today: Temporal.PlainDate };
export type Cells = readonly (string | number | boolean | null)[];
type Answer = (session: Session) => readonly Cells[];

/** The answer to each of the thirty by the story alone, in the order and with the columns of the file. */
export const answers: Readonly<Record<string, Answer>> = {
  '01-top-campaigns': (session) =>
    byCampaign(rowsOf(daysOf(session, 7)))
      .map(({ account, id, rows, name }) => [
        account,
        id,
        name,
        known(rows, 'attempts'),
        rate(rows),
        provisionalDays(rows),
      ])
      .sort(byCells([3, 'desc'], 0, 1))
      .slice(0, 20),

  '02-rate-by-weekday': (session) =>
    byWeekday(daysOf(session, 84).filter(isConfirmed)).map(([weekday, own]) => {
      const attempts = sumOf(own, 'attempts');
      return [
        weekday,
        own.length,
        attempts === null ? null : fixed(attempts, own.length, 0),
        rate(rowsOf(own)),
      ];
    }),

  '03-falling-balances': (session) =>
    clients
      .filter(isListedNow)
      .flatMap((client) => balancesOf(client).map((change) => ({ client, ...change })))
      .filter(
        ({ day, balance, before }) => day > daysBefore(session, 7) && before !== null && balance! < before,
      )
      .map(({ client: { account, id, name }, day, balance, before }) => [
        account,
        id,
        name(0),
        day,
        before,
        balance,
        before! - balance!,
      ])
      .sort(byCells([6, 'desc'], 0, 1, 3)),

  '04-restated-days': (session) =>
    restatements
      .filter(({ at }) => isSince(at, session, 30))
      .map(({ account, day, at, changed, before, after, mailed }) => {
        const [was, is] = [reported(before, 'attempts')!, reported(after, 'attempts')!];
        return [
          account,
          day,
          `${at}`,
          changed,
          was,
          is,
          is - was,
          was === 0 ? null : fixed(100 * (is - was), was, 1),
          mailed,
        ];
      })
      .sort(byCells([2, 'desc'], 0, 1)),

  '05-missing-days': () =>
    days
      .filter((day) => !isConfirmed(day) || day.held)
      .map((each) => [each.account, each.day, each.state, each.held, ...reasonOf(each)])
      .sort(byCells([1, 'desc'], 0)),

  '06-month-to-date': (session) =>
    byAccount(days.filter((each) => each.day >= daysBefore(session, 62) && isConfirmed(each))).map(
      ([account, own]) => {
        const last = Temporal.PlainDate.from(own.at(-1)!.day);
        const first = last.with({ day: 1 });
        const before = first.subtract({ months: 1 });
        const lastBefore = before.with({ day: Math.min(last.day, before.daysInMonth) });
        const all = days.filter((day) => day.account === account && isConfirmed(day));
        const both = [all.filter(within(first, last)), all.filter(within(before, lastBefore))];
        const sum = (some: readonly Day[], name: 'attempts' | 'connects') =>
          some.length === 0 ? null : sumOf(some, name);
        return [
          account,
          `${last}`,
          ...both.map(({ length }) => length),
          ...both.map((some) => some.filter(({ day }) => weekdayOf(day) < 6).length),
          ...both.map((some) => sum(some, 'attempts')),
          ...both.map((some) => sum(some, 'connects')),
        ];
      },
    ),

  '07-ended-campaigns': (session) =>
    byCampaign(rowsOf(days))
      .map((each) => ({ ...each, called: each.rows.filter(({ attempts }) => (attempts ?? 0) > 0) }))
      .map(({ called, ...each }) => ({
        ...each,
        last: called.filter(isOfConfirmed).at(-1)?.day,
        newest: called.at(-1)?.day,
      }))
      .filter(
        ({ last, newest }) =>
          last === newest && last! >= daysBefore(session, 14) && last! < daysBefore(session, 7),
      )
      .map(({ account, id, name, last }) => {
        const since = daysOf(session, 7).filter((day) => day.account === account && isConfirmed(day));
        return [account, id, name, last!, since.length];
      })
      .sort(byCells([3, 'desc'], 0, 1)),

  '08-new-clients': () => {
    const later = clients.filter((client) => firstNightOf(client) < nights[0]!);
    const weeks = Map.groupBy(
      later,
      (client) => `${mondayOf(dayIn(client.account, firstNightOf(client)))} ${client.account}`,
    );
    return [...weeks]
      .map(([key, { length }]) => [...key.split(' ').reverse(), length])
      .sort(byCells([1, 'desc'], 0));
  },

  '09-names': () =>
    clients
      .flatMap((client) =>
        namesOf(client)
          .slice(0, -1)
          .map((each, index) => ({ client, ...each, next: namesOf(client)[index + 1]! })),
      )
      .map(({ client: { account, id, name: nameAt }, name, night, next }) => [
        account,
        id,
        name,
        nameAt(0),
        `${nightAgo(night)}`,
        `${nightAgo(next.night)}`,
      ])
      .sort(byCells([5, 'desc'], 0, 1)),

  '10-not-reported': (session) =>
    byAccount(daysOf(session, 7)).flatMap(([account, own]) => {
      const rows = rowsOf(own);
      if (rows.length === 0) return [];
      const without = countNames.map((name) => rows.filter((row) => row[name] === null).length);
      return [
        [
          account,
          rows.length,
          ...without.map((each) => fixed(100 * each, rows.length, 1)),
          provisionalDays(rows) > 0,
        ],
      ];
    }),

  '11-accounts-compared': (session) => {
    const all = sumOf(daysOf(session, 28), 'attempts');
    return byAccount(daysOf(session, 28))
      .map(([account, own]) => {
        const attempts = sumOf(own, 'attempts');
        const percent = all === null || attempts === null ? null : fixed(100 * attempts, all, 1);
        return [account, own.length, attempts, percent, rate(rowsOf(own)), own.filter(isProvisional).length];
      })
      .sort(byCells([2, 'desc'], 0));
  },

  '12-freshness': () =>
    byAccount(days)
      .filter(([account]) => !hasRetired(account))
      .map(([account, own]) => {
        const open = own.filter((day) => !isConfirmed(day));
        const complete = own.filter(({ day }) => open.length === 0 || day < open[0]!.day);
        const synced = own.flatMap(({ loads }) =>
          loads.filter(({ held }) => !held).map(({ night }) => night),
        );
        return [account, complete.at(-1)?.day ?? null, open.length, `${nightAgo(Math.min(...synced))}`];
      })
      .sort(
        (one, other) =>
          compare(`${one[1] ?? ''}`, `${other[1] ?? ''}`) || compare(`${one[0]}`, `${other[0]}`),
      ),

  '13-best-and-worst-days': (session) =>
    byAccount(daysOf(session, 28).filter(isConfirmed)).flatMap(([account, own]) => {
      const rated = own
        .map(({ day, rows }) => ({ day, ...parts(rows) }))
        .filter(({ base }) => base >= 100)
        .sort((one, other) => other.part / other.base - one.part / one.base || compare(one.day, other.day));
      if (rated.length === 0) return [];
      const worst = rated.filter(
        ({ part, base }) => part * rated.at(-1)!.base === rated.at(-1)!.part * base,
      )[0]!;
      return [rated[0]!, worst].map(({ day, part, base }, index) => [
        account,
        day,
        base,
        fixed(part, base, 4),
        ['best', 'worst'][index]!,
      ]);
    }),

  '14-two-campaigns': (session) => {
    const all = byCampaign(rowsOf(daysOf(session, 14)));
    const pair = all
      .sort((one, other) => (reported(other.rows, 'attempts') ?? 0) - (reported(one.rows, 'attempts') ?? 0))
      .slice(0, 2);
    const listed = [...new Set(pair.flatMap(({ rows }) => rows.map(({ day }) => day)))].sort();
    return listed.map((day) => {
      const both = pair.map(({ rows }) => rows.filter((row) => row.day === day));
      const figures = both.flatMap((rows) => [
        rows.length === 0 ? null : known(rows, 'attempts'),
        rate(rows),
      ]);
      return [day, ...figures, provisionalDays(both.flat()) > 0];
    });
  },

  '15-campaign-totals': (session) =>
    byCampaign(rowsOf(daysOf(session, 28)))
      .filter(({ rows }) => rows.some(({ attempts }) => (attempts ?? 0) > 0))
      .sort((one, other) => reported(other.rows, 'attempts')! - reported(one.rows, 'attempts')!)
      .map(({ account, id, name, rows }) => [
        account,
        id,
        name,
        new Set(rows.map(({ campaign }) => campaign)).size,
        rows.filter(({ attempts }) => (attempts ?? 0) > 0).length,
        known(rows, 'attempts'),
        known(rows, 'connects'),
        provisionalDays(rows),
      ]),

  '16-top-three-share': (session) =>
    byAccount(daysOf(session, 7)).flatMap(([account, own]) => {
      const rows = rowsOf(own);
      const all = known(rows, 'attempts');
      if (all === null || rows.length === 0) return [];
      const each = byCampaign(rows)
        .map((campaign) => known(campaign.rows, 'attempts')!)
        .sort((one, other) => other - one);
      return [[account, all, fixed(100 * total(each.slice(0, 3)), all, 1), provisionalDays(rows) > 0]];
    }),

  '17-started-campaigns': (session) =>
    byCampaign(rowsOf(days.filter(isConfirmed)))
      .flatMap(({ account, id, rows }) => {
        const first = rows.find(({ attempts }) => (attempts ?? 0) > 0)?.day;
        if (first === undefined || first < daysBefore(session, 7)) return [];
        const week = daysOf(session, 7).filter((day) => day.account === account && isConfirmed(day));
        const own = rowsOf(week).filter(({ callset }) => callset === id);
        const newest = rowsOf(days.filter(isLoaded)).findLast(
          (row) => row.account === account && row.callset === id,
        )!;
        const weekBefore = days.filter(
          (each) =>
            each.account === account && isConfirmed(each) && each.day < first && each.day >= addTo(first, -7),
        );
        return [
          [
            account,
            id,
            newest.campaign,
            first,
            weekBefore.length === 7,
            known(own, 'attempts'),
            rate(own),
            rate(rowsOf(week)),
          ] as const,
        ];
      })
      .sort(byCells([5, 'desc'], 0, 1)),

  '18-how-late-corrections': (session) => {
    const recent = restatements.filter(({ at }) => isSince(at, session, 90));
    return [...Map.groupBy(recent, ({ account, at, day }) => daysBetween(day, dateIn(zoneOf(account), at)))]
      .map(([later, own]) => [
        later,
        own.length,
        own.filter(({ mailed }) => mailed).length,
        total(
          own.map(({ before, after }) =>
            Math.abs(reported(after, 'attempts')! - reported(before, 'attempts')!),
          ),
        ),
      ])
      .sort(byCells(0));
  },

  '19-mails-wrong-by-5-percent': () =>
    mails
      .map((mail, index) => ({
        ...mail,
        index,
        now: days.filter(
          (day) => day.ago === mail.ago && mail.figures.some(({ account }) => account === day.account),
        ),
      }))
      .filter(hasArrived)
      .flatMap(({ ago, index, figures, now }) => {
        const sums = figures.flatMap(({ rows }) => (rows === null ? [] : [reported(rows, 'attempts')!]));
        const [was, is] = [
          total(sums),
          total(now.filter(isLoaded).map(({ rows }) => reported(rows, 'attempts')!)),
        ];
        if (was === is || Math.abs(is - was) < 0.05 * Math.max(is, was)) return [];
        const same = mails
          .map((each, at) => ({ at, each }))
          .filter(({ each }) => each.ago === ago && hasArrived(each));
        const corrected = same.some(({ at }) => at > index);
        const isFirst = !mails.some((each, at) => each.ago === ago && at < index);
        return [
          [
            'Managers',
            'day',
            dayAgo(ago),
            dayAgo(ago),
            isFirst,
            was,
            is,
            fixed(100 * (is - was), was, 1),
            corrected,
            now.some(isProvisional),
          ] as const,
        ];
      })
      .sort(byCells([3, 'desc'])),

  '20-undelivered-mails': (session) =>
    mails
      .filter(({ night }) => isSince(nightAgo(night), session, 30))
      .flatMap(({ night, deliveries }) =>
        deliveries
          .filter(([, state]) => state !== 'sent' && state !== 'written')
          .map(([recipient, state]) => [
            'Managers',
            'day',
            `${nightAgo(night)}`,
            'Campaigns',
            recipient,
            state,
            `${nightAgo(night)}`,
            1,
            null,
          ]),
      )
      .sort(byCells([2, 'desc'], 4)),

  '21-live-answers-per-connect': (session) =>
    byWeekday(daysOf(session, 28).filter(isConfirmed)).flatMap(([weekday, own]) => {
      const rows = rowsOf(own).filter(
        ({ connects, liveAnswers }) => connects !== null && liveAnswers !== null,
      );
      if (rows.length === 0) return [];
      const connects = known(rows, 'connects')!;
      return [[weekday, connects, fixed(known(rows, 'liveAnswers')!, connects, 4)]];
    }),

  '22-balances-running-out': () =>
    clients
      .filter((client) => isListedNow(client) && (client.balance(0) ?? 0) > 0)
      .flatMap((client) => {
        const listed = nights.filter(client.isListed);
        // A balance falls from one list to the next: fourteen steps before the last one, or as many as there are.
        const steps = listed.slice(-15).map(client.balance);
        const spent = total(steps.slice(1).map((balance, index) => Math.max(0, steps[index]! - balance!)));
        const left = Math.floor((client.balance(0)! * (steps.length - 1)) / spent);
        return spent === 0 || left > 14
          ? []
          : [[client.account, client.id, client.name(0), client.balance(0), spent, left] as const];
      })
      .sort(byCells(5, 0, 1)),

  '23-clients-by-week': (session) =>
    Array.from({ length: 8 }, (_, ago) => addTo(mondayOf(`${session.today}`), -7 * ago)).flatMap((monday) =>
      [...Map.groupBy(clients, ({ account }) => account)].map(([account, own]) => {
        const next = addTo(monday, 7);
        const within = (night: number) => dayIn(account, night) >= monday && dayIn(account, night) < next;
        const last = nights.findLast((night) => dayIn(account, night) < next)!;
        const changed = (is: boolean) =>
          own.flatMap(({ isListed }) =>
            nights.filter(
              (night) => night < 100 && within(night) && isListed(night) === is && isListed(night + 1) !== is,
            ),
          );
        const came = own.filter(
          (client) => firstNightOf(client) < 100 && within(firstNightOf(client)),
        ).length;
        return [
          account,
          monday,
          own.filter(({ isListed }) => isListed(last)).length,
          came,
          changed(false).length,
          changed(true).length - came,
        ];
      }),
    ),

  '24-seven-day-mean': (session) =>
    days
      .filter(({ day }) => day >= daysBefore(session, 28) && day < daysBefore(session, 0))
      .map((day) => {
        const own = days.filter(
          (each) =>
            each.account === day.account && each.ago >= day.ago && each.ago < day.ago + 7 && isLoaded(each),
        );
        const sum = sumOf(own, 'attempts');
        const isKnown = own.length === 7 && sum !== null;
        const attempts = isLoaded(day) ? reported(day.rows, 'attempts') : null;
        return [
          day.account,
          day.day,
          attempts,
          isKnown ? fixed(sum, 7, 1) : null,
          own.some(isProvisional),
        ] as const;
      })
      .sort(byCells(0, 1)),

  '25-hour-of-yesterday': (session) =>
    daysOf(session, 14).map((day) => {
      const at = nightAgo(day.loads[0]!.night).toZonedDateTimeISO(zoneOf(day.account));
      const time = at.toPlainTime().toString().slice(0, 5);
      return [day.account, day.day, daysBetween(day.day, `${at.toPlainDate()}`), time, isProvisional(day)];
    }),

  '26-dashboard-head': () => {
    const expected = (ago: number) =>
      accounts.filter(({ first, last = 0 }) => ago <= first && ago >= last).length;
    const ago = nights.findLast(
      (each) => days.filter((day) => day.ago === each && isConfirmed(day)).length === expected(each),
    )!;
    const latest = days.filter((day) => day.ago === ago);
    const rows = rowsOf(latest);
    const open = days.filter((day) => !isConfirmed(day) && !hasRetired(day.account)).length;
    const active = rows.filter(({ attempts }) => (attempts ?? 0) > 0).length;
    return [
      [
        latest[0]!.day,
        latest.length,
        open,
        active,
        sumOf(latest, 'attempts'),
        rate(rows),
        sumOf(latest, 'liveAnswers'),
      ],
    ];
  },

  '27-same-name-in-two-accounts': (session) => {
    const called = rowsOf(daysOf(session, 28)).filter(({ attempts }) => (attempts ?? 0) > 0);
    return [...Map.groupBy(called, ({ campaign }) => campaign)]
      .map(([campaign, rows]) => {
        const names = [...new Set(rows.map(({ account }) => account))].sort();
        return [
          campaign,
          names.length,
          names.join(', '),
          known(rows, 'attempts'),
          provisionalDays(rows) > 0,
        ] as const;
      })
      .filter(([, accounts]) => accounts > 1)
      .sort(byCells([3, 'desc'], 0));
  },

  '28-as-of-last-monday': () => {
    const monday = mondayOf(dateIn('UTC', Temporal.Now.instant()));
    const at = Temporal.Instant.from(`${monday}T08:00:00Z`);
    const night = nights.findLast((each) => Temporal.Instant.compare(nightAgo(each), at) <= 0)!;
    return days
      .filter((day) => isLoaded(day) && day.day >= addTo(monday, -14) && day.day < monday)
      .map((day) => {
        const then = loadedAt(day, night);
        const attempts = then === undefined || then.provisional ? null : reported(then.rows, 'attempts');
        return [day.account, day.day, attempts, reported(day.rows, 'attempts'), isProvisional(day)];
      });
  },

  '29-further-field': (session) =>
    byAccount(daysOf(session, 28)).flatMap(([account, own]) => {
      const rows = rowsOf(own);
      const costs = rows.flatMap(({ extra }) => (extra.cost === undefined ? [] : [extra.cost]));
      const numbers = costs.filter((cost) => typeof cost === 'number');
      if (rows.length === 0) return [];
      return [
        [
          account,
          rows.length,
          costs.length,
          costs.length - numbers.length,
          numbers.length === 0 ? null : total(numbers),
          provisionalDays(rows) > 0,
        ],
      ];
    }),

  '30-failed-nights': (session) =>
    runs
      .map((run) => ({ ...run, at: nightAgo(run.night).add({ minutes: run.number }) }))
      .filter(({ at, outcome }) => isSince(at, session, 30) && outcome !== 'done')
      .map(({ night, number, at, outcome, error }) => {
        const ended = outcome !== null;
        const failed = error === null ? 0 : 1;
        return [
          dayAgo(night),
          number,
          `${at}`,
          ended ? '00:00:20' : null,
          outcome,
          null,
          ended ? 5 : null,
          ended ? failed : null,
          error,
          error && 'delta',
          error && 'as reported',
        ];
      })
      .sort(byCells([2, 'desc'])),
};

const confirmedOf = (session: Session) => byAccount(daysOf(session, 28).filter(isConfirmed));

/** The answer to the right query of each rule of docs/analysts.md. */
export const byTheRules: readonly Answer[] = [
  (session) =>
    confirmedOf(session).map(([account, own]) => [account, fixed(sumOf(own, 'attempts')!, own.length, 1)]),
  (session) =>
    confirmedOf(session).map(([account, own]) => {
      const attempts = known(rowsOf(own), 'attempts');
      return [account, attempts === null ? null : fixed(attempts, own.length, 1)];
    }),
  (session) => confirmedOf(session).map(([account, own]) => [account, rate(rowsOf(own))]),
  (session) =>
    daysOf(session, 28).map(({ account, day, loads }) => [
      account,
      day,
      daysBetween(day, dayIn(account, loads[0]!.night)),
    ]),
  (session) =>
    days
      .filter(isLoaded)
      .filter(({ loads }) =>
        loads.some(({ night }, index) => isNews(loads, index) && isSince(nightAgo(night), session, 4)),
      )
      .map(({ account, day }) => [account, day]),
];
/** It changed something of the day; what is held does, too. */
const isNews = (loads: Day['loads'], index: number) =>
  index === 0 ||
  loads[index]!.held ||
  loads[index - 1]!.provisional ||
  changedIn(loads[index - 1]!.rows, loads[index]!.rows) > 0;

const countNames = ['attempts', 'busies', 'connects', 'liveAnswers'] as const;
type CountName = (typeof countNames)[number];
const weekdays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

const compare = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0);
export const total = (numbers: readonly number[]) => numbers.reduce((sum, each) => sum + each, 0);
/** Postgres rounds decimals, and a double is a little less or more: both of a quotient are whole numbers. */
export function fixed(part: number, base: number, digits: number): string | null {
  if (base === 0) return null;
  const scale = 10n ** BigInt(digits);
  const size = (BigInt(Math.abs(part)) * scale * 2n + BigInt(base)) / (2n * BigInt(base));
  const sign = part < 0 && size > 0n ? '-' : '';
  return `${sign}${size / scale}${digits === 0 ? '' : `.${`${size % scale}`.padStart(digits, '0')}`}`;
}

type Key = number | readonly [cell: number, order: 'desc'];
/** Orders answers by their cells; null is last. */
export function byCells(...keys: readonly Key[]) {
  return (one: Cells, other: Cells): number => {
    for (const key of keys) {
      const [cell, sign] = typeof key === 'number' ? [key, 1] : [key[0], -1];
      const [a, b] = [one[cell]!, other[cell]!];
      if (a === b) continue;
      if (a === null) return 1;
      if (b === null) return -1;
      return a < b ? -sign : sign;
    }
    return 0;
  };
}

export const addTo = (day: string, count: number) =>
  Temporal.PlainDate.from(day).add({ days: count }).toString();
export const daysBetween = (from: string, to: string) =>
  Temporal.PlainDate.from(from).until(to, { largestUnit: 'days' }).days;
export const mondayOf = (day: string) => addTo(day, 1 - weekdayOf(day));
export const dayIn = (account: string, night: number) => dateIn(zoneOf(account), nightAgo(night));
const within =
  (first: Temporal.PlainDate, last: Temporal.PlainDate) =>
  ({ day }: Day) =>
    day >= `${first}` && day <= `${last}`;
/** At or after the midnight with which a day of the session began. */
export const isSince = (at: Temporal.Instant, { today, zone }: Session, ago: number) =>
  Temporal.Instant.compare(at, today.subtract({ days: ago }).toZonedDateTime(zone).toInstant()) >= 0;

export const daysBefore = ({ today }: Session, ago: number) => today.subtract({ days: ago }).toString();
/** Loaded days of the last so many before today, by account. */
export const daysOf = (session: Session, count: number) =>
  days.filter(
    (each) => isLoaded(each) && each.day >= daysBefore(session, count) && each.day < daysBefore(session, 0),
  );
export const rowsOf = (some: readonly Day[]): Row[] => some.flatMap(({ rows }) => rows);
const isProvisional = ({ state }: Day) => state === 'provisional';
const stateOf = new Map(days.map(({ account, day, state }) => [`${account} ${day}`, state]));
const isOfConfirmed = ({ account, day }: Row) => stateOf.get(`${account} ${day}`) === 'loaded';
const provisionalDays = (rows: readonly Row[]) => rows.filter((row) => !isOfConfirmed(row)).length;
const hasRetired = (account: string) => accounts.find(({ name }) => name === account)!.last !== undefined;

/** Known if each row reports it. */
export const known = (rows: readonly Row[], name: CountName) =>
  rows.some((row) => row[name] === null) ? null : total(rows.map((row) => row[name]!));
/** Known if each day reports it. */
export function sumOf(some: readonly Day[], name: CountName): number | null {
  const sums = some.map(({ rows }) => reported(rows, name));
  return sums.includes(null) ? null : total(sums.map((sum) => sum!));
}
/** Connects and attempts of the campaigns that report both. */
export function parts(rows: readonly Row[]) {
  const both = rows.filter(({ attempts, connects }) => attempts !== null && connects !== null);
  return { part: known(both, 'connects')!, base: known(both, 'attempts')! };
}
const rate = (rows: readonly Row[]) => fixed(parts(rows).part, parts(rows).base, 4);

export const byAccount = (some: readonly Day[]) =>
  [...Map.groupBy(some, ({ account }) => account)].sort(([one], [other]) => compare(one, other));
const byWeekday = (some: readonly Day[]) =>
  weekdays.flatMap((weekday, index) => {
    const own = some.filter(({ day }) => weekdayOf(day) === index + 1);
    return own.length === 0 ? [] : [[weekday, own] as const];
  });
export const byCampaign = (rows: readonly Row[]) =>
  [...Map.groupBy(rows, ({ account, callset }) => `${account} ${callset}`).values()].map((own) => {
    const { account, callset: id, campaign: name } = own.at(-1)!;
    return { account, id, name, rows: own };
  });

function reasonOf({ state, held, rows }: Day): Cells {
  if (state === 'failed') return ['TOKEN_REFUSED', 'the token was refused'];
  if (held) {
    const attempts = known(rows, 'attempts');
    return ['EMPTIED', `0 attempts instead of ${attempts}, 0 campaigns instead of 2`];
  }
  if (state === 'missing') return [null, null];
  const announced = rows.length === 0 ? '1 campaign' : `${rows.length + 1} campaigns`;
  return ['ANNOUNCED', `the service announced ${announced} and listed ${rows.length}`];
}

export type Restatement = {
  readonly account: string;
  readonly day: string;
  readonly ago: number;
  readonly at: Temporal.Instant;
  readonly before: readonly Row[];
  readonly after: readonly Row[];
  readonly changed: number;
  readonly mailed: boolean;
};
const countsOf = ({ attempts, busies, connects, liveAnswers }: Row) =>
  `${[attempts, busies, connects, liveAnswers]}`;
function changedIn(one: readonly Row[], other: readonly Row[]): number {
  const ids = new Set([...one, ...other].map(({ callset }) => callset));
  const countsIn = (rows: readonly Row[], id: number) =>
    rows
      .filter(({ callset }) => callset === id)
      .map(countsOf)
      .join();
  return [...ids].filter((id) => countsIn(one, id) !== countsIn(other, id)).length;
}
/** Changes of days that were confirmed. A mail had the figures before if somebody got it between the load and the change. */
export const restatements: readonly Restatement[] = days.flatMap(({ account, day, ago, loads }) => {
  const applied = loads.filter(({ held }) => !held);
  return applied.slice(1).flatMap((load, index) => {
    const was = applied[index]!;
    const changed = changedIn(was.rows, load.rows);
    if (was.provisional || changed === 0) return [];
    const arrived = mails.filter(
      (mail) => mail.ago === ago && hasArrived(mail) && mail.figures.some((each) => each.account === account),
    );
    const mailed = arrived.some(({ night }) => night < was.night && night > load.night);
    return [
      { account, day, ago, at: nightAgo(load.night), before: was.rows, after: load.rows, changed, mailed },
    ];
  });
});

const isListedNow = ({ isListed }: Client) => isListed(0);
/** Each balance from the night on which a list had it first. */
export function balancesOf(client: Client) {
  const all = nights.filter(client.isListed).map((night) => ({ night, balance: client.balance(night) }));
  return all.flatMap(({ night, balance }, index) => {
    const last = all[index - 1]?.balance ?? null;
    return balance === last ? [] : [{ day: dayIn(client.account, night), balance, before: last }];
  });
}
/** Each name from the night on which a list had it first. */
export function namesOf({ name, isListed }: Client) {
  const all = nights.filter(isListed).map((night) => ({ night, name: name(night) }));
  return all.filter((each, index) => each.name !== all[index - 1]?.name);
}
