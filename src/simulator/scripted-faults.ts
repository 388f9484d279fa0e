import {
  ERROR_IN_200,
  errorReply,
  HTML,
  hugeReply,
  nonsense,
  RESET,
  type Reply,
  redirect,
  TOKEN_REFUSED_IN_200,
} from './reply.ts';
import { numberIn, type ServiceRequest } from './request.ts';

/** What a scripted fault may do, beside `status-NNN` with a number from 400 to 599. */
export const namedFaultKinds = [
  'reset',
  'cut-body',
  'stall',
  'empty-body',
  'html',
  'nonsense-json',
  'huge-body',
  'error-in-200',
  'token-refused-in-200',
  'redirect',
] as const;

export type FaultKind = (typeof namedFaultKinds)[number] | `status-${number}`;

/** A fault of a test's or a demonstration's making: "the third page fails twice". */
export type ScriptedFault = {
  readonly operation: 'getClients' | 'campaignSummary';
  /** Of getClients: the page asked for. A request that asks for none counts as one for the first page. */
  readonly page?: number;
  /** Of campaignSummary: the startdate, as YYYY-MM-DD. */
  readonly day?: string;
  readonly account?: string;
  /** Begins with the nth of the requests that all of the above fits; with the first unless told. */
  readonly nth?: number;
  /** How many requests fail, one after another; Infinity for all. */
  readonly times: number;
  readonly kind: FaultKind;
};

/** Gives the reply that was due, or what a scripted fault makes of it. */
export type Spoil = (request: ServiceRequest, next: () => Promise<Reply>) => Promise<Reply>;

/** Of several faults that fit a request the first strikes; the others' `times` aren't used up by it. */
export function createSpoil(faults: readonly ScriptedFault[], firstPage: number): Spoil {
  const scripts = faults.map((fault) => ({ fault, seen: 0, struck: 0 }));
  return async (request, next) => {
    const fitting = scripts.filter(({ fault }) => fits(fault, request, firstPage));
    for (const script of fitting) script.seen += 1;
    const due = fitting.find(({ fault, seen, struck }) => seen >= (fault.nth ?? 1) && struck < fault.times);
    if (!due) return await next();
    due.struck += 1;
    const { kind } = due.fault;
    return { ...(await spoilt(kind, request, next)), spoiltBy: kind };
  };
}

function fits(
  fault: ScriptedFault,
  { operation, account, params }: ServiceRequest,
  firstPage: number,
): boolean {
  if (fault.operation !== operation) return false;
  if (fault.account !== undefined && fault.account !== account?.name) return false;
  if (fault.page !== undefined && fault.page !== (numberIn(params, 'page') ?? firstPage)) return false;
  return fault.day === undefined || wireDate(fault.day) === params.get('startdate');
}

/** 2026-11-09 as 11-09-2026. */
function wireDate(day: string): string {
  const [year, month, date] = day.split('-');
  return `${month}-${date}-${year}`;
}

async function spoilt(kind: FaultKind, request: ServiceRequest, next: () => Promise<Reply>): Promise<Reply> {
  switch (kind) {
    case 'reset':
      return RESET;
    case 'cut-body':
      return { ...(await next()), manner: 'cut' };
    case 'stall':
      return { ...(await next()), manner: 'stalled' };
    case 'empty-body':
      return { status: 200, body: '' };
    case 'html':
      return HTML;
    case 'nonsense-json':
      return nonsense(request.nth);
    case 'huge-body':
      return hugeReply(request.operation === 'getClients' ? 'data' : 'result');
    case 'error-in-200':
      return ERROR_IN_200;
    case 'token-refused-in-200':
      return TOKEN_REFUSED_IN_200;
    case 'redirect':
      return redirect(`/moved${request.target}`);
    default:
      return errorReply(Number(kind.slice('status-'.length)), 'A fault that was asked for.');
  }
}
