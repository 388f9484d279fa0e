import { AttemptError } from '../failures.ts';

/** Where a number begins and ends in a text. */
export type Span = readonly [start: number, end: number];

/** As many as the largest `PAGE_LIMIT`, and a hundred times the campaigns of a large account on one day. */
const maxRecords = 100_000;

/** Records and their fields together. */
export const maxValues = 1_000_000;

/** Far deeper than a record that can be read. What is deeper still would end in the stack, here or in Postgres. */
export const maxDepth = 10_000;

const [quote, backslash, comma, minus, zero, nine] = [34, 92, 44, 45, 48, 57] as const;
const [openArray, closeArray, openObject, closeObject] = [91, 93, 123, 125] as const;

/** A double keeps any fifteen digits (IEEE 754). */
const shortNumber = 15;

/**
 * Passes over a text once, before it is parsed: a response of some bytes may be built into a hundred times as many.
 * Gives the numbers that may not fit a double, in their order.
 * Throws an AttemptError where it has more than 100,000 records or a million values, or is nested deeper than 10,000
 * levels.
 */
export function scanJson(text: string): readonly Span[] {
  const longNumbers: Span[] = [];
  let values = 1;
  let records = 1;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) at = endOfString(text, at);
    else if (code === comma) {
      values++;
      // Those of a list in the envelope.
      if (depth === 2 && ++records > maxRecords) throw tooMuch(`has more than ${maxRecords} records`);
    } else if (code === openArray || code === openObject) {
      values++;
      if (++depth > maxDepth) throw tooMuch(`is nested deeper than ${maxDepth} levels`);
    } else if (code === closeArray || code === closeObject) depth--;
    else if (code === minus || (code >= zero && code <= nine)) {
      const end = endOfNumber(text, at);
      if (end - at > shortNumber || /e/i.test(text.slice(at, end))) longNumbers.push([at, end]);
      at = end - 1;
    }
    if (values > maxValues) throw tooMuch(`has more than ${maxValues} values, records and fields together`);
  }
  return longNumbers;
}

function tooMuch(what: string): AttemptError {
  return new AttemptError('INVALID_RESPONSE', `the body ${what}`, false);
}

/** Where the quote is that ends a string; the end of the text where none does. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text.charCodeAt(at) !== quote) at += text.charCodeAt(at) === backslash ? 2 : 1;
  return at;
}

function endOfNumber(text: string, start: number): number {
  let at = start + 1;
  while (isOfNumber(text.charCodeAt(at))) at++;
  return at;
}

/** Digits, `+ - . e E`; not what is beyond the end. */
const isOfNumber = (code: number) =>
  (code >= zero && code <= nine) ||
  code === 46 ||
  code === 101 ||
  code === 69 ||
  code === 43 ||
  code === minus;
