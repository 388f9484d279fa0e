import type { WriteStream } from 'node:tty';

/** One line of a terminal that is written over and over; nothing at all elsewhere. */
export type LiveLine = {
  /** Whether there is a terminal to draw on, and how wide it is. */
  readonly columns: number | null;
  show(text: string): void;
  /** Takes the line away, so that something lasting can be written in its place. */
  clear(): void;
  /** Leaves the line as it stands; what comes next is written below it. */
  keep(): void;
};

const clearLine = '\r\u001B[2K';

export function createLiveLine(stream: WriteStream): LiveLine {
  let shown = false;
  return {
    get columns() {
      // Some terminals report a width of 0 where they don't know it.
      return stream.isTTY ? stream.columns || 80 : null;
    },
    show(text) {
      if (!stream.isTTY) return;
      stream.write(`${clearLine}${text}`);
      shown = true;
    },
    clear() {
      if (shown) stream.write(clearLine);
      shown = false;
    },
    keep() {
      if (shown) stream.write('\n');
      shown = false;
    },
  };
}
