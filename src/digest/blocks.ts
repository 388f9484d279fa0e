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

/** `lead`: the sentence below the title; `quiet`: an aside. */
export type Line = {
  readonly kind: 'line';
  readonly tone: 'lead' | 'quiet';
  readonly text: string;
};

/** A warning, a correction, or what is new, before the figures. */
export type Note = Titled & { readonly kind: 'note'; readonly tone: 'warning' | 'change' | 'attention' };

/** A list below a title. */
export type Item = Titled & { readonly kind: 'item' };

type Titled = { readonly title: string; readonly lines: readonly string[] };

/** A problem, those it hit, and the steps to do or type, in their order. */
export type Problem = {
  readonly kind: 'problem';
  readonly tone: 'error' | 'warning';
  readonly title: string;
  readonly explanation: string;
  readonly names: readonly string[];
  readonly steps: readonly { readonly text: string; readonly command: string | null }[];
};

export type ClosingLine = { readonly text: string; readonly address?: string };

export type Tile = {
  readonly title: string;
  readonly figure: string;
  /** What the figure is made of; null if there is no rate. */
  readonly note: string | null;
  readonly change: string | null;
};

export type Table = {
  readonly heading: string;
  /** The heading of the row titles, then those of the numbers. */
  readonly columns: readonly [string, ...string[]];
  readonly rows: readonly Row[];
  /** On a phone, names of campaigns are cut to one line. */
  readonly titles: 'whole' | 'cut';
  /** So many last columns are left out on a phone. */
  readonly wideColumns?: number;
};

export type Row = {
  readonly title: string;
  readonly under: string | null;
  readonly cells: readonly string[];
};
