import type { Middleware } from '../../../../src/simulator/middleware.ts';

/** Meanings of the figures. The document doesn't say whether the end date is included. */
export function figureVariants() {
  return {
    /** D to D has nothing, D to D+1 has D. */
    'end-exclusive': (request, next) => {
      const { campaigns } = request.dataset;
      const exclusive: typeof campaigns = (account, from, to) =>
        from.equals(to) ? [] : campaigns(account, from, to.subtract({ days: 1 }));
      return next({ ...request, dataset: { ...request.dataset, campaigns: exclusive } });
    },
  } satisfies Record<string, Middleware>;
}
