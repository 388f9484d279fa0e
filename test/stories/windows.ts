import { type CountName, type Counts, type Days, daysOf, type Row } from './figures.ts';
import type { State } from './state.ts';

export type ExpectedRow = Counts & { readonly campaign: string; readonly withdrawn: boolean };

export type Window = {
  /** It was loaded once. */
  loaded: boolean;
  /** Its last attempt failed. */
  failed: boolean;
  rows: ReadonlyMap<number, ExpectedRow>;
  /** The ids and counts of the last applied response. */
  content: string;
  /** The first and the last of the nights on which the content was the same. */
  sameSince: number;
  synced: number;
  /** Confirmed on two nights with the same content, or on the last one on which a run catches up on it. */
  settled: boolean;
  /** Confirmed, not provisional. */
  confirmed: boolean;
  /** What speaks against the last applied response. */
  anomalies: readonly Anomaly[];
  held: Held | null;
  /** What was applied, one after the other. */
  applied: AppliedResponse[];
};

/** What speaks against a response. */
export type Anomaly = (
  | { readonly code: 'announced'; readonly announced: number; readonly listed: number }
  | { readonly code: 'unreadable' }
  | { readonly code: 'unreported'; readonly counts: readonly CountName[] }
  | { readonly code: 'no calls' }
  | { readonly code: 'same campaigns' }
) & {
  /** It is the way of the service. */
  readonly known: boolean;
};

/** What a response takes away from a day. `rows`: most campaigns, or the calls of all; `count`: most figures of a count. */
export type Loss = 'all' | 'rows' | 'count';

export type Held = {
  readonly content: string;
  readonly anomalies: readonly Anomaly[];
  readonly loss: Loss | null;
};

/** What decides about other days: of a response that was applied. */
export type AppliedResponse = {
  readonly night: number;
  /** It confirmed the day. */
  readonly confirmed: boolean;
  readonly anomalies: readonly Anomaly[];
  readonly rows: number;
  readonly hasCalls: boolean;
  /** Counts that most campaigns left out. */
  readonly silent: readonly CountName[];
};

export const unknownOf = (anomalies: readonly Anomaly[]) => anomalies.filter(({ known }) => !known);

/** Its campaigns, but for those that were withdrawn. */
export const currentOf = ({ rows }: Window) => [...rows].filter(([, { withdrawn }]) => !withdrawn);

export const emptyWindow = (): Window => ({
  loaded: false,
  failed: false,
  rows: new Map(),
  content: '',
  sameSince: -1,
  synced: -1,
  settled: false,
  confirmed: false,
  anomalies: [],
  held: null,
  applied: [],
});

/** The rows and states of these windows, as they are whenever somebody asks. */
export function daysIn({ windows, dateOf }: Pick<State, 'windows' | 'dateOf'>): Days {
  const get = (account: string, day: number) => windows.get(account)?.get(day);
  return {
    dateOf,
    rowsOf: (account, period) =>
      daysOf(period).flatMap((day) => {
        const window = get(account, day);
        return window === undefined ? [] : currentRows(account, day, window.rows);
      }),
    isLoaded: (account, day) => get(account, day)?.loaded === true,
    isConfirmed: (account, day) => get(account, day)?.confirmed === true,
  };
}

const known = new WeakMap<Window['rows'], readonly Row[]>();

/** Computed once for each content of a day. */
function currentRows(account: string, day: number, rows: Window['rows']): readonly Row[] {
  if (!known.has(rows))
    known.set(
      rows,
      [...rows].flatMap(([callset, { withdrawn, ...row }]) =>
        withdrawn ? [] : [{ ...row, account, day, callset }],
      ),
    );
  return known.get(rows)!;
}
