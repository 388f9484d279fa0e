import type { WalkState } from '../../model/walk.ts';

/** From so many run dates without a complete walk on, an account needs one, though its list only changes during its walks. */
const maxRunDatesChanging = 7;

/**
 * Returns whether an account needs a complete walk (docs/service-assumptions.md): the last one was incomplete, or the list changed
 * during all walks of seven run dates since the last complete walk, or the first of all.
 */
export function needsCompleteWalk({ verdict, incompleteRunDates }: WalkState): boolean {
  return verdict === 'changed' ? incompleteRunDates >= maxRunDatesChanging : verdict === 'incomplete';
}
