import type { Extra, Json } from '../../model/records.ts';

/** A balance as decimal text, null where there is none; and why a field could not be read as one. */
export type FoundBalance = {
  readonly balance: string | null;
  /** The further fields without the one that was the balance. */
  readonly extra: Extra;
  readonly remark: string | null;
};

/**
 * Takes the balance out of a client's further fields. The document shows neither its name nor its type (service.md
 * 2.1): it is the field that the settings name, or the only field with "balance" in its name.
 * Where that is ambiguous or not an amount, it stays in `extra`.
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
    return notTaken(`the balance in ${field} is not an amount: kept in extra`);
  }
  return { balance, extra: rest, remark: null };
}

/** Currency signs and codes may come before or after; commas only where they group thousands. */
const written =
  /^(-?)(?:\p{Sc}|[A-Z]{3} ?)?(-?)((?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?)(?: ?(?:\p{Sc}|[A-Z]{3}))?$/u;

/** No balance has more digits, and numeric would hold any number of them; nor a remark more names than help. */
const maxLength = 100;
const maxNamed = 5;

/** An amount as decimal text, digit by digit as received; null for anything else. */
export function amount(value: Json): string | null {
  if (typeof value !== 'number' && typeof value !== 'string') return null;
  const text = String(value).trim();
  const match = text.length > maxLength ? null : written.exec(text);
  if (match === null || (match[1] && match[2])) return null;
  return `${match[1]}${match[2]}${match[3]!.replaceAll(',', '')}`;
}
