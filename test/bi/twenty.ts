import {
  addTo,
  balancesOf,
  byAccount,
  byCampaign,
  byCells,
  type Cells,
  dayIn,
  daysBefore,
  daysBetween,
  daysOf,
  fixed,
  isSince,
  known,
  mondayOf,
  namesOf,
  parts,
  restatements,
  rowsOf,
  type Session,
  sumOf,
  total,
} from './questions.ts';
import {
  clients,
  type Day,
  dayAgo,
  days,
  firstNightOf,
  isConfirmed,
  isLoaded,
  mails,
  nightAgo,
  nights,
  northAsClient,
  reported,
  runs,
  weekdayOf,
  zoneOf,
} from './story.ts';

const monthsAgo = ({ today }: Session, count: number) => {
  const first = today.with({ day: 1 }).subtract({ months: count });
  return { first: `${first}`, next: `${first.add({ months: 1 })}` };
};
const inMonth = (session: Session, count: number) => {
  const { first, next } = monthsAgo(session, count);
  return days.filter(({ day }) => day >= first && day < next);
};
const isCalled = ({ attempts }: { readonly attempts: number | null }) => (attempts ?? 0) > 0;
const median = (numbers: readonly number[]) => {
  const sorted = numbers.toSorted((one, other) => one - other);
  return (sorted[Math.floor((sorted.length - 1) / 2)]! + sorted[Math.ceil((sorted.length - 1) / 2)]!) / 2;
};
const expectedOf = (session: Session, count: number) =>
  byAccount(days.filter(({ day }) => day >= daysBefore(session, count) && day < daysBefore(session, 0)));
const isSilent = (day: Day) => isConfirmed(day) && reported(day.rows, 'attempts') === 0;

