import {
  type ForgettableAccount,
  type ForgottenRows,
  forgetAccount,
} from '../warehouse/retention/forget-account.ts';
import type { AppContext } from './run/app-context.ts';
import { asOnlyRun, type RunReport } from './run/run.ts';

/**
 * Erases an account and what is known of it, as the only run, which is recorded without the account's name. Throws a
 * Failure where another run is in progress.
 */
export async function forget(
  app: AppContext,
  account: ForgettableAccount,
  signal: AbortSignal,
  onForgotten: (rows: readonly ForgottenRows[]) => void,
): Promise<RunReport> {
  return await asOnlyRun(app, { kind: 'forget', command: 'forget' }, signal, async (run) => {
    onForgotten(await forgetAccount(run.warehouse, account));
    return null;
  });
}
