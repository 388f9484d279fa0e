/** Digits that a double may not hold: only these need a reviver, which is slow. */
const suspect = /\d[\d.]{15}|\d[eE][+-]?\d/;

/**
 * Parses JSON without rounding: a number that a double can't hold becomes its text.
 * Throws a SyntaxError for anything but JSON.
 */
export function parseExactly(text: string): unknown {
  if (!suspect.test(text)) return JSON.parse(text);
  return JSON.parse(text, ((_key: string, value: unknown, context: { source?: string }) =>
    typeof value === 'number' && context.source !== undefined && rounds(value, context.source)
      ? context.source
      : value) as (key: string, value: unknown) => unknown);
}

function rounds(value: number, source: string): boolean {
  if (Number.isSafeInteger(value)) return false;
  if (!Number.isFinite(value) || Number.isInteger(value)) return true;
  return significantDigits(source).length > 15;
}

// A double keeps any fifteen digits (IEEE 754).
function significantDigits(source: string): string {
  return source
    .replace(/[eE].*$/, '')
    .replaceAll(/[-.]/g, '')
    .replace(/^0+/, '')
    .replace(/0+$/, '');
}
