import type { Dataset } from '../../../../src/simulator/dataset.ts';
import type { Middleware } from '../../../../src/simulator/middleware.ts';

type Campaigns = Dataset['campaigns'];

/**
 * Meanings of the figures. The document doesn't say whether the end date is included, which period the counts cover or
 * which campaigns are listed (service.md 2.4, 4.2). Each variant wraps the data set of those before it.
 */
export function figureVariants() {
  return {
    /** Dates only choose which campaigns are listed; their counts are totals since they began. */
    'lifetime-totals': figures(lifetimes),
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

/**
 * Totals from a campaign's start to now, for any range. Most campaigns last 60 days at most; endless ones count from the
 * start of the year before, so that a request stays cheap.
 */
function lifetimes(campaigns: Campaigns): Campaigns {
  const farAhead = Temporal.PlainDate.from('9999-12-31');
  return (account, from, to) => {
    const listed = new Set(campaigns(account, from, to).map(({ callsetid }) => callsetid));
    const beginning = new Temporal.PlainDate(from.year - 1, 1, 1);
    return campaigns(account, beginning, farAhead).filter(({ callsetid }) => listed.has(callsetid));
  };
}
