import { commandLine } from '../../support/commands.ts';
import { formatDays } from '../../support/english.ts';
import type { AccountStatus } from '../../warehouse/queries/status.ts';
import { toAccept, toRun } from './suggested-commands.ts';
import { walkAlerts } from './walk-alerts.ts';

/** What an operator should know about an account, and the command that helps, if there is one. */
export type Suggestion = { readonly message: string; readonly command: string | null };

/** What to do about an account. Commands are without the program's name. */
export function suggestionsFor({
  account,
  gaps,
  held,
  suspicious,
  notRefreshed,
  walk,
}: AccountStatus): Suggestion[] {
  const found: Suggestion[] = held.map((day) => ({
    message: `${account}: a response for ${day} is held back. To apply it`,
    command: commandLine(...toAccept(day, account)),
  }));
  if (gaps.length > 0) {
    found.unshift({
      message: `${account}: not loaded: ${formatDays(gaps)}. The next run heals what is within CATCH_UP_DAYS; or now`,
      command: commandLine(...toRun(gaps, account)),
    });
  }
  if (notRefreshed.length > 0) {
    found.push({
      message: `${account}: loaded before, but the last attempt failed: ${formatDays(notRefreshed)}. The next run tries again; or now`,
      command: commandLine(...toRun(notRefreshed, account)),
    });
  }
  for (const { what, cause, words } of walkAlerts(account, walk)) {
    found.push({ message: `${what}. ${cause}`, command: commandLine(...words) });
  }
  if (suspicious.length > 0) {
    const message = `${account}: suspicious: no calls where there usually are some, or a response that may be wrong: ${formatDays(suspicious)}`;
    found.push({ message, command: null });
  }
  return found;
}
