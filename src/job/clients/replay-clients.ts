import type { Day } from '../../model/day.ts';
import { mostlyUnreadable } from '../../model/records.ts';
import { parseArchived } from '../../service/response/parse-response.ts';
import { clientListSchema } from '../../service/response/schema.ts';
import {
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
import { newestOfEach } from '../../warehouse/load/client-pages.ts';
import type { Run } from '../run/run.ts';

/**
 * Rebuilds the clients of each account from all of its walks. They have no days of their own, so a part of the walks
 * would make old names the current ones: an account with walks outside of the days stays as it is.
 */
export async function replayClients(
  run: Pick<Run, 'warehouse' | 'config' | 'log' | 'signal'>,
  from: Day,
  to: Day,
): Promise<void> {
  for (const { id, name } of await walkedAccounts(run.warehouse)) {
    run.signal.throwIfAborted();
    const { walks, whole } = await readWalks(run.warehouse, id);
    const say = (what: string) =>
      run.log.warn({ account: name }, `${name}: its clients stay as they are: ${what}`);
    const days = walks.map((walk) => walk.day).sort();
    if (!whole) say('not all pages of its walks are archived');
    else if (days[0]! < from || days.at(-1)! > to) say(`they were walked from ${days[0]} to ${days.at(-1)}`);
    else
      await rebuildClients(
        run.warehouse,
        id,
        walks.map((walk) => decidedWalk(walk, run.config.service.balanceField)),
      );
  }
}

function decidedWalk(walk: ArchivedWalk, balanceField: string | null): DecidedWalk {
  return {
    ...walk,
    async *loads(reader) {
      for await (const { decidedAt, bodies } of readLoads(reader, walk.id))
        yield { decidedAt, ...readPages(bodies, balanceField) };
    },
  };
}

function readPages(bodies: readonly string[], balanceField: string | null): Omit<DecidedLoad, 'decidedAt'> {
  const schema = clientListSchema(balanceField);
  const pages = bodies.map((body) => parseArchived(body, schema)).filter((page) => !mostlyUnreadable(page));
  const clients = [...newestOfEach(pages).values()];
  const rejected = pages.flatMap((page) => page.rejects.map((reject) => reject.id));
  const ids = [...pages.flatMap((page) => page.records.map((client) => client.clientId)), ...rejected];
  return { clients, listed: ids.every((id) => id !== null) ? ids : null };
}
