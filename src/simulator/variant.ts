import type { Middleware, ServiceRequest } from './middleware.ts';

/** One way in which a service could behave where the document is silent. */
export type Variant = {
  /** What the service does, for `simulate --help`. */
  readonly does: string;
  /** Called for each simulator, as the middleware may remember requests. */
  readonly create: (context: VariantContext) => Middleware;
};

export type VariantContext = {
  /** All variants of the simulator. */
  readonly chosen: ReadonlySet<string>;
  readonly everyNth: EveryNth;
};

/** Injects a fault into the response to every nth request. */
export type EveryNth = (n: number, fault: Middleware) => Middleware;

/**
 * Faults that a retry heals, without chance: each counts the requests of an operation by itself and strikes every nth.
 * A struck request, by whichever fault, is spared and not counted when it is sent again, so that its retry always
 * succeeds, however many are sent at once.
 */
export function createEveryNth(): EveryNth {
  const struck = new Set<string>();
  const spared = new WeakMap<ServiceRequest, boolean>();

  /** Decided once for a request: several faults may check it. */
  const isSpared = (request: ServiceRequest): boolean => {
    const decided = spared.get(request) ?? struck.delete(keyOf(request));
    spared.set(request, decided);
    return decided;
  };

  return (n, fault) => {
    const counts = new Map<string, number>();
    return (request, next) => {
      if (isSpared(request)) return undefined;
      const count = (counts.get(request.operation) ?? 0) + 1;
      counts.set(request.operation, count);
      if (count % n !== 0) return undefined;
      struck.add(keyOf(request));
      return fault(request, next);
    };
  };
}

/** Without the token: sent again with a new one it is the same request. */
function keyOf({ operation, account, params }: ServiceRequest): string {
  const rest = [...params].filter(([name]) => name !== 'sidtoken').sort();
  return JSON.stringify([operation, account, rest]);
}
