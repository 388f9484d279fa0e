import type { ClientNews, News } from './expected-mail.ts';
import type { Period } from './figures.ts';
import type { BuiltMail, Client, Digest } from './oracle.ts';
import type { Window } from './windows.ts';

/** What happened up to now. */
export type Past = {
  readonly windows: ReadonlyMap<string, Window>;
  /** Mails that arrived. */
  readonly built: readonly BuiltMail[];
  readonly clients: ReadonlyMap<string, ReadonlyMap<number, Client>>;
};

/** What is new since the last mail of that digest, beside its figures. */
export function newsOf({ windows, built, clients }: Past, digest: Digest, period: Period): News {
  const last = built.findLast(({ name, every }) => name === digest.name && every === digest.every);
  const held = [...windows]
    .map(([key, window]) => {
      const [account, day] = key.split(' ') as [string, string];
      return { account, day: Number(day), window };
    })
    .filter(
      ({ account, day, window }) =>
        digest.accounts.includes(account) && window.held !== null && day <= period.last,
    )
    .sort((one, other) => one.day - other.day || (one.account < other.account ? -1 : 1));
  const isNew = ({ window }: (typeof held)[number]) => window.held!.at > (last?.at ?? -Infinity);
  return {
    held: held.filter(isNew),
    stillHeld: held.filter((each) => !isNew(each)).length,
    lowBalances: digest.accounts
      .flatMap((account) => [...clients.get(account)!.values()])
      .filter(
        ({ balance, absentAt }) => absentAt === null && Number(balance) < (digest.low_balance ?? -Infinity),
      ).length,
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
