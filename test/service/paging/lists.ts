import { Failure } from '../../../src/model/errors.ts';
import type { ClientPage, ListClients } from '../../../src/service/operations.ts';
import { type WalkEnd, type WalkInput, walkClients } from '../../../src/service/paging/walk-clients.ts';
import { serviceResponse } from '../../support/service-response.ts';
import { account } from '../account.ts';

export const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

/** A page of the clients with these ids: the first of one page, unless the envelope says otherwise. */
export function pageOf(ids: readonly number[], envelope: Partial<ClientPage> = {}): ClientPage {
  return {
    page: 1,
    pages: 1,
    limit: null,
    rows: ids.length,
    records: ids.map((clientId) => ({ clientId, name: null, checksum: null, balance: null, extra: {} })),
    rejects: [],
    rejectCount: envelope.rejects?.length ?? 0,
    logged: [],
    remarks: [],
    emptyBy: null,
    counts: {},
    response: serviceResponse(),
    ...envelope,
  };
}

/** Pages clients as they are requested, and says so; `change` is what is different about a page, by its number. */
export function listOf(
  ids: readonly number[],
  change: (page: number, limit: number) => Partial<ClientPage> | Failure = () => ({}),
): ListClients {
  return async (_, { limit = 10, page = 1 }) => {
    const changed = change(page, limit);
    if (changed instanceof Failure) throw changed;
    const pages = Math.max(1, Math.ceil(ids.length / limit));
    return pageOf(ids.slice((page - 1) * limit, page * limit), { page, pages, limit, ...changed });
  };
}

/** What a walk over a list requests and yields, and how it ends. */
export async function walk(
  list: ListClients,
  { parameters = { limit: 2 }, ...input }: Partial<Omit<WalkInput, 'list'>> = {},
) {
  const requests: string[] = [];
  const pages: (readonly number[])[] = [];
  let end: WalkEnd | undefined;
  const recording: ListClients = async (who, requested, mayBeMissing) => {
    const { limit, page, ...rest } = requested;
    requests.push([limit ?? 'no limit', ...(page === undefined ? [] : [page])].join('/'));
    const { limit: _, ...others } = parameters;
    if (JSON.stringify(rest) !== JSON.stringify(others)) throw new Error(`without ${JSON.stringify(others)}`);
    return await list(who, requested, mayBeMissing);
  };
  const defaults = { account, ahead: 4, maxMs: 600_000 };
  for await (const item of walkClients({ ...defaults, ...input, list: recording, parameters })) {
    if (end !== undefined) throw new Error('something follows the end');
    if ('verdict' in item) end = item;
    else pages.push(item.records.map(({ clientId }) => clientId));
  }
  const { verdict, reason, failure, ids, remarks } = end!;
  if (!new Set(pages.flat()).isSubsetOf(ids)) throw new Error('a client that was yielded is not in the end');
  return { requests, pages, verdict, reason, failure, ids, remarks, clients: ids.size };
}
