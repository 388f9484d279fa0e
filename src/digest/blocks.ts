/** A mail from top to bottom. Each kind of block is drawn once as HTML and once as text. */
export type Mail = {
  /** BCP 47 tag. */
  readonly locale: string;
  readonly subject: string;
  /** The text that an inbox shows after the subject. */
  readonly preheader: string;
  /** Its kind, above its title. */
  readonly name: string;
  readonly title: string;
  readonly blocks: readonly Block[];
};

export type Block =
  | { readonly kind: 'heading'; readonly text: string }
  | Line
  | Note
  | Item
  | { readonly kind: 'tiles'; readonly tiles: readonly [first: Tile, left: Tile, right: Tile] }
  | { readonly kind: 'chart'; readonly table: Table }
  | { readonly kind: 'table'; readonly table: Table }
  | { readonly kind: 'button'; readonly text: string; readonly address: string }
  | Problem
  | { readonly kind: 'closing'; readonly lines: readonly ClosingLine[] };

/** `lead`: the sentence below the title; `pointer`: announces what is further below; `quiet`: an aside. */
export type Line = {
  readonly kind: 'line';
  readonly tone: 'lead' | 'pointer' | 'quiet';
  readonly text: string;
};

/** A warning or a correction, before the figures. */
export type Note = Titled & { readonly kind: 'note'; readonly tone: 'warning' | 'change' };

/** Something new. */
export type Item = Titled & { readonly kind: 'item' };

type Titled = { readonly title: string; readonly lines: readonly string[] };

/** A problem, those it hit, and the steps to do or type. */
export type Problem = {
  readonly kind: 'problem';
  readonly title: string;
  readonly explanation: string;
  readonly names: readonly string[];
  readonly steps: readonly { readonly text: string; readonly command: string | null }[];
};

export type ClosingLine = { readonly text: string; readonly address?: string };

export type Tile = {
  readonly title: string;
  readonly figure: string;
  /** The total that the figure is a part of, or its share; null if there is no rate. */
  readonly note: string | null;
  readonly change: Change | null;
};

export type Change = { readonly change: string; readonly comparedWith: string };

export type Table = {
  readonly heading: string;
  /** The basis of its changes, like `vs Wed`; null if it has none. */
  readonly note: string | null;
  /** The heading of the row titles, then those of the numbers. */
  readonly columns: readonly [string, ...string[]];
  readonly rows: readonly Row[];
  /** On a phone, names of campaigns are cut to one line. */
  readonly titles: 'whole' | 'cut';
};

export type Row = {
  readonly title: string;
  readonly under: string | null;
  readonly cells: readonly string[];
  /** The changes of the first cells, in their order. */
  readonly changes?: readonly (string | null)[];
};

export const changeText = ({ change, comparedWith }: Change) => `${change} ${comparedWith}`.trimEnd();
