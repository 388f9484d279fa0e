import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Reply } from './reply.ts';

/** Sends a reply in its manner. A client that leaves meanwhile is no fault of the service. */
export async function send(request: IncomingMessage, response: ServerResponse, reply: Reply): Promise<void> {
  const { status, body, manner = 'whole' } = reply;
  if (manner === 'reset') {
    request.socket.resetAndDestroy();
    return;
  }
  const headers = { 'content-type': 'application/json; charset=utf-8', ...reply.headers };
  if (typeof body !== 'string') {
    response.writeHead(status, headers);
    await pipeline(Readable.from(body), response).catch(() => {});
  } else if (manner === 'whole') {
    response.writeHead(status, headers);
    response.end(body);
  } else {
    const bytes = Buffer.from(body);
    response.writeHead(status, { ...headers, 'content-length': Math.max(bytes.length, 1) });
    // Not ended: a stalled answer stays so until the client leaves or the simulator is closed.
    response.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => {
      if (manner === 'cut') request.socket.destroy();
    });
    response.flushHeaders();
  }
}
