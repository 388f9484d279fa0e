import type { Middleware } from './middleware.ts';
import { errorResponse } from './service.ts';

/** The faults that can be injected into the response to a request, beside `status-NNN`. */
export const namedFaults = {
  /** The journal shows its status as 0. */
  reset: () => ({ status: 0, body: '', transfer: 'reset' }),
  'cut-body': async (_, next) => ({ ...(await next()), transfer: 'cut' }),
  stall: async (_, next) => ({ ...(await next()), transfer: 'stalled' }),
  'empty-body': () => ({ body: '' }),
  /** As from a proxy or a captive portal. */
  html: () => ({
    headers: { 'content-type': 'text/html; charset=utf-8' },
    body: '<!doctype html>\n<html><head><title>Please wait</title></head><body><h1>Maintenance</h1></body></html>\n',
  }),
  'nonsense-json': ({ nth }) => ({ body: NONSENSE[(nth - 1) % NONSENSE.length] ?? '[]' }),
  'huge-body': ({ operation }) => ({ body: hugeBody(operation === 'getClients' ? 'data' : 'result') }),
  'error-in-200': () => ({
    body: JSON.stringify({ error: { code: 503, message: 'The service is temporarily unavailable.' } }),
  }),
  'token-refused-in-200': () => ({ body: JSON.stringify({ error: 'Invalid session token' }) }),
  /** To another path, with the whole query and so with the token. */
  redirect: ({ target }) => ({ status: 302, headers: { location: `${MOVED}${target}` }, body: '' }),
} satisfies Record<string, Middleware>;

export type FaultKind = keyof typeof namedFaults | `status-${number}`;

export function faultOf(kind: FaultKind): Middleware {
  const fault = (namedFaults as Record<string, Middleware>)[kind];
  return fault ?? (() => errorResponse(Number(kind.slice('status-'.length)), 'An injected fault.'));
}

/** Where redirects lead; the service responds there, too. */
export const MOVED = '/moved';

/** Bodies that are JSON and no envelope. */
const NONSENSE = ['[]', 'null', '{"data":{}}', '{"result":null}', '"ok"', '42', '{}'];

const HUGE_BYTES = 400 * 1024 * 1024;
const PIECE_BYTES = 64 * 1024;

/** 400 MB of valid records, in pieces that are made one at a time and never held together. */
function* hugeBody(list: 'data' | 'result'): Generator<string> {
  const record = (id: number) =>
    `{"clientid":${id},"clientname":"One of many","callsetid":${id},"campaign":"One of many"}`;
  yield `{"page":1,"pages":1,"limit":100,"${list}":[${record(0)}`;
  for (let sent = 0, id = 1; sent < HUGE_BYTES; sent += PIECE_BYTES) {
    let piece = '';
    for (; piece.length < PIECE_BYTES; id += 1) piece += `,${record(id)}`;
    yield piece;
  }
  yield ']}';
}
