import { type Accepted, isAccepted, type ObservedSign, signId } from '../../model/accepted.ts';
import type { Day } from '../../model/day.ts';
import type { Warehouse } from '../../warehouse/db/database.ts';
import { readAccepted, readAlertedSigns } from '../../warehouse/ledger/accepted.ts';

/** What people said, and were asked, about answers of the service: a run reads it once. */
export type Signs = {
  readonly accepted: readonly Accepted[];
  /** Returns whether a person accepted a sign. */
  readonly isAccepted: (observed: ObservedSign) => boolean;
  /** Returns whether somebody was alerted about a sign on an earlier run date: it is requested once a run date. */
  readonly isAlerted: (sign: Pick<Accepted, 'kind' | 'operation' | 'sign'>) => boolean;
};

export async function readSigns(warehouse: Warehouse, service: string, runDate: Day): Promise<Signs> {
  const accepted = await readAccepted(warehouse, service);
  const alerted = await readAlertedSigns(warehouse, runDate);
  return {
    accepted,
    isAccepted: (observed) => isAccepted(accepted, observed),
    isAlerted: (sign) => alerted.has(signId(sign)),
  };
}
