import type { ClientNews, News } from './expected-mail.ts';
import type { Period } from './figures.ts';
import { arrived, mailsOf } from './mails.ts';
import type { BuiltMail, Client, Digest, State } from './state.ts';

/** What is new since the last mail of that digest that arrived, beside its figures. */
export function newsOf(state: State, digest: Digest, period: Period): News {
  const { windows, clients, since } = state;
  const mails = arrived(mailsOf(state, digest));
  const lastAt = mails.at(-1)?.at;
  const lastOfNew = mails.findLast(({ isCorrection }) => !isCorrection);
  const mailed = mails.flatMap(({ periods }) => periods.flatMap(accountsOf));
  const before = lastOfNew === undefined ? [] : accountsOf(lastOfNew.periods.at(-1)!);
  const held = digest.accounts
    .toSorted()
    .flatMap((account) => [...windows.get(account)!].map(([day, window]) => ({ account, day, window })))
    .filter(({ day, window }) => window.held !== null && day <= period.last)
    .sort((one, other) => one.day - other.day);
  const isNew = ({ window }: (typeof held)[number]) => window.held!.at > (lastAt ?? -Infinity);
  const hasJoined = (account: string) => since.get(account)! <= period.last && !mailed.includes(account);
  const isLow = ({ balance, absentAt }: Client) =>
    absentAt === null && Number(balance) < (digest.low_balance ?? -Infinity);
  const listed = digest.accounts.flatMap((account) => [...clients.get(account)!.values()]);
  const clientNews = (isNews: (client: Client, lastAt: number) => boolean): ClientNews[] =>
    lastAt === undefined
      ? []
      : digest.accounts.toSorted().flatMap((account) => {
          const known = [...clients.get(account)!].sort(([one], [other]) => one - other);
          // A first list is no news.
          if (known.every(([, { firstSeen }]) => firstSeen > lastAt)) return [];
          const names = known.filter(([, each]) => isNews(each, lastAt)).map(([, { name }]) => name);
          return names.length === 0 ? [] : [{ account, names }];
        });
  return {
    joined: lastOfNew === undefined ? [] : digest.accounts.filter(hasJoined).toSorted(),
    left: before.filter((account) => !digest.accounts.includes(account)).toSorted(),
    held: held.filter(isNew),
    stillHeld: held.filter((each) => !isNew(each)).length,
    lowBalances: listed.filter(isLow).length,
    vanished: clientNews(({ firstSeen, absentAt }, at) => firstSeen <= at && (absentAt ?? 0) > at),
    appeared: clientNews(({ firstSeen, absentAt }, at) => firstSeen > at && absentAt === null),
  };
}

const accountsOf = ({ accounts }: BuiltMail['periods'][number]) => accounts.map(({ account }) => account);
