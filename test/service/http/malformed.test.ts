import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { account } from '../account.ts';
import { connect, day, startRawServer, validBody } from '../raw-server.ts';

/** The error of a request that gets these bytes. */
async function errorOf(bytes: string | Buffer) {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.end(bytes));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const error = await connect(url, { retries: 0 })
    .summarizeCampaigns(account, day)
    .catch((thrown) => thrown);
  server.close();
  return error;
}

const head = (...lines: string[]) => ['HTTP/1.1 200 OK', ...lines, '', ''].join('\r\n');
const packed = gzipSync(
  JSON.stringify({ result: Array.from({ length: 2_000 }, (_, id) => ({ callsetid: id })) }),
);
const cut = packed.subarray(0, packed.length / 2);

describe('a response is malformed, and not a service that can’t be reached, with', () => {
  it.each<[string, string | Buffer, string]>([
    ['a bad chunk', `${head('transfer-encoding: chunked')}zz\r\n{}`, 'Invalid character in chunk size'],
    ['a bad header', head('Bad Header\u0001: x'), 'Invalid header token'],
    ['no HTTP at all', 'hello there\r\n\r\n', 'Expected HTTP/, RTSP/ or ICE/'],
    [
      'two lengths',
      `${head('content-length: 2', 'content-length: 3')}{}`,
      'its length differs from the announced one',
    ],
    [
      'fifteen hundred encodings',
      head(`content-encoding: ${Array(1_500).fill('gzip').join()}`),
      'it is encoded many times over',
    ],
    [
      'another encoding than it says',
      `${head('content-encoding: gzip', 'content-length: 13')}${validBody}`,
      'its body cannot be decompressed',
    ],
  ])('%s', async (_, bytes, how) => {
    expect(await errorOf(bytes)).toMatchObject({
      code: 'INVALID_RESPONSE',
      detail: `invalid response (malformed HTTP: ${how})`,
      advice: expect.stringContaining('a proxy'),
    });
  });

  it('an encoding that nobody knows', async () => {
    const sent = Buffer.concat([Buffer.from(head('content-encoding: br, sdch')), packed]);
    expect(await errorOf(sent)).toMatchObject({
      code: 'INVALID_RESPONSE',
      detail: "invalid response (its body is encoded as sdch, which Callsheet doesn't know)",
      advice: expect.stringContaining('a proxy'),
    });
  });

  it('a status of 999', async () => {
    expect(await errorOf(`HTTP/1.1 999 Strange\r\ncontent-length: 2\r\n\r\n{}`)).toMatchObject({
      code: 'UNKNOWN_ANSWER',
      detail: 'unknown answer (HTTP 999)',
    });
  });

  it('a compressed body that is cut', async () => {
    const sent = head('content-encoding: gzip', `content-length: ${cut.length}`);
    expect(await errorOf(Buffer.concat([Buffer.from(sent), cut]))).toMatchObject({
      code: 'INVALID_RESPONSE',
      detail: expect.stringMatching(/malformed JSON: it ends too early, after \d+ characters/),
      advice: expect.stringContaining('may have cut it'),
    });
  });
});

it('a body that names an unknown encoding, and has none, is read', async () => {
  const sent = `${head('content-encoding: utf-8', `content-length: ${validBody.length}`)}${validBody}`;
  expect(await errorOf(sent)).toMatchObject({ records: [] });
});

it('a 407 without a tunnel is a proxy that demands a login', async () => {
  expect(
    await errorOf('HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n'),
  ).toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
    detail: 'the outgoing proxy refuses the request (status 407)',
    advice: expect.stringContaining('HTTP_PROXY: http://user:password@'),
  });
});

it.each([
  ['application/json; charset=iso-8859-1', 'latin1', 'Peña'],
  ['application/json; charset="windows-1252"', 'latin1', 'Peña'],
  ['application/json; charset=nonsense', 'utf8', 'Peña'],
  ['application/json', 'utf8', 'Peña'],
] as const)('a body is read in its charset: %s', async (type, encoding, campaign) => {
  await using server = await startRawServer([
    (_, response) =>
      response
        .writeHead(200, { 'content-type': type })
        .end(Buffer.from(JSON.stringify({ result: [{ callsetid: 1, campaign }] }), encoding)),
  ]);
  using summary = await connect(server.url).summarizeCampaigns(account, day);
  expect(summary.records).toMatchObject([{ campaign }]);
  // The archive is read in UTF-8.
  expect(String(summary.response.body)).toContain(campaign);
});
