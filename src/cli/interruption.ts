import { Interrupted } from '../model/exit-code.ts';

/** Container engines wait ten seconds before they kill. */
const endTimeoutMs = 9_000;

const interruption = new AbortController();

/** Aborted with an Interrupted by the first SIGINT or SIGTERM. A second one or a timeout ends the process. */
export const interrupted: AbortSignal = interruption.signal;

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => interrupt(signal));

/** Does what the signal does. */
export function interrupt(signal: 'SIGINT' | 'SIGTERM'): void {
  const reason = new Interrupted(signal);
  if (interrupted.aborted) process.exit(reason.exitCode);
  interruption.abort(reason);
  setTimeout(() => {
    process.stderr.write(
      `callsheet: ${reason.message}: some work did not end in time; run the same command to continue\n`,
    );
    process.exit(reason.exitCode);
  }, endTimeoutMs).unref();
}
