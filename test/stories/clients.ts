import { has, isRefused, type Observed, type State } from './state.ts';

/* What becomes of a client list, by *Absent* and *Complete walk* (docs/concepts.md). */

const pageLimit = 100;

/** @param observed how far a killed run came; null for one that ended */
export function walk(state: State, account: string, night: number, observed: Observed | null): void {
  const events = state.nights[night] ?? [];
  if (isRefused(events, account) || has(events, 'client list refused', account)) return;
  const listed = state.truth.clientsOn(night, account);
  const isChanging = has(events, 'list changes during walk', account) && listed.length > pageLimit;
  const known = state.clients.get(account)!;
  for (const { clientid, clientname, balance } of isChanging ? pagesOf(listed) : listed) {
    // A killed run loaded some pages and not others.
    if (observed !== null && observed.client(account, clientid)?.balance !== balance) continue;
    const before = known.get(clientid);
    if (before?.balance !== balance) state.balances.push({ account, client: clientid, night, balance });
    known.set(clientid, { name: clientname, balance, missed: null, isAbsent: false });
  }
  if (isChanging || (observed !== null && !observed.walkWasComplete(account))) return;
  const ids = new Set(listed.map(({ clientid }) => clientid));
  const present = [...known].filter(([, { isAbsent }]) => !isAbsent);
  const missing = present.filter(([id]) => !ids.has(id));
  if (missing.length * 2 > present.length) return;
  for (const [, client] of missing) {
    if (client.missed === null) client.missed = night;
    else if (client.missed < night) client.isAbsent = true;
  }
}

/** The clients on the pages of a walk, if with every page one more is deleted from the first. */
function pagesOf<Listed>(clients: readonly Listed[]): Listed[] {
  const pages = Math.ceil(clients.length / pageLimit);
  return Array.from({ length: pages }, (_, page) =>
    clients.slice(page).slice(page * pageLimit, (page + 1) * pageLimit),
  ).flat();
}
