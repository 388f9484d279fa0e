/** A number that a double may not hold: 16 characters or more, or with an exponent. Texts may match, too. */
const longNumber = /[:,[\s]-?\d(?:[\d.]{15}|[\d.]*e)/i;

/** A text, which is left as it is, or a number. A text without its end takes all of the rest. */
const textOrNumber = /"(?:[^"\\]|\\.)*(?:"|$)|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/gs;

/**
 * Parses JSON without rounding: a number that a double can't hold becomes its text. Throws a SyntaxError if
 * it isn't JSON.
 */
export function parseExactly(text: string): unknown {
  if (!longNumber.test(text)) return JSON.parse(text);
  // Not a reviver: it would nest as deep as the values do.
  return JSON.parse(text.replaceAll(textOrNumber, (token) => (isRounded(token) ? `"${token}"` : token)));
}

function isRounded(token: string): boolean {
  if (token.startsWith('"')) return false;
  const value = Number(token);
  if (Number.isSafeInteger(value)) return false;
  if (!Number.isFinite(value) || Number.isInteger(value)) return true;
  const significant = token
    .replace(/[eE].*/, '')
    .replaceAll(/[-.]/g, '')
    .replace(/^0+/, '')
    // Starts only at the first zero of a row: starting at each one would take quadratic time.
    .replace(/(?<!0)0+$/, '');
  // A double holds any fifteen digits (IEEE 754).
  return significant.length > 15;
}
