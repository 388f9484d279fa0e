import { type CountName, countNames, type Row, rateOf, sumOf } from '../stories/figures.ts';
import {
  accounts,
  type Day,
  datasetOfMarch,
  nightsWith,
  renaming,
  type Truth,
  today,
  zoneOf,
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
      const sums = own.flatMap(({ rows }) => sumOf(rows, 'attempts') ?? []);
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
        state === 'failed' ? 'TOKEN_REFUSED' : held ? 'HALVED' : null,
      ]),

  '06-month-to-date': ({ days }) =>
    accounts.toSorted().map((account) => {
      const last = completeThrough(days, account);
      const month = (from: Temporal.PlainDate, to: Temporal.PlainDate) =>
        days.filter((each) => each.account === account && each.day >= `${from}` && each.day <= `${to}`);
      const first = last.with({ day: 1 });
      const before = first.subtract({ months: 1 });
      const lastBefore = before.add({ days: last.day - 1 });
      const both = [
        month(first, last),
        month(
          before,
          Temporal.PlainDate.compare(lastBefore, first) < 0 ? lastBefore : first.subtract({ days: 1 }),
        ),
      ];
      const isWeekday = ({ day }: Day) => Temporal.PlainDate.from(day).dayOfWeek < 6;
      const sums = (['attempts', 'connects'] as const).flatMap((name) =>
        both.map((own) =>
          sumOf(
            own.flatMap(({ rows }) => rows),
            name,
          ),
        ),
      );
      return [
        account,
        `${last}`,
        ...both.map(({ length }) => length),
        ...both.map((own) => own.filter(isWeekday).length),
        ...sums,
      ];
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
        sumOf(rows, 'attempts'),
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

  '13-best-and-worst-days': ({ days }) =>
    accounts.toSorted().flatMap((account) => {
      const rated = days
        .filter((each) => each.account === account && each.day >= daysAgo(28) && isConfirmed(each))
        .map((each) => ({ ...each, rate: rateOf(each.rows, 'connects') }))
        .filter(({ rate }) => rate !== null && rate.attempts >= 100)
        .sort((one, other) => quotient(other) - quotient(one));
      return [rated[0]!, rated.at(-1)!].map(({ day, rate, rows }, index) => [
        account,
        day,
        rate!.attempts,
        rateText(rows),
        ['best', 'worst'][index]!,
      ]);
    }),

  '14-two-campaigns': (truth) => {
    const pair = campaignsOf(truth, 14)
      .sort(([, one], [, other]) => sumOf(other, 'attempts')! - sumOf(one, 'attempts')!)
      .slice(0, 2)
      .map(([, rows]) => rows);
    const figures = (rows: readonly Row[]) =>
      rows.length === 0 ? [null, null] : [sumOf(rows, 'attempts'), rateText(rows)];
    return [...new Set(pair.flat().map(({ day }) => day))]
      .sort((one, other) => one - other)
      .map((day) => [
        truth.dateOf(day),
        ...pair.flatMap((rows) => figures(rows.filter((row) => row.day === day))),
      ]);
  },

  '15-campaign-totals': (truth) =>
    campaignsOf(truth, 28)
      .map(([{ account, callset }, rows]) => {
        const called = rows.filter(({ attempts }) => (attempts ?? 0) > 0).length;
        const names = new Set(rows.map(({ campaign }) => campaign)).size;
        const sums = [sumOf(rows, 'attempts')!, sumOf(rows, 'connects')!] as const;
        return [account, callset, rows.at(-1)!.campaign, names, called, ...sums] as const;
      })
      .sort((one, other) => other[5] - one[5] || compare(one[0], other[0]) || one[1] - other[1])
      .slice(0, 50),

  '16-top-three-share': (truth) =>
    accounts.toSorted().map((account) => {
      const own = campaignsOf(truth, 7)
        .filter(([first]) => first.account === account)
        .map(([, rows]) => sumOf(rows, 'attempts')!)
        .sort((one, other) => other - one);
      const [all, three] = [own, own.slice(0, 3)].map((some) =>
        some.reduce((total, each) => total + each, 0),
      );
      return [account, all!, ((100 * three!) / all!).toFixed(1)];
    }),

  '17-started-campaigns': (truth) =>
    campaignsOf(truth, 35)
      .map(([{ account, callset }, rows]) => {
        const first = rows.find(({ attempts }) => (attempts ?? 0) > 0);
        const recent = rows.filter(({ day }) => truth.dateOf(day) >= daysAgo(7));
        return {
          account,
          callset,
          campaign: rows.at(-1)!.campaign,
          first: first && truth.dateOf(first.day),
          recent,
        };
      })
      .filter(({ first }) => first !== undefined && first >= daysAgo(7))
      .map(({ account, callset, campaign, first, recent }) => {
        const all = rowsOf(truth, 7).filter((row) => row.account === account);
        return [
          account,
          callset,
          campaign,
          first!,
          sumOf(recent, 'attempts')!,
          rateText(recent),
          rateText(all),
        ] as const;
      })
      .sort((one, other) => other[4] - one[4] || compare(one[0], other[0]) || one[1] - other[1]),

  '18-how-late-corrections': ({ oracle }) =>
    [...Map.groupBy(oracle.restatedDays(), ({ night, day }) => night - day)]
      .sort(([one], [other]) => one - other)
      .map(([later, changes]) => [
        later,
        changes.length,
        changes.filter((each) => oracle.wasMailed(each)).length,
        changes.reduce(
          (total, { before, after }) => total + Math.abs((after?.attempts ?? 0) - (before?.attempts ?? 0)),
          0,
        ),
      ]),

  '19-mails-wrong-by-5-percent': ({ oracle, dateOf }) => {
    const told = oracle
      .built()
      .filter(({ mail }) => oracle.hasArrived(mail))
      .flatMap(({ name, every, at, periods }) => periods.map((each) => ({ ...each, name, every, at })));
    return told
      .map(({ name, every, at, period: { first, last }, accounts: own }) => {
        const isSame = (each: (typeof told)[number]) =>
          each.name === name && each.every === every && each.period.last === last;
        const rows = own.flatMap(({ account }) => oracle.days.rowsOf(account, { first, last }));
        const known = own.filter(({ hasFigures }) => hasFigures);
        const mailed =
          known.length === 0
            ? null
            : sumOf(
                known.flatMap((each) => each.rows),
                'attempts',
              );
        const now = sumOf(rows, 'attempts')!;
        return [
          name,
          every,
          dateOf(first),
          dateOf(last),
          !told.some((each) => isSame(each) && each.at < at),
          mailed,
          now,
          mailed === null ? null : (100 * (now / mailed - 1)).toFixed(1),
          told.some((each) => isSame(each) && each.at > at),
          at,
        ] as const;
      })
      .filter(([, , , , , mailed, now]) => mailed !== null && now !== mailed)
      .filter(([, , , , , mailed, now]) => Math.abs(now - mailed!) >= 0.05 * Math.max(now, mailed!))
      .sort(
        (one, other) =>
          compare(other[3], one[3]) ||
          compare(one[0], other[0]) ||
          compare(one[1], other[1]) ||
          one[9] - other[9],
      )
      .map((row) => row.slice(0, 9));
  },

  // Whom the server refused isn't in the settings by then, or got the mail.
  '20-undelivered-mails': () => [],

  '21-live-answers-per-connect': ({ days }) =>
    weekdays.map((weekday, index) => {
      const rows = days
        .filter((each) => each.day >= daysAgo(28) && isConfirmed(each))
        .filter(({ day }) => Temporal.PlainDate.from(day).dayOfWeek === index + 1)
        .flatMap((each) => each.rows)
        .filter(({ connects, liveAnswers }) => connects !== null && liveAnswers !== null);
      const [connects, live] = [sumOf(rows, 'connects')!, sumOf(rows, 'liveAnswers')!];
      return [weekday, connects, (live / connects).toFixed(4)];
    }),

  '22-balances-running-out': ({ oracle: { clients, balances }, dateOf }) =>
    accounts
      .flatMap((account) =>
        [...clients.get(account)!].flatMap(([id, { name, balance, absentAt }]) => {
          const own = balances.filter((each) => each.account === account && each.client === id);
          const spent = own.reduce((total, { night, balance }, index) => {
            const before = own[index - 1];
            const isRecent = dateOf(night) >= daysAgo(14);
            return before === undefined || !isRecent
              ? total
              : total + Math.max(0, Number(before.balance) - Number(balance));
          }, 0);
          const left = Number(balance);
          if (absentAt !== null || left <= 0 || left > spent) return [];
          return [[account, id, name, balance, spent.toFixed(2), Math.floor((left * 14) / spent)] as const];
        }),
      )
      .sort((one, other) => one[5] - other[5] || compare(one[0], other[0]) || one[1] - other[1]),

  '23-clients-by-week': ({ oracle: { clients, balances }, dateOf }) =>
    Array.from({ length: 8 }, (_, ago) =>
      Temporal.PlainDate.from(mondayOf(daysAgo(0))).subtract({ weeks: ago }),
    ).flatMap((monday) =>
      accounts.toSorted().flatMap((account) => {
        const next = monday.add({ weeks: 1 });
        const within = (date: string | null) => date !== null && date >= `${monday}` && date < `${next}`;
        const own = [...clients.get(account)!].map(([id, { absentAt, missed }]) => {
          const { night } = balances.find((each) => each.account === account && each.client === id)!;
          const gone = absentAt === null ? null : instantOf(missed!, dateOf, account);
          return { isLater: night > 0, came: instantOf(night, dateOf, account), gone };
        });
        const known = own.filter(({ came }) => came < `${next}`);
        if (known.length === 0) return [];
        return [
          [
            account,
            `${monday}`,
            known.filter(({ gone }) => gone === null || gone >= `${next}`).length,
            own.filter(({ came, isLater }) => within(came) && isLater).length,
            own.filter(({ gone }) => within(gone)).length,
          ],
        ];
      }),
    ),

  '24-seven-day-mean': ({ days }) =>
    accounts.toSorted().flatMap((account) => {
      const own = days.filter((each) => each.account === account && each.day >= daysAgo(35));
      const attemptsOf = ({ state, rows }: Day) => (state === 'loaded' ? sumOf(rows, 'attempts')! : null);
      return own
        .map((each, index) => {
          const seven = own.slice(Math.max(0, index - 6), index + 1).map(attemptsOf);
          const known = seven.filter((attempts) => attempts !== null);
          const mean = known.length < 7 ? null : known.reduce((total, attempts) => total + attempts, 0) / 7;
          // Postgres rounds decimals, a double is a little less or more.
          return [
            account,
            each.day,
            attemptsOf(each),
            mean === null ? null : (Math.round(mean * 70) / 70).toFixed(1),
          ] as const;
        })
        .filter(([, day]) => day >= daysAgo(28));
    }),

  '25-hour-of-yesterday': ({ days }) =>
    days
      .filter(({ day, state }) => day >= daysAgo(14) && state === 'loaded')
      .sort((one, other) => compare(one.account, other.account) || compare(one.day, other.day))
      .map(({ account, day, provisional }) => [account, day, provisional]),

  '26-dashboard-head': ({ days }) => {
    const day = accounts.map((account) => `${completeThrough(days, account)}`).sort()[0]!;
    const rows = days.filter((each) => each.day === day).flatMap((each) => each.rows);
    const open = days.filter((each) => !isConfirmed(each)).length;
    const active = rows.filter(({ attempts }) => (attempts ?? 0) > 0).length;
    return [
      [
        day,
        accounts.length,
        open,
        active,
        sumOf(rows, 'attempts'),
        rateText(rows),
        sumOf(rows, 'liveAnswers'),
      ],
    ];
  },

  '27-same-name-in-two-accounts': (truth) =>
    [
      ...Map.groupBy(
        rowsOf(truth, 28).filter(({ attempts }) => (attempts ?? 0) > 0),
        ({ campaign }) => campaign,
      ),
    ]
      .map(([campaign, rows]) => {
        const names = [...new Set(rows.map(({ account }) => account))].sort();
        return [campaign, names.length, names.join(', '), sumOf(rows, 'attempts')!] as const;
      })
      .filter(([, accounts]) => accounts > 1)
      .sort((one, other) => other[3] - one[3] || compare(one[0], other[0])),

  '28-as-of-last-monday': ({ oracle, days, dateOf }) => {
    const monday = mondayOf(daysAgo(0));
    const at = Temporal.Instant.from(`${monday}T08:00:00Z`);
    const isLater = (night: number) => Temporal.Instant.compare(instant(night, dateOf), at) > 0;
    const from = Temporal.PlainDate.from(monday).subtract({ weeks: 2 }).toString();
    return days
      .filter(({ day, state }) => state === 'loaded' && day >= from && day < monday)
      .sort((one, other) => compare(one.account, other.account) || compare(one.day, other.day))
      .map(({ account, day, night, rows }) => {
        const now = sumOf(rows, 'attempts');
        const first = oracle.windowOf(account, night)!.answers[0]!;
        if (isLater(first.night)) return [account, day, null, now];
        const change = oracle
          .restatedDays()
          .find((each) => each.account === account && each.day === night && isLater(each.night));
        return [account, day, change === undefined ? now : (change.before?.attempts ?? null), now];
      });
  },

  '29-further-field': (truth) =>
    accounts.toSorted().map((account) => {
      const { length } = rowsOf(truth, 28).filter((row) => row.account === account);
      return [account, length, 0, 0, null];
    }),

  // The nights of which the story says that something failed, each by its first run.
  '30-failed-nights': ({ dateOf }) =>
    failures
      .flatMap(([event, code]) => nightsWith(event).map((night) => [dateOf(night), code] as const))
      .sort((one, other) => compare(other[0], one[0])),
};

const weekdays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
const mondayOf = (day: string) => {
  const date = Temporal.PlainDate.from(day);
  return date.subtract({ days: date.dayOfWeek - 1 }).toString();
};
/** What a night of the story fails of, and the code of its first error. */
const failures = [
  ['token refused', 'TOKEN_REFUSED'],
  ['client list refused', 'REQUEST_REFUSED'],
  ['outage', 'SERVICE_UNAVAILABLE'],
  ['mail server down', null],
  ['killed', null],
  ['recipient refused', null],
] as const;

const isConfirmed = ({ state, provisional }: Day) => state === 'loaded' && !provisional;
const quotient = ({ rate }: { readonly rate: ReturnType<typeof rateOf> }) => rate!.part / rate!.attempts;

/** The last day before the first that isn't confirmed. */
function completeThrough(days: readonly Day[], account: string): Temporal.PlainDate {
  const own = days.filter((each) => each.account === account);
  const first = own.findIndex((each) => !isConfirmed(each));
  return Temporal.PlainDate.from(own.at(first === -1 ? -1 : first - 1)!.day);
}

/** When a night was, by the database's clock: at the time of day at which this test runs. */
const instant = (night: number, dateOf: Truth['dateOf']) =>
  Temporal.Now.instant().subtract({
    hours: 24 * Temporal.PlainDate.from(dateOf(night)).until(today, { largestUnit: 'days' }).days,
  });
const instantOf = (night: number, dateOf: Truth['dateOf'], account: string) =>
  instant(night, dateOf).toZonedDateTimeISO(zoneOf(account)).toPlainDate().toString();

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

function rateText(rows: readonly Row[]): string {
  const { part, attempts } = rateOf(rows, 'connects')!;
  return (part / attempts).toFixed(4);
}
