import type { Day } from '../../model/day.ts';
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
  /** An answer without records about which somebody was asked on an earlier run date: nothing waits for it. */
  readonly isAsked: boolean;
  /** Name of the digest; `account` is then in words. */
  readonly digest?: string;
  /** Key of the delivery. */
  readonly delivery?: number;
};

/** Errors with the same cause, as `etl.runs.summary` has them. */
export type ErrorCause = Pick<ReportedError, 'code' | 'detail'> & {
  readonly errors: number;
  readonly accounts: number;
  readonly days: number;
  /** All places that are digests, because each has its own alert, and the first few others. */
  readonly places: readonly Omit<ReportedError, 'code' | 'detail' | 'isAsked'>[];
};

const maxPlaces = 5;

/** The counts of a run: its summary in the log and in `etl.runs`. */
export type RunStats = ReturnType<typeof createRunStats>;

export function createRunStats() {
  return {
    clients: counters('pages', 'listed', 'appeared', 'changed', 'returned', 'absent', 'incompleteWalks'),
    // New: loaded for the first time. Healed: new, and missing or failed in an earlier run; history was never missing.
    windows: counters('loaded', 'new', 'healed', 'provisional', 'held', 'failed', 'stale'),
    rows: counters('appeared', 'updated', 'withdrawn', 'restated', 'unchanged'),
    rejects: 0,
    digests: counters('built', 'corrected', 'skipped'),
    deliveries: counters('sent', 'written', 'failed', 'given_up', 'unknown'),
    // Open deliveries that a retry may send: they got a temporary reply, or none.
    mailPutOff: 0,
    // Why it mailed no digest; null if it did, or never does.
    noMail: null as string | null,
    // Mails to `ALERT_TO`.
    alerts: counters('sent', 'failed'),
    failures: [] as ReportedError[],
    // How long each step took.
    steps: [] as { readonly step: RunStep; ms: number }[],
  };
}

function counters<Name extends string>(...names: readonly Name[]): Record<Name, number> {
  return Object.fromEntries(names.map((name) => [name, 0])) as Record<Name, number>;
}

/** The stats as `etl.runs` has them: causes don't grow with accounts and days. */
export function summaryOf(stats: RunStats) {
  const sameCause = Map.groupBy(stats.failures, ({ code, detail }) => `${code} ${detail}`);
  const failures = [...sameCause.values()].map((errors): ErrorCause => {
    const { code, detail } = errors[0]!;
    const places = errors.map(({ code, detail, isAsked, ...place }) => place);
    return {
      code,
      detail,
      errors: errors.length,
      accounts: new Set(places.map(({ account }) => account)).size,
      days: new Set(places.flatMap(({ day }) => day ?? [])).size,
      places: places.filter(({ digest }, index) => digest !== undefined || index < maxPlaces),
    };
  });
  return { ...stats, failures };
}

type Count = readonly [count: number, what: string, noun?: string];

/** The counts of each step so far, in words. */
export function countsOf(stats: RunStats): Readonly<Record<RunStep, readonly Count[]>> {
  const { clients, windows, rows, digests, deliveries, alerts } = stats;
  return {
    clients: [
      [clients.pages, 'walked', 'page'],
      [clients.listed, 'listed', 'client'],
      [clients.appeared, 'new', 'client'],
      [clients.changed, 'changed', 'client'],
      [clients.absent, 'absent', 'client'],
    ],
    windows: [
      [windows.loaded, 'loaded', 'day'],
      [windows.healed, 'healed'],
      [windows.provisional, 'provisional'],
      [windows.held, 'held'],
      [windows.failed, 'failed'],
      [rows.appeared + rows.updated + rows.unchanged, 'listed', 'campaign'],
      [rows.restated, 'restated', 'campaign'],
      [rows.withdrawn, 'withdrawn', 'campaign'],
    ],
    digests: [
      [digests.built, 'built'],
      [digests.corrected, 'corrected'],
      [digests.skipped, 'skipped'],
    ],
    mail: [
      [deliveries.sent, 'sent', 'mail'],
      [deliveries.written, 'written', 'mail'],
      [deliveries.failed, 'failed', 'mail'],
      [deliveries.given_up, 'given up', 'mail'],
      [deliveries.unknown, 'of unknown arrival', 'mail'],
    ],
    archive: [],
    alerts: [
      [alerts.sent, 'sent', 'alert'],
      [alerts.failed, 'not sent', 'alert'],
    ],
  };
}

/** Sums up a run in one line: `9 days loaded (2 healed), 1 held, 3 mails sent`. */
export function summarize(stats: RunStats): string {
  const { clients, windows, mail, alerts } = countsOf(stats);
  const some = (counts: readonly Count[], ...words: readonly string[]) =>
    counts.filter(([, what]) => words.includes(what));
  const loaded = nonzero(some(windows, 'healed', 'provisional'));
  const counts = nonzero([
    ...some(windows, 'held', 'failed', 'restated', 'withdrawn'),
    ...some(clients, 'new', 'absent'),
    [stats.rejects, 'in quarantine', 'record'],
    ...mail,
    ...alerts,
  ]);
  if (stats.noMail !== null) counts.push(`no mail (${stats.noMail})`);
  const days = `${formatCountOf(stats.windows.loaded, 'day')} loaded`;
  return [loaded.length > 0 ? `${days} (${loaded.join(', ')})` : days, ...counts].join(', ');
}

/** `3 failed`, `5 campaigns restated`: the counts that aren't 0. */
export function nonzero(counts: readonly Count[]): string[] {
  return counts
    .filter(([count]) => count > 0)
    .map(
      ([count, what, noun]) =>
        `${noun === undefined ? formatCount(count) : formatCountOf(count, noun)} ${what}`,
    );
}
