import { scanJson } from './scan-json.ts';

const number = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/**
 * Parses JSON without rounding: a number that a double can't hold becomes its text. Not by a reviver, which is slow and
 * ends in the stack where a record is nested deep.
 * Throws a SyntaxError for anything but JSON, and an AttemptError for JSON that is too much (`scanJson`).
 */
export function parseExactly(text: string): unknown {
  const pieces: string[] = [];
  let copied = 0;
  for (const [start, end] of scanJson(text)) {
    const source = text.slice(start, end);
    if (!number.test(source) || !rounds(Number(source), source) || isKey(text, end)) continue;
    pieces.push(text.slice(copied, start), `"${source}"`);
    copied = end;
  }
  return JSON.parse(pieces.join('') + text.slice(copied));
}

/** Without its quotes a key is no JSON, and must not become one. */
function isKey(text: string, end: number): boolean {
  const next = /\s*:/y;
  next.lastIndex = end;
  return next.test(text);
}

function rounds(value: number, source: string): boolean {
  if (Number.isSafeInteger(value)) return false;
  if (!Number.isFinite(value) || Number.isInteger(value)) return true;
  return significantDigits(source).length > 15;
}

// A double keeps any fifteen digits (IEEE 754).
function significantDigits(source: string): string {
  return (
    source
      .replace(/[eE].*/, '')
      .replaceAll(/[-.]/g, '')
      .replace(/^0+/, '')
      // Begins at the first zero of a row alone: at each of them, a long row would take the square of its length.
      .replace(/(?<!0)0+$/, '')
  );
}
