import type { ClientNews, EarlierPeriod, News } from './expected-mail.ts';
import { type Counts, countNames, type Days, daysOf, type Period, reportedOf } from './figures.ts';
import type { BuiltDigest, Client, Digest, Restatement } from './oracle.ts';
import { keyOf, type Window } from './windows.ts';

/** What happened up to now. */
export type Past = {
  readonly windows: ReadonlyMap<string, Window>;
  readonly days: Days;
  readonly restatements: readonly Restatement[];
  readonly built: readonly BuiltDigest[];
  readonly clients: ReadonlyMap<string, ReadonlyMap<number, Client>>;
};

/** What is new since the last mail of that name about an earlier period; a correction has no other news. */
export function newsOf(
  { windows, restatements, built, clients }: Past,
  digest: Digest,
  period: Period,
  isCorrection: boolean,
  earlier: readonly EarlierPeriod[],
): News {
  const { name, every } = digest;
  const own = built.filter((each) => each.name === name && each.every === every);
  const mailed = own.filter((each) => !each.corrects && !each.isEarlier && each.last < period.last);
  const last = isCorrection ? undefined : mailed.at(-1);
  const all = [...windows].map(([key, window]) => {
    const [account, day] = key.split(' ') as [string, string];
    return { account, day: Number(day), window };
  });
  const ofDigest = all
    .filter(({ account }) => digest.accounts.includes(account))
    .sort((one, other) => one.day - other.day || (one.account < other.account ? -1 : 1));
  const held = ofDigest.filter(({ day, window }) => window.held !== null && day <= period.last);
  const isNew = ({ window }: (typeof held)[number]) => window.held!.at > (last?.at ?? -Infinity);
  const earlierDays = earlier.flatMap((each) => daysOf(each.period));
  const restated = ofDigest.flatMap(({ account, day }) => {
    if (last === undefined || day >= period.first || earlierDays.includes(day)) return [];
    // What a correction named is no news any more.
    const told =
      own.findLast((each) => each.corrects && each.first <= day && day <= each.last && each.at > last.at) ??
      last;
    const wasLoaded = told.snapshot.has(keyOf(account, day));
    const changed = restatements.filter(
      (each) => each.account === account && each.day === day && each.at > told.at,
    );
    if (!wasLoaded || changed.length === 0) return [];
    const { rows } = windows.get(keyOf(account, day))!;
    // What a provisional day said is no figure that was restated.
    const before = new Map(rows);
    for (const { callset, reason, before: row } of changed.toReversed())
      before.set(callset, {
        ...(row ?? rows.get(callset)!),
        withdrawn: reason === 'appeared' || reason === 'returned',
      });
    const sums = (from: Window['rows']) => {
      const current = [...from.values()].filter(({ withdrawn }) => !withdrawn);
      return Object.fromEntries(countNames.map((count) => [count, reportedOf(current, count)])) as Counts;
    };
    return [
      {
        account,
        day,
        campaigns: new Set(changed.map(({ callset }) => callset)).size,
        from: sums(before),
        to: sums(rows),
      },
    ];
  });
  return {
    held: held.filter(isNew),
    stillHeld: held.filter((each) => !isNew(each)).length,
    lowBalances: digest.accounts
      .flatMap((account) => [...clients.get(account)!.values()])
      .filter(
        ({ balance, absentAt }) => absentAt === null && Number(balance) < (digest.low_balance ?? -Infinity),
      ).length,
    restated,
    vanished:
      last === undefined
        ? []
        : clientNews(
            clients,
            digest,
            last.at,
            ({ firstSeen, absentAt }) => firstSeen <= last.at && (absentAt ?? 0) > last.at,
          ),
    appeared:
      last === undefined
        ? []
        : clientNews(
            clients,
            digest,
            last.at,
            ({ firstSeen, absentAt }) => firstSeen > last.at && absentAt === null,
          ),
  };
}

/** Those of accounts that listed clients before. */
function clientNews(
  clients: Past['clients'],
  digest: Digest,
  since: number,
  isNews: (client: Client) => boolean,
): ClientNews[] {
  return digest.accounts.toSorted().flatMap((account) => {
    const known = [...clients.get(account)!]
      .sort(([one], [other]) => one - other)
      .map(([, client]) => client);
    const news = known.filter(isNews).map(({ name }) => name);
    return news.length === 0 || known.every(({ firstSeen }) => firstSeen > since)
      ? []
      : [{ account, names: news }];
  });
}
