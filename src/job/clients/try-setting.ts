import type { Config } from '../../config/config.ts';
import { isUnreadable } from '../../model/records.ts';
import type { WalkState } from '../../model/walk.ts';
import type { ClientListParameters } from '../../service/operations.ts';
import { formatCountOf } from '../../support/english.ts';
import { recordTriedSetting } from '../../warehouse/load/client-walks.ts';
import { readWalkStates } from '../../warehouse/queries/walk-states.ts';
import { toItemFailure } from '../run/failures.ts';
import type { Run } from '../run/run.ts';
import type { FailedList } from './sync-client-lists.ts';

/** A setting, and the request for a failed page as it would be with it. */
export type Trial = { readonly setting: string; readonly parameters: ClientListParameters };

/** A page that fails on this many run dates won't recover without a person. */
const minRunDates = 3;

/**
 * Chooses the setting that might end the failures of a client list (design, *Complete walk*): the one that helped the last
 * time, to see whether it still does, else the one after that. Null before the third run date, and if no setting can help.
 */
export function nextTrial(
  { failedRunDates, triedSetting, triedSettingHelps }: WalkState,
  { error, page: failed }: Pick<FailedList, 'error' | 'page'>,
  { balance, concurrency }: Pick<Config['service'], 'balance' | 'concurrency'>,
): Trial | null {
  const isOfService = ['SERVICE_UNAVAILABLE', 'INVALID_RESPONSE', 'REQUEST_REFUSED'].includes(error.code);
  // RATE_PER_SECOND ends a 429.
  if (failed === null || failedRunDates < minRunDates || !isOfService || error.status === '429') return null;
  const parameters = { ...failed, balance };
  const limit = Math.floor(failed.limit / 4);
  // This page is within the failed one, whether pages count from 0 or 1.
  const page = failed.page === undefined ? {} : { page: Math.ceil((failed.page * failed.limit) / limit) };
  const alone: Trial = { setting: 'CONCURRENCY=1', parameters };
  const withoutBalance: Trial = {
    setting: 'CLIENT_BALANCE=false',
    parameters: { ...parameters, balance: false },
  };
  const smaller: Trial = { setting: `PAGE_LIMIT=${limit}`, parameters: { ...parameters, limit, ...page } };
  // No response in time, or one that is too large.
  const isTooMuch = error.status === null || error.status === '504';
  const trials = [
    // A trial is alone: only if the page fails alone, another setting can be why it pageLoads.
    ...(concurrency > 1 ? [alone] : []),
    ...(isTooMuch && limit > 0 ? [smaller] : []),
    ...(balance ? [withoutBalance] : []),
    ...(!isTooMuch && limit > 0 ? [smaller] : []),
  ];
  const last = trials.findIndex(({ setting }) => setting === triedSetting);
  return trials[triedSettingHelps && last >= 0 ? last : (last + 1) % trials.length] ?? null;
}

/**
 * Tries for one account, by one request, whether a setting would end failures that have lasted for three run dates although
 * campaigns load. Nothing else is requested meanwhile. Its alert reports the result.
 */
export async function trySetting(run: Run, failed: readonly FailedList[]): Promise<void> {
  if (failed.length === 0) return;
  const walks = await readWalkStates(run.warehouse);
  const isWithoutCampaigns = new Set(
    run.stats.failures.flatMap(({ step, account }) => (step === 'windows' ? account : [])),
  );
  // Each run tries the same account, as long as that fails.
  for (const list of failed.toSorted((one, other) => one.account.id - other.account.id)) {
    const { account, walk } = list;
    const state = walks.get(account.name);
    if (state === undefined || isWithoutCampaigns.has(account.name)) continue;
    const trial = nextTrial(state, list, run.config.service);
    if (trial === null) continue;
    const helps = await pageLoads(run, list, trial);
    await recordTriedSetting(run.warehouse, walk, trial.setting, helps);
    run.log.warn(
      { account: account.name, setting: trial.setting, helps },
      `${account.name}: a client page that failed on ${formatCountOf(state.failedRunDates, 'run date')} ${helps ? 'loads' : 'fails, too,'} with ${trial.setting}`,
    );
    return;
  }
}

async function pageLoads(run: Run, { account }: FailedList, { parameters }: Trial): Promise<boolean> {
  try {
    const page = await run.service.listClients(account, parameters);
    return page.rows > 0 && page.unfinished === null && !isUnreadable(page);
  } catch (error) {
    // Throws what ends the run.
    toItemFailure(error, run, `account ${account.name}, clients`);
    return false;
  }
}
