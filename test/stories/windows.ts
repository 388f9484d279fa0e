import { type CountName, type Counts, type Days, daysOf, type Row } from './figures.ts';
import type { State } from './state.ts';

/** A campaign as a response lists it. */
export type ListedRow = Counts & { readonly campaign: string };
export type ExpectedRow = ListedRow & { readonly withdrawn: boolean };

export type Window = {
  /** It was loaded once. */
  loaded: boolean;
  /** Its last attempt failed. */
  failed: boolean;
  rows: ReadonlyMap<number, ExpectedRow>;
  /** The ids and counts of the last applied response. */
  content: string;
  /** Counts that most of its campaigns left out. */
  silent: readonly CountName[];
  /** It spoke against itself. */
  isDoubtful: boolean;
  /** The first and the last of the nights on which the content was the same. */
  sameSince: number;
  synced: number;
  /** Confirmed on two nights with the same content, or on the last one on which a run catches up on it. */
  settled: boolean;
  /** Confirmed, not provisional. */
  confirmed: boolean;
  /** The newest response is held. */
  held: boolean;
  /** What it lists; null if none is held. */
  heldContent: string | null;
};

/** Its campaigns, but for those that were withdrawn. */
export const currentOf = ({ rows }: Window) => [...rows].filter(([, { withdrawn }]) => !withdrawn);

export const emptyWindow = (): Window => ({
  loaded: false,
  failed: false,
  rows: new Map(),
  content: '',
  silent: [],
  isDoubtful: false,
  sameSince: -1,
  synced: -1,
  settled: false,
  confirmed: false,
  held: false,
  heldContent: null,
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

const computed = new WeakMap<Window['rows'], readonly Row[]>();

/** Computed once for each content of a day. */
function currentRows(account: string, day: number, rows: Window['rows']): readonly Row[] {
  if (!computed.has(rows))
    computed.set(
      rows,
      [...rows].flatMap(([callset, { withdrawn, ...row }]) =>
        withdrawn ? [] : [{ ...row, account, day, callset }],
      ),
    );
  return computed.get(rows)!;
}
