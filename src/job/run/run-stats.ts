import type { Day } from '../../model/day.ts';
import type { DeliveryOutcome } from '../../model/digest.ts';
import type { ErrorCode } from '../../model/errors.ts';
import type { RunStep } from '../../model/run.ts';
import { formatCount, formatCountOf } from '../../support/english.ts';

/** A reported error: what happened, and where. */
export type ReportedError = {
  readonly code: ErrorCode;
  /**
   * The step that it happened in: a client list (`clients`), a window (`windows`), or a digest that it kept from
   * being built (`digests`) or delivered (`mail`).
   */
  readonly step: RunStep;
  readonly account: string;
  readonly day: Day | null;
  readonly detail: string;
  /** Name of the digest; `account` is then in words. */
  readonly digest?: string;
  /** Key of the delivery. */
  readonly delivery?: number | undefined;
};

/** A step of a run, and how long it took. */
export type StepTime = { readonly step: RunStep; readonly ms: number };

/** The counts of a run: its summary in the log and in `etl.runs`. */
export type RunStats = ReturnType<typeof createRunStats>;

export function createRunStats() {
  return {
    clients: counters('pages', 'listed', 'appeared', 'changed', 'returned', 'absent', 'incompleteWalks'),
    // Healed: loaded, and missing or failed in an earlier run; history was never missing. Short and suspicious: loaded, though
    // something besides the campaigns speaks against them.
    windows: counters('loaded', 'healed', 'held', 'short', 'suspicious', 'failed', 'stale'),
    rows: counters('appeared', 'updated', 'withdrawn', 'restated', 'unchanged'),
    rejects: 0,
    digests: counters('built', 'corrected', 'skipped'),
    deliveries: counters<DeliveryOutcome['state']>('sent', 'written', 'failed', 'refused', 'unknown'),
    // Failed deliveries that the mail server put off, or couldn't take.
    mailPutOff: 0,
    // Mails to `ALERT_TO`.
    alerts: counters('sent', 'failed'),
    failures: [] as ReportedError[],
    steps: [] as StepTime[],
  };
}

function counters<Name extends string>(...names: readonly Name[]): Record<Name, number> {
  return Object.fromEntries(names.map((name) => [name, 0])) as Record<Name, number>;
}

/** The counts in one line: loaded windows, then whatever isn't 0. */
export function summarize({ windows, rows, rejects, failures, clients }: RunStats): string {
  const counts: (readonly [number, noun: string | null, what: string])[] = [
    [windows.healed, null, ' healed'],
    [windows.held, null, ' held back'],
    [windows.short, null, ' with figures that may be low'],
    [windows.suspicious, null, ' suspicious'],
    [windows.failed, null, ' failed'],
    [rows.appeared, 'row', ' new'],
    [rows.updated, 'row', ' changed'],
    [rows.withdrawn, 'row', ' withdrawn'],
    [rows.restated, 'row', ' restated'],
    [rows.unchanged, 'row', ' the same'],
    [clients.appeared, 'client', ' new'],
    [clients.absent, 'client', ' absent'],
    [rejects, 'record', ' in quarantine'],
    [failures.length, 'failure', ''],
  ];
  const nonzero = counts
    .filter(([count]) => count > 0)
    .map(
      ([count, noun, what]) => `${noun === null ? formatCount(count) : formatCountOf(count, noun)}${what}`,
    );
  return [`${formatCountOf(windows.loaded, 'window')} loaded`, ...nonzero].join(', ');
}
