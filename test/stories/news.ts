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
  /** The first expected day of an account. */
  readonly since: (account: string) => number;
};

/** What is new since the last mail of that digest, beside its figures. */
export function newsOf({ windows, built, clients, since }: Past, digest: Digest, period: Period): News {
  const own = built.filter(({ name, every }) => name === digest.name && every === digest.every);
  const last = own.at(-1);
  const lastOfNew = own.findLast(({ isCorrection }) => !isCorrection);
  const told = new Set(own.flatMap(({ periods }) => periods.flatMap(accountsOf)));
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
    joined:
      lastOfNew === undefined
        ? []
        : digest.accounts.filter((account) => since(account) <= period.last && !told.has(account)).toSorted(),
    left: (lastOfNew === undefined ? [] : accountsOf(lastOfNew.periods.at(-1)!))
      .filter((account) => !digest.accounts.includes(account))
      .toSorted(),
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

const accountsOf = ({ accounts }: BuiltMail['periods'][number]) => accounts.map(({ account }) => account);

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
