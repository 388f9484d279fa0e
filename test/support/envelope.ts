import type { SummaryEnvelope } from '../../src/model/records.ts';

export const plainEnvelope = (
  records: readonly unknown[],
): { readonly envelope: SummaryEnvelope; readonly unreported: readonly never[] } => ({
  envelope: { rows: records.length, counts: {}, notice: null },
  unreported: [],
});
