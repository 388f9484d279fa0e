import { hash } from 'node:crypto';
import type { ServiceResponse } from './records.ts';

/**
 * A sign that a person accepted by `accept --always`: the way of this service (docs/concepts.md). A remark stands beside records, an
 * empty one is all that an answer without records says, an anomaly is what speaks against figures.
 */
export type Accepted = {
  readonly kind: 'remark' | 'empty' | 'anomaly';
  readonly operation: ServiceResponse['operation'];
  /** `HTTP 206`, `took: *`, `HTTP 404; message: No campaigns for #`, `announced/reports`. */
  readonly sign: string;
  /** Name of the account; null for all. */
  readonly account: string | null;
};

/** A sign that came, with all that an acceptance has to match. */
export type ObservedSign = Omit<Accepted, 'account'> & { readonly account: string };

/** Returns whether somebody accepted a sign. None counts for another kind. */
export function isAccepted(accepted: readonly Accepted[], observed: ObservedSign): boolean {
  return accepted.some(
    (each) =>
      each.kind === observed.kind &&
      each.operation === observed.operation &&
      (each.account === null || each.account === observed.account) &&
      (each.sign === observed.sign || each.sign === starred(observed)),
  );
}

/**
 * The sign whatever its numbers: beside records, a field whatever its value (`took: *`); without records, `*` for a value that is only
 * a number, and for the length of a list. Accepted in this form, it matches every such sign.
 */
export function starred({ kind, sign }: Pick<Accepted, 'kind' | 'sign'>): string {
  if (kind === 'remark') return sign.replace(/^((?:[^:]|:(?! ))+: ).+$/s, '$1*');
  if (kind !== 'empty') return sign;
  return sign
    .replaceAll(/((?:^|; )(?:[^:;]|:(?! ))+: )-?\d+(?:\.\d+)?(?:e[+-]?\d+)?(?=;|$)/gi, '$1*')
    .replaceAll(/(: a list of )[\d,]+ objects?(?=;|$)/g, '$1* objects');
}

/** What begins the description of a body that isn't JSON. */
export const notJson = 'not JSON: ';

/** What begins the number of an answer's fields that its sign doesn't quote. */
export const furtherFields = 'further fields: ';

/** What stands for the body of an answer that has none. */
export const emptyBody = 'an empty body';

/**
 * Returns whether all that an answer says can be accepted as an empty list: JSON without a list of objects, all of it quoted, or a 2xx
 * without a body.
 */
export const canBeEmpty = (sign: string): boolean =>
  !/^HTTP \d+; an empty body$/.test(sign) &&
  !sign
    .split('; ')
    .some(
      (part) =>
        part.startsWith(notJson) ||
        part.startsWith(furtherFields) ||
        /: a list of [\d,]+ objects?$/.test(part),
    );

/** A short name of a sign, whatever its numbers, so that no shell's quotes get in the way: `r-3f2a9c`. */
export const signId = (observed: Pick<Accepted, 'kind' | 'operation' | 'sign'>): string =>
  `r-${hash('sha256', `${observed.kind} ${observed.operation} ${starred(observed)}`).slice(0, 6)}`;
