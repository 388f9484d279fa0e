import type { AccountStatus } from '../../warehouse/queries/status.ts';

/** Something about an account that somebody ought to know, and the command that mends it, if one does. */
export type Suggestion = { readonly says: string; readonly command: string | null };

/** What there is to do about an account. Commands are given without the program's name. */
export function suggestionsFor({ account, gaps, held, suspicious }: AccountStatus): Suggestion[] {
  const found: Suggestion[] = [];
  if (gaps.length > 0) {
    found.push({
      says: `${account}: not loaded: ${shorten(gaps)}. The next run heals what is within CATCH_UP_DAYS; or now`,
      command: `run --from ${gaps[0]} --to ${gaps.at(-1)} --account '${account}'`,
    });
  }
  for (const day of held) {
    found.push({
      says: `${account}: an answer for ${day} is held back. To apply it`,
      command: `accept --day ${day} --account '${account}'`,
    });
  }
  if (suspicious.length > 0) {
    const says = `${account}: no calls on days that usually have some: ${shorten(suspicious)}`;
    found.push({ says, command: null });
  }
  return found;
}

const shorten = (days: readonly string[]) =>
  days.length <= 4
    ? days.join(', ')
    : `${days.slice(0, 3).join(', ')} and ${days.length - 3} more, to ${days.at(-1)}`;
