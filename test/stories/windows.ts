import type { Anomaly } from './expected-mail.ts';
import { type CountName, type Counts, type Days, daysOf, type Row } from './figures.ts';

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
  held: {
    readonly content: string;
    readonly night: number;
    readonly at: number;
    /** Another account has the same. */
    readonly isShared: boolean;
  } | null;
  /** What speaks against the last applied response; null for a confirmed day. */
  provisional: readonly Anomaly[] | null;
  /** The responses that were applied, one after the other. */
  applied: Applied[];
};

/** What other days may know of a response. */
export type Applied = {
  readonly night: number;
  readonly confirmed: boolean;
  readonly anomalies: readonly Anomaly[];
  readonly hasRows: boolean;
  readonly hasCalls: boolean;
  /** Counts that most campaigns left out. */
  readonly silent: readonly CountName[];
};

export const keyOf = (account: string, day: number) => `${account} ${day}`;

export const emptyWindow = (): Window => ({
  loaded: false,
  failed: false,
  rows: new Map(),
  content: '',
  sameSince: -1,
  synced: -1,
  settled: false,
  held: null,
  provisional: null,
  applied: [],
});

/** The rows and states of these windows, as they are whenever somebody asks. */
export function daysIn(windows: ReadonlyMap<string, Window>, dateOf: Days['dateOf']): Days {
  const get = (account: string, day: number) => windows.get(keyOf(account, day));
  return {
    dateOf,
    rowsOf: (account, period) =>
      daysOf(period).flatMap((day) => {
        const window = get(account, day);
        return window === undefined ? [] : currentRows(account, day, window.rows);
      }),
    isLoaded: (account, day) => get(account, day)?.loaded === true,
    isConfirmed: (account, day) =>
      get(account, day)?.loaded === true && get(account, day)!.provisional === null,
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
