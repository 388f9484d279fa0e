/** The content of a digest, in words and in its order: HTML and text show the same, each in its way. */
export type DigestContent = {
  readonly name: string;
  /** BCP 47 tag of its language. */
  readonly locale: string;
  readonly date: string;
  /** What moved most, or that nothing is there to show; null where there is nothing to say. */
  readonly headline: string | null;
  /** What there is at the end to look at; null where there is nothing. */
  readonly pointer: string | null;
  readonly notes: readonly Note[];
  /** The most important first, the least at the end; none of a period without calls. */
  readonly tiles: readonly Tile[];
  /** Of whom the changes in the tiles speak, where that isn't everybody. */
  readonly compared: string | null;
  /** A button to the dashboard; null where the settings name none. */
  readonly link: Link | null;
  /** What the chart shows; null where too few days are loaded for one. */
  readonly lastDays: Table | null;
  readonly tables: readonly Table[];
  readonly attentionHeading: string;
  readonly attention: readonly Item[];
  readonly closing: readonly string[];
};

/** What a reader must know before the figures. */
export type Note = Item & { readonly kind: 'warning' | 'change' | 'plain' };

export type Item = { readonly title: string; readonly lines: readonly string[] };

export type Tile = {
  readonly title: string;
  readonly figure: string;
  /** What the figure is a part of; null where there is nothing to divide by. */
  readonly note: string | null;
  readonly changes: readonly Change[];
};

export type Link = { readonly text: string; readonly address: string };

/** `+4%`, `vs Wed`. */
export type Change = { readonly by: string; readonly on: string };

export type Table = {
  readonly heading: string;
  /** What its changes are against; null where it has none. */
  readonly note: string | null;
  /** The first says what a row is about, the others head its numbers. */
  readonly columns: readonly [string, ...string[]];
  readonly rows: readonly Row[];
};

export type Row = {
  readonly title: string;
  readonly under: string | null;
  readonly cells: readonly string[];
  /** The changes of the first cells. */
  readonly changes?: readonly (string | null)[];
};
