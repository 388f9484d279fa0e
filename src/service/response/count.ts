/** Ways to write a whole number in a text, each with what is left of it as digits. Groups never begin with 0. */
const written: readonly RegExp[] = [
  /^(\d+)$/,
  // `1,234` and `12,34,567`; a decimal comma before three zeros is nobody's.
  /^([1-9]\d{0,2}(?:,\d{2,3})*,\d{3})(?:\.0+)?$/,
  /^([1-9]\d{0,2}(?:[ '’_]\d{3})+)(?:[.,]0+)?$/,
  // Not `1.234` and `1.000`: they may be a fraction, or be grouped.
  /^([1-9]\d{0,2}(?:\.\d{3}){2,})$/,
  /^([1-9]\d{0,2}(?:\.\d{3})+),0+$/,
  /^(\d{4,}|0+|\d{1,3}(?!\.000$))\.0+$/,
  /^(\d+),0+$/,
];

/** Returns a count if what stands there can only mean one whole number, however it is written; else null. */
export function readCount(value: unknown): number | null {
  if (typeof value === 'number') return natural(value);
  if (typeof value !== 'string' || value.length > 100) return null;
  const text = value
    .normalize('NFKC')
    .trim()
    .replace(/^(?:\+|-(?=[0.,]+$))/, '');
  if (/^\d+(?:\.\d+)?e\+?\d+$/i.test(text)) return natural(Number(text));
  const digits = written.map((pattern) => pattern.exec(text)?.[1]).find((each) => each !== undefined);
  return digits === undefined ? null : natural(Number(digits.replaceAll(/\D/g, '')));
}

const natural = (value: number) => (Number.isSafeInteger(value) && value >= 0 ? value + 0 : null);
