/*
 * Where the product differs from the design today, and the issue that mends it. The oracle computes both: what the design
 * says, and with a known difference what the product says. A test fails where neither is found, and once a known
 * difference is gone: then delete it here and in the oracle.
 */
export const knownDifferences = {
  'days without calls are typical': 'One sum for every figure',
  'a change stands beside a figure of more accounts': 'One sum for every figure',
} as const;

export type KnownDifference = keyof typeof knownDifferences;

const all = Object.keys(knownDifferences) as KnownDifference[];

/** What is expected by the design, as the product is today, and as it is once a known difference is mended. */
export type Expected<Value> = (wrong: ReadonlySet<KnownDifference>) => Value;
export const today: ReadonlySet<KnownDifference> = new Set(all);
export const mended = all.map((known) => ({ known, wrong: new Set(all.filter((each) => each !== known)) }));
