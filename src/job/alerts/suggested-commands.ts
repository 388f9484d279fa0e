import type { Day } from '../../model/day.ts';

/** The words of a command without the program's name: for `commandLine` or `npmCommand`. */
type CommandWords = readonly string[];

/** Loads these days, oldest first, due or not; without days, what is due; without a name, of every account. */
export function toRun(days: readonly Day[], account?: string): CommandWords {
  const [first, last] = [days[0], days.at(-1)];
  return words('run', first === last ? { day: first, account } : { from: first, to: last, account });
}

/** Applies the held response of a day; without a name, of every account. */
export const toAccept = (day: Day, account?: string): CommandWords => words('accept', { day, account });

/** Sends what was not sent of a digest. */
export const toSend = (digest: string, day: Day): CommandWords => words('digest', { day, digest });

/** Sends a digest again; without a recipient, to all of them. */
export const toResend = (digest: string, day: Day, to?: string): CommandWords => [
  ...words('digest', { day, digest, to }),
  '--resend',
];

function words(command: string, options: Readonly<Record<string, string | undefined>>): string[] {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  return [command, ...given.flatMap(([name, value]) => [`--${name}`, value!])];
}
