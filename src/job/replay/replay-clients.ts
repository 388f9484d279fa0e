import { mostlyUnreadable } from '../../model/records.ts';
import { parseArchived, parseRefused } from '../../service/response/parse-response.ts';
import { clientListSchema } from '../../service/response/schema.ts';
import {
  type ArchivedLoad,
  type ArchivedWalk,
  readLoads,
  readWalks,
  walkedAccounts,
} from '../../warehouse/archive/read-archive.ts';
import {
  type DecidedLoad,
  type DecidedWalk,
  rebuildClients,
} from '../../warehouse/archive/rebuild-clients.ts';
import { readUnreadPage, recordPageRead, unreadPageIds } from '../../warehouse/archive/reread-pages.ts';
import type { Queries, Transaction } from '../../warehouse/db/database.ts';
import { newestOfEach } from '../../warehouse/load/client-pages.ts';
import type { Run } from '../run/run.ts';
import type { ReplayScope } from './replay-windows.ts';

/**
 * Rebuilds the clients of each account from all of its walks. They have no days of their own, so a part of the walks
 * would make old names the current ones: an account with walks outside of the days stays as it is. A page that is read
 * again belongs to its walk; the walk proves no more than it did.
 */
export async function replayClients(
  { warehouse, config, log, signal }: Run,
  scope: ReplayScope,
): Promise<void> {
  const { from, to, reread } = scope;
  const unread: ReadonlyMap<number, readonly number[]> = reread
    ? await unreadPageIds(warehouse, scope)
    : new Map();
  let pagesRead = 0;
  for (const { id, name } of await walkedAccounts(warehouse, [...unread.keys()])) {
    signal.throwIfAborted();
    const { walks, whole } = await readWalks(warehouse, id);
    const logKept = (why: string) =>
      log.warn({ account: name }, `${name}: its clients stay as they are: ${why}`);
    const days = walks.map((walk) => walk.day).sort();
    if (!whole) {
      logKept('not all pages of its walks are archived');
    } else if (days.length > 0 && (days[0]! < from || days.at(-1)! > to)) {
      logKept(`they were walked from ${days[0]} to ${days.at(-1)}`);
    } else {
      const list = { accountId: id, balanceField: config.service.balanceField, unread: unread.get(id) ?? [] };
      pagesRead += await replayList(warehouse, list);
    }
  }
  if (reread) log.info({ pagesRead }, `pages of client lists read again: ${pagesRead} loaded`);
}

type ArchivedList = {
  readonly accountId: number;
  readonly balanceField: string | null;
  /** Ids of pages that couldn't be read. */
  readonly unread: readonly number[];
};

/** Gives the number of pages that are loaded for the first time. */
async function replayList(
  warehouse: Run['warehouse'],
  { accountId, balanceField, unread }: ArchivedList,
): Promise<number> {
  let pagesRead = 0;
  await rebuildClients(warehouse, accountId, async (transaction) => {
    const read = await readAgain(transaction, unread, balanceField);
    pagesRead = read.size;
    const { walks } = await readWalks(transaction, accountId);
    return walks.map((walk) => decidedWalk(walk, read, balanceField));
  });
  return pagesRead;
}

/** The ids of the pages that can be read today; they are loaded from now on. */
async function readAgain(
  transaction: Transaction,
  unread: readonly number[],
  balanceField: string | null,
): Promise<ReadonlySet<number>> {
  const schema = clientListSchema(balanceField);
  const read = new Set<number>();
  for (const id of unread) {
    const page = await readUnreadPage(transaction, id);
    const parsed = page && parseRefused(page.body, page.status, schema);
    if (page === null || parsed === null || mostlyUnreadable(parsed.content)) continue;
    await recordPageRead(transaction, page);
    read.add(id);
  }
  return read;
}

function decidedWalk(
  walk: ArchivedWalk,
  read: ReadonlySet<number>,
  balanceField: string | null,
): DecidedWalk {
  return {
    ...walk,
    async *loads(reader: Queries) {
      for await (const load of readLoads(reader, walk.id)) yield decidedLoad(load, read, balanceField);
    },
  };
}

function decidedLoad(
  { decidedAt, pages }: ArchivedLoad,
  read: ReadonlySet<number>,
  balanceField: string | null,
): DecidedLoad {
  const schema = clientListSchema(balanceField);
  const parsed = pages
    .map(({ id, body }) => ({ id, ...parseArchived(body, schema) }))
    .filter((page) => !mostlyUnreadable(page));
  const clients = newestOfEach(parsed);
  // Only the first rejects are kept: the others may be anybody.
  const rejected = parsed.flatMap(({ rejects, rejectCount }) => [
    ...rejects.map(({ id }) => id),
    ...(rejectCount > rejects.length ? [null] : []),
  ]);
  const ids = [...parsed.flatMap((page) => page.records.map((client) => client.clientId)), ...rejected];
  const reread = parsed
    .filter(({ id }) => read.has(id))
    .map(({ id, records }) => ({
      id,
      clientIds: records
        .filter((client) => clients.get(client.clientId) === client)
        .map((client) => client.clientId),
    }));
  return {
    decidedAt,
    clients: [...clients.values()],
    listed: ids.every((id) => id !== null) ? ids : null,
    reread,
  };
}
