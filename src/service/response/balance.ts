import type { Extra, Json } from '../../model/records.ts';
import { inAscii, readDecimal } from './count.ts';

/** A balance as decimal text, null if there is none. `remark` says why a field couldn't be read as one. */
export type FoundBalance = {
  readonly balance: string | null;
  /** The further fields without the balance. */
  readonly extra: Extra;
  readonly remark: string | null;
};

/**
 * Takes the balance out of a client's further fields. The document doesn't show its name or type
 *: it is the field that the settings name, or the only field with "balance" in its name.
 * If that is ambiguous or not an amount, it stays in `extra`.
 */
export function takeBalance(extra: Extra, named: string | null): FoundBalance {
  const notTaken = (remark: string | null): FoundBalance => ({ balance: null, extra, remark });
  const isBalance = (field: string) => (named === null ? /balance/i.test(field) : field === named);
  const fields = Object.keys(extra).filter(isBalance);
  const [field] = fields;
  if (field === undefined) return notTaken(null);
  if (fields.length > 1) {
    const names = fields.toSorted().slice(0, maxNamed).join(', ').slice(0, maxLength);
    return notTaken(`several fields name a balance (${names}): set BALANCE_FIELD to one of them`);
  }
  const { [field]: value, ...rest } = extra;
  const balance = amount(value!);
  if (balance === null && value !== null) {
    return notTaken(`the balance in ${field} can't be read as one amount: kept in extra`);
  }
  return { balance, extra: rest, remark: null };
}

/** A currency sign or code may come before or after. */
const written = /^(-?)(?:(?:\p{Sc}|[A-Z]{3}) ?)?(-?)(.+?)(?: ?(?:\p{Sc}|[A-Z]{3}))?$/u;

/** Bounds a balance (`numeric` holds any number of digits) and the names in a remark. */
const maxLength = 100;
const maxNamed = 5;

/** Returns an amount as decimal text, with the digits as received; null if it can mean anything else. */
export function amount(value: Json): string | null {
  if (typeof value === 'number') return /^-?\d+(?:\.\d+)?$/.exec(String(value))?.[0] ?? null;
  if (typeof value !== 'string' || value.length > maxLength) return null;
  const [, minus, minusBehind, number] = written.exec(inAscii(value)) ?? [];
  if (number === undefined || (minus && minusBehind)) return null;
  const decimal = readDecimal(number);
  return decimal === null ? null : `${minus}${minusBehind}${decimal}`;
}
