import { commandLine } from '../../support/commands.ts';
import { formatDays } from '../../support/english.ts';
import type { AccountStatus } from '../../warehouse/queries/status.ts';

/** What an operator should know about an account, and the command that helps, if there is one. */
export type Suggestion = { readonly message: string; readonly command: string | null };

/** What to do about an account. Commands are without the program's name. */
export function suggestionsFor({ account, gaps, held, suspicious }: AccountStatus): Suggestion[] {
  const found: Suggestion[] = [];
  if (gaps.length > 0) {
    found.push({
      message: `${account}: not loaded: ${formatDays(gaps)}. The next run heals what is within CATCH_UP_DAYS; or now`,
      command: commandLine('run', '--from', gaps[0]!, '--to', gaps.at(-1)!, '--account', account),
    });
  }
  for (const day of held) {
    found.push({
      message: `${account}: a response for ${day} is held back. To apply it`,
      command: commandLine('accept', '--day', day, '--account', account),
    });
  }
  if (suspicious.length > 0) {
    const message = `${account}: no calls on days that usually have some: ${formatDays(suspicious)}`;
    found.push({ message, command: null });
  }
  return found;
}
