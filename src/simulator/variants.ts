import { createPassingFaults } from './passing-faults.ts';
import type { NamedVariant, VariantEntry } from './variant.ts';
import { balanceVariants } from './variants/balances.ts';
import { countVariants } from './variants/counts.ts';
import { errorVariants } from './variants/errors.ts';
import { figureVariants } from './variants/figures.ts';
import { hostileRecordVariants } from './variants/hostile-records.ts';
import { hostileTextVariants } from './variants/hostile-text.ts';
import { limitVariants } from './variants/limits.ts';
import { pageNumberVariants } from './variants/page-numbers.ts';
import { rateLimitVariants } from './variants/rate-limits.ts';
import { repeatVariants } from './variants/repeats.ts';
import { rowVariants } from './variants/rows.ts';
import { tokenVariants } from './variants/tokens.ts';
import { transportVariants } from './variants/transport.ts';

/**
 * Every way in which the stand-in can behave where the document is silent. Variants of different themes go
 * together; each stands around those further down, in whatever order they were chosen: what travels around what is
 * written, that around the records, and those around the list and its pages.
 */
const catalogue = {
  ...transportVariants,
  ...rateLimitVariants,
  ...tokenVariants,
  ...errorVariants,
  ...countVariants,
  ...hostileRecordVariants,
  ...hostileTextVariants,
  ...balanceVariants,
  ...pageNumberVariants,
  ...repeatVariants,
  ...limitVariants,
  ...rowVariants,
  ...figureVariants,
} satisfies Record<string, VariantEntry>;

export type VariantName = keyof typeof catalogue;

export const variantNames = Object.keys(catalogue) as readonly VariantName[];

export function isVariantName(name: string): name is VariantName {
  return Object.hasOwn(catalogue, name);
}

/** What the service does in that variant, in half a line. */
export function describeVariant(name: VariantName): string {
  return catalogue[name].does;
}

/** The variants in the catalogue's order, made anew, for some of them remember what they were asked. */
export function createVariants(names: readonly VariantName[]): NamedVariant[] {
  const chosen = new Set<string>(names);
  const { every } = createPassingFaults();
  return variantNames
    .filter((name) => chosen.has(name))
    .map((name) => ({ ...(catalogue[name] as VariantEntry).make({ chosen, every }), name }));
}
