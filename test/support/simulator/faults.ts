import type { Middleware, ServiceRequest } from '../../../src/simulator/middleware.ts';
import { errorResponse } from '../../../src/simulator/service.ts';
import { numberIn } from './middleware.ts';

/** The faults that scripts and variants inject into responses, besides `status-NNN`. */
export const namedFaults = {
  /** Its status in the journal is 0. */
  reset: () => ({ status: 0, body: '', transfer: 'reset' }),
  'cut-body': async (_, next) => ({ ...(await next()), transfer: 'cut' }),
  /** A page of a proxy or a captive portal. */
  html: () => ({
    headers: { 'content-type': 'text/html; charset=utf-8' },
    body: '<!doctype html>\n<html><head><title>Please wait</title></head><body><h1>Maintenance</h1></body></html>\n',
  }),
} satisfies Record<string, Middleware>;

type NamedFault = keyof typeof namedFaults;

/** A fault for selected requests: "the third page fails twice". */
export type ScriptedFault = {
  readonly operation: 'getClients' | 'campaignSummary';
  /** For getClients. A request without a page counts as one for the first page. */
  readonly page?: number;
  /** For campaignSummary: the startdate, as YYYY-MM-DD. */
  readonly day?: string;
  readonly account?: string;
  /** The first request to fail, among those that match all of the above; 1 by default. */
  readonly nth?: number;
  /** The number of consecutive requests that fail; may be Infinity. */
  readonly times: number;
  readonly kind: NamedFault | `status-${number}`;
};

/** Injects the first fault that matches a request; the others keep their `times`. */
export function injectScripted(faults: readonly ScriptedFault[]): Middleware {
  const scripts = faults.map((fault) => ({
    fault,
    inject: faultOf(fault.kind),
    seen: 0,
    struck: 0,
  }));
  return (request, next) => {
    const matching = scripts.filter(({ fault }) => matches(fault, request));
    for (const script of matching) script.seen += 1;
    const first = matching.find(
      ({ fault, seen, struck }) => seen >= (fault.nth ?? 1) && struck < fault.times,
    );
    if (!first) return undefined;
    first.struck += 1;
    return first.inject(request, next);
  };
}

function faultOf(kind: ScriptedFault['kind']): Middleware {
  const fault = (namedFaults as Record<string, Middleware>)[kind];
  return fault ?? (() => errorResponse(Number(kind.slice('status-'.length)), 'An injected fault.'));
}

function matches(fault: ScriptedFault, request: ServiceRequest): boolean {
  const { operation, account, params } = request;
  if (fault.operation !== operation) return false;
  if (fault.account !== undefined && fault.account !== account) return false;
  if (fault.page !== undefined && fault.page !== (numberIn(params, 'page') ?? 1)) return false;
  // The startdate 2026-11-09 is sent as 11-09-2026.
  return fault.day === undefined || params.get('startdate') === fault.day.replace(/^(\d+)-(.+)$/, '$2-$1');
}
