import type { JsonObject, Middleware, ServiceRequest } from '../../../src/simulator/middleware.ts';

/** Restricts a middleware to `getClients`. */
export function clientList(inject: Middleware): Middleware {
  return (request, next) => (request.operation === 'getClients' ? inject(request, next) : undefined);
}

export function without(object: JsonObject, ...fields: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !fields.includes(name)));
}

/** The parameter as a whole number; undefined if it is absent or invalid. */
export function numberIn(params: URLSearchParams, name: string): number | undefined {
  const text = params.get(name);
  return text !== null && /^\d+$/.test(text) ? Number(text) : undefined;
}

export function withParameter(request: ServiceRequest, name: string, value: number | string): ServiceRequest {
  const params = new URLSearchParams(request.params);
  params.set(name, String(value));
  return { ...request, params };
}
