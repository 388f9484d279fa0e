import { closest } from '../config/did-you-mean.ts';
import { type Accepted, type ObservedSign, signId, starred } from '../model/accepted.ts';
import { usageFailure } from '../model/errors.ts';
import {
  deleteAccepted,
  insertAccepted,
  readAccepted,
  readObservedSigns,
} from '../warehouse/ledger/accepted.ts';
import { refreshCampaigns } from '../warehouse/load/campaigns.ts';
import type { ReviewedDay } from '../warehouse/load/reviewed-days.ts';
import type { AppContext } from './run/app-context.ts';
import { type RunReport, type RunRequest, withoutRunLock } from './run/run.ts';
import { readSigns } from './run/signs.ts';
import { confirmAccepted, daysToConfirm, reviewDays } from './windows/review-days.ts';

export type AcceptAlwaysRequest = RunRequest & {
  /** As an alert quotes it, or its short name: `HTTP 404; message: No campaigns found`, `r-3f2a9c`. */
  readonly sign: string;
  /** Null for every account. */
  readonly accounts: readonly string[] | null;
  /** Takes back what was accepted. */
  readonly undo: boolean;
};

/** What an acceptance means for the loaded days. */
export type AcceptedSign = Omit<Accepted, 'account'> & {
  readonly accounts: readonly string[] | null;
  /** The days that are confirmed by it. */
  readonly days: readonly ReviewedDay[];
};

/**
 * Records, once, that a sign is the way of the service, or takes that back. Loaded days that wait for it alone are confirmed from their
 * rows of the ledger, however old; held days and answers without records follow with the next run. What is taken back makes the days
 * within `CATCH_UP_DAYS` that rest on it provisional again.
 *
 * @param confirm gets what will be confirmed; resolves to whether to do so
 */
export async function acceptAlways(
  app: AppContext,
  { sign: typed, accounts, undo, ...request }: AcceptAlwaysRequest,
  signal: AbortSignal,
  confirm: (accepted: AcceptedSign) => Promise<boolean>,
): Promise<RunReport> {
  return await withoutRunLock(app, { ...request, kind: 'accept' }, signal, async (run) => {
    const service = run.config.service.baseUrl;
    const observed = undo
      ? await readAccepted(run.warehouse, service)
      : await readObservedSigns(run.warehouse, accounts);
    const sign = findSign(typed, observed, run.signs.accepted);
    const rows = (accounts ?? [null]).map((account): Accepted => ({ ...sign, account }));
    const days = undo ? [] : await daysToConfirm(run.warehouse, [...run.signs.accepted, ...rows]);
    if (!(await confirm({ ...sign, accounts, days }))) {
      run.log.info('nothing was changed');
      return;
    }
    if (undo) await deleteAccepted(run.warehouse, service, sign, accounts);
    else await insertAccepted(run.warehouse, service, sign, accounts);
    const now = { ...run, signs: await readSigns(run.warehouse, service, run.runDate) };
    await confirmAccepted(now);
    await reviewDays(now);
    await refreshCampaigns(run.warehouse);
  });
}

/**
 * Returns the sign to accept: as it came or, if it came with different values or was accepted with another one, whatever its value.
 *
 * @param observed what answers had, or what was accepted
 */
function findSign(
  typed: string,
  observed: readonly Omit<ObservedSign, 'account'>[],
  accepted: readonly Accepted[],
): Omit<Accepted, 'account'> {
  const found = observed.filter((each) => [signId(each), each.sign, starred(each)].includes(typed));
  const [first] = found;
  if (first === undefined) {
    const known = [...new Set(observed.flatMap((each) => [each.sign, signId(each)]))];
    const meant = closest(typed, known);
    throw usageFailure(
      `no answer had the sign ${typed}${meant === undefined ? '' : `; the nearest one is ${meant}`}; status shows all that wait`,
    );
  }
  const { kind, operation, sign } = first;
  const alike = [...found, ...accepted.filter((each) => signId(each) === signId(first))];
  const isOne = alike.every((each) => each.sign === sign);
  return { kind, operation, sign: isOne ? sign : starred(first) };
}
