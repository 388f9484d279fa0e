import { type CountName, countNames, type Sums } from '../../model/records.ts';
import { contentHash, decideLoad } from '../../planning/decide-load.ts';
import { parseArchived } from '../../service/response/parse-response.ts';
import { campaignSummarySchema } from '../../service/response/schema.ts';
import { readHeldResponse } from '../../warehouse/archive/read-archive.ts';
import type { Queries } from '../../warehouse/db/database.ts';
import type { WindowKey } from '../../warehouse/ledger/window-entry.ts';
import { readCurrentDay } from '../../warehouse/load/windows.ts';

/** What a held response would make of its day, and why it is held. */
export type HeldFigures = Sums & {
  readonly campaigns: number;
  readonly fetchedAt: string;
  /** Null where the day changed since, and nothing speaks against the response any more. */
  readonly because: string | null;
};

/** A larger body would keep the server from everything else while it is parsed. */
const maxBytes = 4 * 1024 * 1024;

/** Reads the held response of a window again; null where its body is no longer archived, or too large for a page. */
export async function readHeldFigures(queries: Queries, window: WindowKey): Promise<HeldFigures | null> {
  const held = await readHeldResponse(queries, window, maxBytes);
  if (held === null) return null;
  const { records, rejects } = parseArchived(held.body, campaignSummarySchema);
  const current = await readCurrentDay(queries, window.accountId, window.day);
  const candidate = {
    records,
    rejects,
    contentHash: contentHash(records),
    runDate: window.day,
    accepted: false,
  };
  // As if it came for the first time.
  const decision = decideLoad({ ...current, heldHash: null }, candidate);
  const sums = countNames.map((name) => [name, sum(records.map((record) => record[name]))]);
  return {
    ...(Object.fromEntries(sums) as Record<CountName, string | null>),
    campaigns: records.length,
    fetchedAt: held.fetchedAt,
    because: decision.decision === 'hold' ? decision.because : null,
  };
}

/** Null where none is reported; 0 where there are none. */
function sum(counts: readonly (number | null)[]): string | null {
  const reported = counts.filter((count) => count !== null);
  if (reported.length === 0 && counts.length > 0) return null;
  return reported.reduce((total, count) => total + BigInt(count), 0n).toString();
}
