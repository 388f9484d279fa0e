import type { SummaryEnvelope } from '../../src/model/records.ts';

/** What a plain response has beside its campaigns: nothing that speaks against it. */
export const plainEnvelope = (
  records: readonly unknown[],
): { readonly envelope: SummaryEnvelope; readonly unreported: readonly never[] } => ({
  envelope: { rows: records.length, counts: {}, notice: null },
  unreported: [],
});
