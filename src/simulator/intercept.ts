import type { Manner } from './reply.ts';
import type { Operation } from './request.ts';

/** A request as a test's `intercept` sees it; `params` holds the token as it was sent. */
export type InterceptedRequest = {
  readonly operation: Operation;
  readonly account: string | undefined;
  readonly params: URLSearchParams;
  /** Which request of this operation it is, counted from 1. */
  readonly nth: number;
};

/** An answer in the service's place: status 200, JSON and sent whole unless told. */
export type CannedAnswer = {
  status?: number;
  headers?: Record<string, string>;
  body: string;
  manner?: Manner;
};

/** Lets a test answer in the service's place; `undefined` leaves the answer to the service. */
export type Intercept = (
  request: InterceptedRequest,
) => Promise<CannedAnswer | undefined> | CannedAnswer | undefined;
