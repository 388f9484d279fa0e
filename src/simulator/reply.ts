import { errorBody } from './refusal.ts';

/**
 * How an answer travels: `cut` ends half-way through the body it announced, `stalled` stops there for ever, and
 * `reset` drops the connection before the first byte.
 */
export type Manner = 'whole' | 'cut' | 'stalled' | 'reset';

/** An HTTP answer: JSON unless its headers say otherwise. A body in pieces is made as it is sent. */
export type Reply = {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | Iterable<string>;
  readonly manner?: Manner;
  /** The variant or the kind of scripted fault that took the service's own answer away or spoilt it. */
  readonly spoiltBy?: string;
};

/** An error as this service words one; the document shows none (service.md 7). */
export function errorReply(status: number, message: string, headers: Record<string, string> = {}): Reply {
  return { status, headers, body: errorBody(status, message) };
}

/** No answer at all; the journal shows its status as 0. */
export const RESET: Reply = { status: 0, body: '', manner: 'reset' };

/** What a proxy or a captive portal puts in the service's place. */
export const HTML: Reply = {
  status: 200,
  headers: { 'content-type': 'text/html; charset=utf-8' },
  body: '<!doctype html>\n<html><head><title>Please wait</title></head><body><h1>Maintenance</h1></body></html>\n',
};

/** An error that hides behind status 200 and says nothing of tokens. */
export const ERROR_IN_200: Reply = {
  status: 200,
  body: JSON.stringify({ error: { code: 503, message: 'The service is temporarily unavailable.' } }),
};

/** A refused token that hides behind status 200. */
export const TOKEN_REFUSED_IN_200: Reply = {
  status: 200,
  body: JSON.stringify({ error: 'Invalid session token' }),
};

/** Bodies that are JSON and not what was asked for. */
const NONSENSE = ['[]', 'null', '{"data":{}}', '{"result":null}', '"ok"', '42', '{}'];

/** Another one of them for each number. */
export function nonsense(nth: number): Reply {
  return { status: 200, body: NONSENSE[(nth - 1) % NONSENSE.length] ?? '[]' };
}

/** Sends the request elsewhere with all it carries, the token included. */
export function redirect(target: string): Reply {
  return { status: 302, headers: { location: target }, body: '' };
}

const HUGE_BYTES = 400 * 1024 * 1024;
const PIECE_BYTES = 64 * 1024;
const NAME = 'One of very many';

/** 400 MB of valid records, in pieces that are made one at a time and never held together. */
export function hugeReply(list: 'data' | 'result'): Reply {
  return { status: 200, body: hugeBody(list) };
}

function* hugeBody(list: 'data' | 'result'): Generator<string> {
  yield `{"page":1,"pages":1,"limit":100,"${list}":[${hugeRecord(0)}`;
  for (let sent = 0, id = 1; sent < HUGE_BYTES; sent += PIECE_BYTES) {
    let piece = '';
    for (; piece.length < PIECE_BYTES; id += 1) piece += `,${hugeRecord(id)}`;
    yield piece;
  }
  yield ']}';
}

function hugeRecord(id: number): string {
  return JSON.stringify({ clientid: id, clientname: NAME, callsetid: id, campaign: NAME });
}
