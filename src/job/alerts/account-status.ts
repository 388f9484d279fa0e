import type { Day } from '../../model/day.ts';
import { type AccountState, isOpen } from './state.ts';

/** An account as `status` shows it. Lists of days are oldest first, and of days that a run catches up on now. */
export type AccountStatus = Pick<
  AccountState,
  'label' | 'timeZone' | 'since' | 'completeThrough' | 'walk'
> & {
  readonly account: string;
  /** Days up to yesterday that are missing or failed, or were fetched before they were over. */
  readonly gaps: readonly Day[];
  readonly held: readonly Day[];
  /** Other days whose figures aren't confirmed yet. */
  readonly provisional: readonly Day[];
  /** Number of days whose counts have not yet been the same on two run dates. */
  readonly settling: number;
  /** Records in quarantine that no later response replaced. */
  readonly quarantined: number;
};

export function statusOf(state: AccountState): AccountStatus {
  const { name, label, timeZone, since, completeThrough, days, quarantined, walk } = state;
  const daysWith = (condition: (day: AccountState['days'][number]) => boolean) =>
    days.filter(condition).map(({ day }) => day);
  return {
    account: name,
    label,
    timeZone,
    since,
    completeThrough,
    gaps: daysWith(isOpen),
    held: daysWith(({ held }) => held),
    provisional: daysWith((each) => each.state === 'provisional' && !isOpen(each)),
    settling: daysWith(({ settling }) => settling).length,
    quarantined: quarantined.reduce((total, { records }) => total + records, 0),
    walk,
  };
}