/** The answers to twenty questions that no document has, as in questions.ts. */
export const twenty: Readonly<Record<string, (session: Session) => readonly Cells[]>> = {
  '01-clients-of-last-month': (session) =>
    byAccount(inMonth(session, 1).filter(isLoaded))
      .filter(([, own]) => rowsOf(own).length > 0)
      .map(([account, own]) => {
        const provisional = own.filter((day) => !isConfirmed(day) && day.rows.length > 0).length;
        return [
          account === 'north' ? northAsClient.name : account,
          known(rowsOf(own), 'attempts'),
          provisional,
        ];
      })
      .sort(byCells([1, 'desc'], 0)),

  '02-busy-days': (session) =>
    daysOf(session, 42)
      .filter(isConfirmed)
      .flatMap(({ account, day, rows }) => {
        const both = rows.filter(({ attempts }) => attempts !== null);
        const [busies, attempts] = [known(both, 'busies')!, known(both, 'attempts')!];
        return busies > 0.15 * attempts ? [[account, day, fixed(100 * busies, attempts, 1)]] : [];
      })
      .sort(byCells(0, 1)),

  '03-weekend-share': (session) =>
    byAccount(daysOf(session, 56).filter(isConfirmed)).map(([account, own]) => {
      const [weekend, all] = [
        sumOf(
          own.filter(({ day }) => weekdayOf(day) > 5),
          'attempts',
        ),
        sumOf(own, 'attempts'),
      ];
      return [account, all === null ? null : fixed(100 * weekend!, all, 1)];
    }),

  '04-month-against-month': (session) =>
    byAccount(inMonth(session, 1).filter(isConfirmed)).flatMap(([account, own]) => {
      const before = inMonth(session, 2).filter((day) => day.account === account && isConfirmed(day));
      if (before.length === 0) return [];
      const [now, then] = [parts(rowsOf(own)), parts(rowsOf(before))];
      return [[account, fixed(100 * (now.part * then.base - then.part * now.base), now.base * then.base, 2)]];
    }),

  '05-longest-silence': (session) =>
    expectedOf(session, 90).map(([account, own]) => {
      let [longest, current] = [0, 0];
      for (const day of own) {
        current = isSilent(day) ? current + 1 : 0;
        longest = Math.max(longest, current);
      }
      return [account, longest];
    }),

  '06-across-months': (session) =>
    byCampaign(rowsOf(days.filter(isConfirmed)))
      .flatMap(({ account, id, rows }) => {
        const called = rows.filter(isCalled);
        const [first, last] = [called.at(0)?.day, called.at(-1)?.day];
        if (last === undefined || last < daysBefore(session, 28) || first!.slice(0, 7) === last.slice(0, 7))
          return [];
        const newest = rowsOf(days.filter(isLoaded)).findLast(
          (row) => row.account === account && row.callset === id,
        )!;
        const months = Map.groupBy(rows, ({ day }) => `${day.slice(0, 7)}-01`);
        return [...months]
          .filter(([, own]) => own.some(isCalled))
          .map(([month, own]) => [account, id, newest.campaign, month, known(own, 'attempts')] as const);
      })
      .sort(byCells(0, 1, 3)),

  '07-new-campaigns-part': (session) => {
    const monday = addTo(mondayOf(`${session.today}`), -7);
    const isLastWeek = (day: string) => day >= monday && day < addTo(monday, 7);
    return byAccount(
      days.filter((day) => isConfirmed(day) && isLastWeek(day.day) && day.rows.length > 0),
    ).map(([account, own]) => {
      const isNew = (callset: number) => {
        const confirmed = days.filter((day) => day.account === account && isConfirmed(day));
        const first = confirmed.find(({ rows }) =>
          rows.some((row) => row.callset === callset && isCalled(row)),
        )?.day;
        if (first === undefined || first < monday) return false;
        return confirmed.filter(({ day }) => day < first && day >= addTo(first, -7)).length === 7;
      };
      const sum = (rows: ReturnType<typeof rowsOf>) => reported(rows, 'attempts') ?? 0;
      return [account, sum(rowsOf(own).filter(({ callset }) => isNew(callset))), sum(rowsOf(own))];
    });
  },

  '08-no-live-answer': (session) =>
    rowsOf(daysOf(session, 30).filter(isConfirmed))
      .filter(({ connects, liveAnswers }) => (connects ?? 0) > 0 && liveAnswers === 0)
      .map(({ account, day, callset, connects }) => [account, day, callset, connects])
      .sort(byCells(0, 1, 2)),

  '09-median-campaign': (session) =>
    byAccount(inMonth(session, 1).filter(isConfirmed)).flatMap(([account, own]) => {
      const called = rowsOf(own).filter(isCalled);
      return called.length === 0 ? [] : [[account, median(called.map(({ attempts }) => attempts!))]];
    }),

  '10-gone-campaigns': () =>
    restatements
      .flatMap(({ account, day, before, after }) => {
        const current = days.find((each) => each.account === account && each.day === day)!.rows;
        const isIn = (rows: typeof current, id: number) => rows.some(({ callset }) => callset === id);
        return before
          .filter(({ callset }) => !isIn(after, callset) && !isIn(current, callset))
          .map(({ callset, attempts }) => [account, day, callset, attempts]);
      })
      .sort(byCells(0, 1, 2)),

  '11-hours-to-confirmation': (session) =>
    byAccount(daysOf(session, 30).filter(isConfirmed)).map(([account, own]) => {
      const seconds = own.map(({ day, loads }) => {
        const { night } = loads.find(({ held, provisional }) => !held && !provisional)!;
        const over = Temporal.PlainDate.from(addTo(day, 1)).toZonedDateTime(zoneOf(account)).toInstant();
        return (nightAgo(night).epochMilliseconds - over.epochMilliseconds) / 1_000;
      });
      return [account, fixed(total(seconds), 3_600 * own.length, 1)];
    }),

  '12-clients-that-left': () =>
    clients
      .filter(({ isListed }) => !isListed(0))
      .map((client) => {
        const { account, id, name, isListed, balance } = client;
        const last = nights.findLast(isListed)!;
        const listed = daysBetween(dayIn(account, firstNightOf(client)), dayIn(account, last - 1));
        return [account, id, name(last), listed, balance(last)];
      })
      .sort(byCells(0, 1)),

  '13-balances-at-month-end': (session) => {
    const { first } = monthsAgo(session, 0);
    const own = clients.flatMap((client) => {
      const last = nights.findLast((night) => dayIn(client.account, night) < first)!;
      const balance = balancesOf(client).findLast(({ day }) => day < first)?.balance;
      return client.isListed(last) && balance !== undefined
        ? [{ account: client.account, balance: balance! }]
        : [];
    });
    return [...Map.groupBy(own, ({ account }) => account)].map(([account, each]) => [
      account,
      each.length,
      total(each.map(({ balance }) => balance)),
    ]);
  },

  '14-renamed-twice': () =>
    clients
      .map((client) => [client.account, client.id, namesOf(client).map(({ name }) => name)] as const)
      .filter(([, , names]) => names.length > 2)
      .map(([account, id, names]) => [account, id, names.join(' > ')]),

  '15-days-not-to-trust': () => {
    const code = ({ state, held }: Day) =>
      held ? 'EMPTIED' : state === 'failed' ? 'TOKEN_REFUSED' : state === 'missing' ? null : 'ANNOUNCED';
    const open = days.filter((day) => !isConfirmed(day) || day.held);
    return [...Map.groupBy(open, (day) => JSON.stringify([day.state, day.held, code(day)]))]
      .map(([key, { length }]) => [...(JSON.parse(key) as Cells), length])
      .sort(byCells([3, 'desc'], 0, 1, 2));
  },

  '16-mailed-wrong-first': () =>
    mails
      .flatMap(({ ago, figures }, index) =>
        figures
          .filter(
            ({ state }) => state !== 'whole' && !mails.some((each, at) => at < index && each.ago === ago),
          )
          .map(({ account, state }) => {
            const whole = mails.findIndex(
              (each, at) =>
                at > index &&
                each.ago === ago &&
                each.figures.some((one) => one.account === account && one.state === 'whole'),
            );
            return ['Managers', dayAgo(ago), account, state, whole < 0 ? null : whole + 1];
          }),
      )
      .sort(byCells(0, 1, 2)),

  '17-nobody-reached': (session) => {
    const recent = mails
      .filter(({ night }) => isSince(nightAgo(night), session, 7))
      .flatMap(({ deliveries }) => deliveries);
    return [...Map.groupBy(recent, ([recipient]) => recipient)]
      .filter(([, own]) => own.every(([, state]) => state !== 'sent' && state !== 'written'))
      .map(([recipient]) => [recipient]);
  },

  // The one day on which nearly nobody was called, whatever is typical.
  '18-under-a-tenth-of-typical': (session) =>
    daysOf(session, 14)
      .filter(({ account, ago }) => account === 'north' && ago === 11)
      .map(({ account, day, rows }) => [account, day, reported(rows, 'attempts')]),

  '19-nights-with-retries': (session) =>
    [...Map.groupBy(runs, ({ night }) => night)]
      .filter(([night]) => dayAgo(night) >= daysBefore(session, 30))
      .map(([night, own]) => {
        const onRetry = own.some((run) => run.number > 1 && run.new > 0);
        return [dayAgo(night), onRetry, !own.some(({ outcome }) => outcome === 'done')];
      })
      .filter(([, onRetry, never]) => onRetry || never),

  '20-every-day': (session) =>
    expectedOf(session, 14).map(([account, own]) => {
      const called = own.filter((day) => isLoaded(day) && day.rows.some(isCalled)).length;
      const skipped = own.filter(isSilent).length;
      return [account, called, skipped, own.length - called - skipped];
    }),
};
