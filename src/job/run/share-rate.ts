import { createSharedRate } from '../../service/http/shared-rate.ts';
import { warehouseFailure } from '../../warehouse/failures.ts';
import { postponeStarts, reserveStarts } from '../../warehouse/ledger/request-starts.ts';
import type { AppContext } from './app-context.ts';

/** The app context with a client of the service that shares `RATE_PER_SECOND` with all other processes. */
export function shareRate(app: AppContext): AppContext {
  const { baseUrl, ratePerSecond } = app.config.service;
  if (ratePerSecond === null) return app;
  const sharedRate = createSharedRate(ratePerSecond, {
    async reserve(starts, apartMs) {
      try {
        return await reserveStarts(app.warehouse, baseUrl, starts, apartMs);
      } catch (error) {
        throw warehouseFailure(error) ?? error;
      }
    },
    postpone: (ms) => postponeStarts(app.warehouse, baseUrl, ms),
  });
  return { ...app, connect: (signal, onDiscarded) => app.connect(signal, onDiscarded, sharedRate) };
}
