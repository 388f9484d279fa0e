import type { Account } from '../../model/account.ts';
import type { Day } from '../../model/day.ts';
import type { CurrentDay, LoadDecision } from '../../model/day-change.ts';
import { type CampaignRecord, mostlyUnreadable, type Reject } from '../../model/records.ts';
import type { ServiceResponse } from '../../model/response.ts';
import { isOver } from '../../planning/business-day.ts';
import { contentHash, decideLoad } from '../../planning/decide-load.ts';
import type { Service } from '../../service/client.ts';
import type { Clock } from '../../support/clock.ts';

/** The response for a window. */
export type FetchedWindow = {
  readonly records: readonly CampaignRecord[];
  readonly rejects: readonly Reject[];
  readonly response: ServiceResponse;
  readonly contentHash: string;
  /** Whether the day was not over yet when it was requested. */
  readonly provisional: boolean;
  /** Why the response is not loaded at all; null where it can be. */
  readonly unreadable: string | null;
};

/** Fetches a window, and writes nothing. */
export async function fetchWindow(
  { service, clock }: { readonly service: Service; readonly clock: Clock },
  { account, day }: { readonly account: Account; readonly day: Day },
): Promise<FetchedWindow> {
  const provisional = !isOver(day, account.timeZone, clock());
  const summary = await service.summarizeCampaigns(account, { from: day, to: day });
  const { records, rejects, response } = summary;
  return {
    records,
    rejects,
    response,
    contentHash: contentHash(records),
    provisional,
    unreadable: mostlyUnreadable(summary)
      ? `${rejects.length} of ${records.length + rejects.length} records can't be read`
      : null,
  };
}

/** Decides what becomes of a fetched window. */
export function decideWindow(
  { records, rejects, contentHash }: FetchedWindow,
  current: CurrentDay,
  { runDate, accepted }: { readonly runDate: Day; readonly accepted: boolean },
): LoadDecision {
  return decideLoad(current, { records, rejects, contentHash, runDate, accepted });
}
