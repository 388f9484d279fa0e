import type { AccountStatus } from '../../warehouse/queries/status.ts';
import { commandLine, listDays } from './commands.ts';

/** What an operator should know about an account, and the command that helps, if there is one. */
export type Suggestion = { readonly says: string; readonly command: string | null };

/** What to do about an account. Commands are without the program's name. */
export function suggestionsFor({ account, gaps, held, suspicious }: AccountStatus): Suggestion[] {
  const found: Suggestion[] = [];
  if (gaps.length > 0) {
    found.push({
      says: `${account}: not loaded: ${listDays(gaps)}. The next run heals what is within CATCH_UP_DAYS; or now`,
      command: commandLine('run', '--from', gaps[0]!, '--to', gaps.at(-1)!, '--account', account),
    });
  }
  for (const day of held) {
    found.push({
      says: `${account}: a response for ${day} is held back. To apply it`,
      command: commandLine('accept', '--day', day, '--account', account),
    });
  }
  if (suspicious.length > 0) {
    const says = `${account}: no calls on days that usually have some: ${listDays(suspicious)}`;
    found.push({ says, command: null });
  }
  return found;
}
