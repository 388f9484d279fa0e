import type { Dataset } from '../../../../src/simulator/dataset.ts';
import type { Middleware } from '../../../../src/simulator/middleware.ts';

type Campaigns = Dataset['campaigns'];

/**
 * Meanings of the figures. The document doesn't say whether the end date is included, which period the counts cover or
 * which campaigns are listed. Each variant wraps the data set of those before it.
 */
export function figureVariants() {
  return {
    /** D to D has nothing, D to D+1 has D. */
    'end-exclusive': figures(
      (campaigns) => (account, from, to) =>
        from.equals(to) ? [] : campaigns(account, from, to.subtract({ days: 1 })),
    ),
  } satisfies Record<string, Middleware>;
}

function figures(change: (campaigns: Campaigns) => Campaigns): Middleware {
  return (request, next) => {
    const { dataset } = request;
    return next({ ...request, dataset: { ...dataset, campaigns: change(dataset.campaigns) } });
  };
}
