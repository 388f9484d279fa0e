/** The words of a digest, from top to bottom: HTML and text render the same content. */
export type DigestContent = {
  readonly name: string;
  readonly subject: string;
  readonly locale: string;
  readonly date: string;
  /** One sentence: what moved most, or why the digest is empty. */
  readonly headline: string | null;
  /** Announces the attention items at the end; null if there are none. */
  readonly pointer: string | null;
  readonly notes: readonly Note[];
  /** Most important first; empty if the period had no calls. */
  readonly tiles: readonly Tile[];
  /** Says how many accounts the changes in the tiles cover; null if they cover all. */
  readonly compared: string | null;
  /** A button to the dashboard; null without `DIGEST_LINK`. */
  readonly link: Link | null;
  readonly lastDays: Table | null;
  /** What moved. */
  readonly tables: readonly Table[];
  readonly attention: AttentionPart;
  /** Tables to look things up in. */
  readonly campaigns: readonly Table[];
  readonly closing: readonly string[];
};

/** A warning or a correction, shown before the figures. */
export type Note = Item & { readonly kind: 'warning' | 'change' | 'plain' };

export type Item = { readonly title: string; readonly lines: readonly string[] };

/** What is new and needs attention, and below it what merely stands. */
export type AttentionPart = {
  readonly heading: string;
  readonly items: readonly Item[];
  readonly ongoing: readonly string[];
};

export const hasAttention = ({ items, ongoing }: AttentionPart) => items.length + ongoing.length > 0;

export type Tile = {
  readonly title: string;
  readonly figure: string;
  /** The total that the figure is a part of, or its share; null if there is no rate. */
  readonly note: string | null;
  readonly change: Change | null;
};

export type Link = { readonly text: string; readonly address: string };

export type Change = { readonly change: string; readonly comparedWith: string };

export const changeText = ({ change, comparedWith }: Change) => `${change} ${comparedWith}`;

export type Table = {
  readonly heading: string;
  /** The basis of its changes, like `vs Wed`; null if it has none. */
  readonly note: string | null;
  /** The heading of the row titles, then those of the numbers. */
  readonly columns: readonly [string, ...string[]];
  readonly rows: readonly Row[];
};

export type Row = {
  readonly title: string;
  readonly under: string | null;
  readonly cells: readonly string[];
  /** The changes of the first cells, in their order. */
  readonly changes?: readonly (string | null)[];
};
