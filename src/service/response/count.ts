/** Ways to write a number in a text: its whole part, perhaps in groups, and its fraction. Groups never begin with 0. */
const written: readonly RegExp[] = [
  /^(\d+)$/,
  // `1,234` and `12,34,567`; three decimals behind a comma are nobody's.
  /^([1-9]\d{0,2}(?:,\d{2,3})*,\d{3})(?:\.(\d+))?$/,
  /^([1-9]\d{0,2}(?:[ '’_]\d{3})+)(?:[.,](\d+))?$/,
  /^([1-9]\d{0,2}(?:\.\d{3}){2,})(?:,(\d+))?$/,
  /^([1-9]\d{0,2}\.\d{3}),(\d+)$/,
  // Not `1.234` and `1.000`: they may be a fraction, or be grouped.
  /^(?![1-9]\d{0,2}\.\d{3}$)(\d+)\.(\d+)$/,
  /^(\d+),(\d\d?|0+)$/,
];

/** Returns a text as decimal digits, with a point before a fraction, if it can only mean one number; else null. */
export function readDecimal(text: string): string | null {
  const [, whole, fraction] = written.map((pattern) => pattern.exec(text)).find((match) => match) ?? [];
  if (whole === undefined) return null;
  const digits = whole.replaceAll(/\D/g, '');
  return fraction === undefined ? digits : `${digits}.${fraction}`;
}

/** Writes full-width signs and other spaces as those of ASCII. Not `10²`, which would become 102. */
export function inAscii(text: string): string {
  return text
    .replaceAll(/[！-～]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) - 0xfee0))
    .replaceAll(/[\u00a0\u2009\u202f\u3000]/g, ' ')
    .trim();
}

/** Returns a count if what stands there can only mean one whole number, however it is written; else null. */
export function readCount(value: unknown): number | null {
  if (typeof value === 'number') return natural(value);
  if (typeof value !== 'string' || value.length > 100) return null;
  const text = inAscii(value).replace(/^(?:\+|-(?=[0.,]+$))/, '');
  if (/^\d+(?:\.\d+)?e\+?\d+$/i.test(text)) return natural(Number(text));
  const decimal = readDecimal(text);
  return decimal === null || !/^\d+(?:\.0+)?$/.test(decimal) ? null : natural(Number(decimal));
}

const natural = (value: number) => (Number.isSafeInteger(value) && value >= 0 ? value + 0 : null);
