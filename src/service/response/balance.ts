import type { Extra, Json } from '../../model/records.ts';

/** What was found of a balance: an amount as decimal text (null: none told), or why none could be read. */
export type FoundBalance = {
  readonly balance: string | null;
  /** The further fields without the one that was the balance. */
  readonly extra: Extra;
  readonly remark: string | null;
};

/**
 * Takes the balance out of a client's further fields. The document shows neither its name nor its type (service.md
 * 2.1): it is the field that the settings name, or the one field whose name speaks of a balance.
 * Where that is ambiguous or no amount, it stays in `extra`.
 */
export function takeBalance(extra: Extra, named: string | null): FoundBalance {
  const fields = Object.keys(extra).filter((field) =>
    named === null ? /balance/i.test(field) : field === named,
  );
  if (fields.length === 0) return { balance: null, extra, remark: null };
  if (fields.length > 1) {
    const remark = `several fields name a balance (${fields.toSorted().join(', ')}): set BALANCE_FIELD to one of them`;
    return { balance: null, extra, remark };
  }
  const field = fields[0]!;
  const told = extra[field]!;
  const balance = told === null ? null : amount(told);
  if (told === null || balance !== null) return { balance, extra: without(extra, field), remark: null };
  return {
    balance: null,
    extra,
    remark: `the balance in ${field} is no amount that can be read: left in extra`,
  };
}

/** Most clients have no other field: this is done a hundred thousand times a night. */
function without(extra: Extra, field: string): Extra {
  if (Object.keys(extra).length === 1) return nothing;
  return Object.fromEntries(Object.entries(extra).filter(([name]) => name !== field));
}

const nothing: Extra = Object.freeze({});

/** Currency signs and codes may stand before or behind; commas only where they group thousands. */
const written =
  /^(-?)(?:\p{Sc}|[A-Z]{3} ?)?(-?)((?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?)(?: ?(?:\p{Sc}|[A-Z]{3}))?$/u;

/** Nobody owes more digits, and numeric holds any number of them. */
const longest = 100;

/** An amount as decimal text, exactly as it was told; null for anything else. */
export function amount(told: Json): string | null {
  if (typeof told !== 'number' && typeof told !== 'string') return null;
  const text = String(told).trim();
  // A number as JSON writes it, unless it is one with an exponent.
  if (typeof told === 'number' && !text.includes('e')) return text;
  const match = text.length > longest ? null : written.exec(text);
  if (match === null || (match[1] && match[2])) return null;
  return `${match[1]}${match[2]}${match[3]!.replaceAll(',', '')}`;
}
