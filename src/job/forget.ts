import {
  type ForgettableAccount,
  type ForgottenRows,
  forgetAccount,
} from '../warehouse/retention/forget-account.ts';
import type { AppContext } from './run/app-context.ts';
import { type RunReport, withRunLock } from './run/run.ts';

/**
 * Erases an account with all its data, as the only run; `etl.runs` doesn't name the account. Throws a Failure if
 * another run is running.
 */
export async function forget(
  app: AppContext,
  account: ForgettableAccount,
  signal: AbortSignal,
  onForgotten: (rows: readonly ForgottenRows[]) => void,
): Promise<RunReport> {
  return await withRunLock(app, { kind: 'forget', command: 'forget' }, signal, async (run) => {
    onForgotten(await forgetAccount(run.warehouse, account));
    return undefined;
  });
}
