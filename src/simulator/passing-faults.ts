import type { ServiceRequest } from './request.ts';

/** Whether a request is to be struck by a fault that passes. */
export type Strikes = (request: ServiceRequest) => boolean;

/** Makes faults that strike every nth question; one for all variants of a simulator. */
export type PassingFaults = { every(n: number): Strikes };

/**
 * Faults that pass, without chance: each counts the questions of an operation by itself and strikes every nth.
 * A question that was struck, by whichever variant, is spared and not counted when it is asked again, so that a
 * retry of the same question always succeeds, however many are asked at once.
 */
export function createPassingFaults(): PassingFaults {
  const struck = new Set<string>();
  const spared = new WeakMap<ServiceRequest, boolean>();

  /** Settled once for a request: several variants may want to know. */
  const isSpared = (request: ServiceRequest): boolean => {
    const settled = spared.get(request) ?? struck.delete(questionOf(request));
    spared.set(request, settled);
    return settled;
  };

  return {
    every(n) {
      const asked = new Map<string, number>();
      return (request) => {
        if (isSpared(request)) return false;
        const count = (asked.get(request.operation) ?? 0) + 1;
        asked.set(request.operation, count);
        if (count % n !== 0) return false;
        struck.add(questionOf(request));
        return true;
      };
    },
  };
}

/** The question without its token: asked again with a new one it is the same. */
function questionOf({ operation, account, params }: ServiceRequest): string {
  const asked = [...params].filter(([name]) => name !== 'sidtoken').sort();
  return JSON.stringify([operation, account?.name, asked]);
}
