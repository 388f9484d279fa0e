import { type FaultKind, faultOf, namedFaults } from './faults.ts';
import { type Middleware, named, numberIn, type ServiceRequest } from './middleware.ts';

/** A fault that is injected on given requests: "the third page fails twice". */
export type ScriptedFault = {
  readonly operation: 'getClients' | 'campaignSummary';
  /** Of getClients: a request without a page is one for the first page. */
  readonly page?: number;
  /** Of campaignSummary: the startdate, as YYYY-MM-DD. */
  readonly day?: string;
  readonly account?: string;
  /** Begins with the nth of the requests that all of the above match; with the first by default. */
  readonly nth?: number;
  /** How many requests fail, one after another; Infinity for all. */
  readonly times: number;
  readonly kind: FaultKind;
};

/** Of several faults that match a request the first strikes; the others' `times` aren't used up by it. */
export function injectScripted(faults: readonly ScriptedFault[], firstPage: number): Middleware {
  const scripts = faults.map((fault) => ({
    fault,
    inject: named(fault.kind, faultOf(fault.kind)),
    seen: 0,
    struck: 0,
  }));
  return (request, next) => {
    const matching = scripts.filter(({ fault }) => matches(fault, request, firstPage));
    for (const script of matching) script.seen += 1;
    const due = matching.find(({ fault, seen, struck }) => seen >= (fault.nth ?? 1) && struck < fault.times);
    if (!due) return undefined;
    due.struck += 1;
    return due.inject(request, next);
  };
}

function matches(
  fault: ScriptedFault,
  { operation, account, params }: ServiceRequest,
  firstPage: number,
): boolean {
  if (fault.operation !== operation) return false;
  if (fault.account !== undefined && fault.account !== account) return false;
  if (fault.page !== undefined && fault.page !== (numberIn(params, 'page') ?? firstPage)) return false;
  // 2026-11-09 is sent as 11-09-2026.
  return fault.day === undefined || params.get('startdate') === fault.day.replace(/^(\d+)-(.+)$/, '$2-$1');
}

const EXAMPLE = 'getClients:page=3:times=2:status-500';

/** The form of a scripted fault on the command line. */
export const FAULT_FORM = `OPERATION[:page=N][:day=YYYY-MM-DD][:account=NAME][:nth=N][:times=N|forever]:KIND, as in ${EXAMPLE}`;

export const FAULT_KINDS = `${Object.keys(namedFaults).join(', ')}, or status-NNN from 400 to 599`;

/** Reads a scripted fault of the command line. Throws a RangeError that names the wrong part, with an example. */
export function readFault(spec: string): ScriptedFault {
  const parts = spec.split(':');
  const [operation] = parts;
  if (operation !== 'getClients' && operation !== 'campaignSummary') {
    throw invalid(`"${operation}" is no operation; there are getClients and campaignSummary`);
  }
  if (parts.length === 1) throw invalid('There is no kind at its end');
  const conditions = Object.assign({}, ...parts.slice(1, -1).map(readCondition));
  if ('page' in conditions && operation !== 'getClients') throw invalid('Only getClients has a page');
  if ('day' in conditions && operation !== 'campaignSummary') {
    throw invalid('Only campaignSummary has a day');
  }
  return { operation, times: 1, ...conditions, kind: readKind(parts.at(-1) ?? '') };
}

function readKind(text: string): FaultKind {
  if (Object.hasOwn(namedFaults, text) || /^status-[45]\d\d$/.test(text)) return text as FaultKind;
  throw invalid(`"${text}" is no kind; there are ${FAULT_KINDS}`);
}

function readCondition(part: string): Partial<ScriptedFault> {
  const [, name, value = ''] = /^(page|day|account|nth|times)=(.+)$/.exec(part) ?? [];
  if (name === undefined) {
    throw invalid(`"${part}" is none of page=N, day=D, account=NAME, nth=N and times=N`);
  }
  if (name === 'account') return { account: value };
  if (name === 'day') {
    if (/^\d{4}-\d\d-\d\d$/.test(value)) return { day: value };
    throw invalid(`"${part}" has no day of the form YYYY-MM-DD`);
  }
  if (part === 'times=forever') return { times: Number.POSITIVE_INFINITY };
  const min = name === 'page' ? 0 : 1;
  if (/^\d{1,9}$/.test(value) && Number(value) >= min) return { [name]: Number(value) };
  throw invalid(`"${part}" has no whole number from ${min} on`);
}

function invalid(problem: string): RangeError {
  return new RangeError(`${problem}. A valid one: ${EXAMPLE}`);
}
