import { createSharedTurns } from '../../service/http/shared-turns.ts';
import { warehouseFailure } from '../../warehouse/failures.ts';
import { postponeStarts, reserveStarts } from '../../warehouse/ledger/request-starts.ts';
import type { Parts } from './parts.ts';

/** The parts with a client of the service that holds `RATE_PER_SECOND` together with all others that share it. */
export function shareRate(parts: Parts): Parts {
  const { baseUrl, ratePerSecond } = parts.config.service;
  if (ratePerSecond === null) return parts;
  const turns = createSharedTurns(ratePerSecond, {
    async reserve(starts, apartMs) {
      try {
        return await reserveStarts(parts.warehouse, baseUrl, starts, apartMs);
      } catch (error) {
        throw warehouseFailure(error) ?? error;
      }
    },
    postpone: (ms) => postponeStarts(parts.warehouse, baseUrl, ms),
  });
  return { ...parts, connect: (signal, onDiscarded) => parts.connect(signal, onDiscarded, turns) };
}
