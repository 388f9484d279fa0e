import { type CountedWalk, learnSizeFields } from '../../planning/size-fields.ts';
import { walkConcerns } from '../../planning/walk-status.ts';
import { updateSizeFields } from '../../warehouse/load/size-fields.ts';
import { readWalkStates } from '../../warehouse/queries/walk-states.ts';
import type { KnownAccount } from '../run/accounts.ts';
import type { Run } from '../run/run.ts';

/** Whether an account's last complete walk is so old that a list which keeps changing is an error. */
export async function isWalkOverdue(
  { warehouse }: Pick<Run, 'warehouse'>,
  { id, name }: KnownAccount,
): Promise<boolean> {
  const walk = (await readWalkStates(warehouse, id)).get(name);
  return walk !== undefined && walkConcerns(walk).some(({ kind }) => kind === 'incomplete');
}

/** Learns from a complete walk which count fields are the list's size, and logs one that turned out not to be. */
export async function learnFromWalk(
  { warehouse, log }: Pick<Run, 'warehouse' | 'log'>,
  { id, name }: KnownAccount,
  walk: CountedWalk,
): Promise<void> {
  const { dropped } = await updateSizeFields(warehouse, id, (known) => learnSizeFields(known, walk));
  for (const field of dropped) {
    log.warn(
      { account: name, field },
      `${name}: ${field} was ${walk.counts[field]} with ${walk.ids} clients listed, on two run dates: no longer taken for the size of the list`,
    );
  }
}
