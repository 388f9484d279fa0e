/** A number that a double may not hold: 16 characters or more, or with an exponent. Texts may match, too. */
const longNumber = /[:,[\s]-?\d(?:[\d.]{15}|[\d.]*e)/i;

/**
 * Parses JSON without rounding: a number that a double can't hold becomes its text. Throws a SyntaxError if
 * it isn't JSON. Throws a RangeError if it has such numbers and is nested deeper than the stack.
 */
export function parseExactly(text: string): unknown {
  // The reviver takes several times as long as parsing alone.
  return longNumber.test(text) ? JSON.parse(text, exactValue) : JSON.parse(text);
}

function exactValue(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  return typeof value === 'number' && rounds(value, context!.source!) ? context!.source : value;
}

function rounds(value: number, source: string): boolean {
  if (Number.isSafeInteger(value)) return false;
  if (!Number.isFinite(value) || Number.isInteger(value)) return true;
  return significantDigits(source).length > 15;
}

// A double holds any fifteen digits (IEEE 754).
function significantDigits(source: string): string {
  return (
    source
      .replace(/[eE].*/, '')
      .replaceAll(/[-.]/g, '')
      .replace(/^0+/, '')
      // Starts only at the first zero of a row: starting at each one would take quadratic time.
      .replace(/(?<!0)0+$/, '')
  );
}
