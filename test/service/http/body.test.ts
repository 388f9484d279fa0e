import { describe, expect, it } from 'vitest';
import { type BodyLimits, isCostly, LargeResponse, readBody } from '../../../src/service/http/body.ts';
import type { Place } from '../../../src/service/http/request-order.ts';

/** Ten bytes for each of eight requests. */
const limits: BodyLimits = { maxResponseBytes: 80, concurrency: 4 };
const place = (isFirst: boolean): Place => ({
  isFirst: () => isFirst,
  untilFirst: async () => {},
  leave() {},
});
const [first, later] = [place(true), place(false)];
const text = (length: number) => 'x'.repeat(length);
const tooLarge = {
  code: 'INVALID_RESPONSE',
  message: 'the body has more than 0.00008 MB, the limit of MAX_RESPONSE_MB',
  isRetryable: false,
};

/** A body in chunks of these lengths. */
const chunked = (lengths: readonly number[], cancel = () => {}) =>
  new ReadableStream({
    start(controller) {
      for (const length of lengths) controller.enqueue(Buffer.from(text(length)));
      controller.close();
    },
    cancel,
  });

describe('a body', () => {
  it.each<[string, Place, number]>([
    ['the whole memory for bodies, where it is of the first request', first, 80],
    ['an equal part of it, where it is of a later one', later, 10],
  ])('may have %s', async (_, of, most) => {
    const error = of === first ? tooLarge : new LargeResponse();
    expect(await readBody(new Response(text(most)), limits, of)).toBe(text(most));
    await expect(readBody(new Response(text(most + 1)), limits, of)).rejects.toMatchObject(error);
    expect(await readBody(new Response(chunked([most - 1, 1])), limits, of)).toBe(text(most));
    await expect(readBody(new Response(chunked([most - 1, 2])), limits, of)).rejects.toMatchObject(error);
  });

  it('of a later request is too large for any, where it is too large for the first', async () => {
    await expect(readBody(new Response(text(81)), limits, later)).rejects.toMatchObject(tooLarge);
  });

  it('is not received where its declared size is too large', async () => {
    let isCancelled = false;
    const body = new ReadableStream({
      cancel() {
        isCancelled = true;
      },
    });
    const headers = { 'content-length': '81' };
    await expect(readBody(new Response(body, { headers }), limits, first)).rejects.toMatchObject(tooLarge);
    expect(isCancelled).toBe(true);
    await expect(readBody(new Response(null, { headers }), limits, first)).rejects.toMatchObject(tooLarge);
  });

  it('is whole, in whatever chunks it comes, and empty where there is none', async () => {
    const large = { maxResponseBytes: 1_000_000, concurrency: 1 };
    for (const lengths of [[], [1, 1, 1], [65_536], [65_535, 1, 1], [300_000], [65_536, 200_000, 70_000]]) {
      const whole = text(lengths.reduce((sum, length) => sum + length, 0));
      expect((await readBody(new Response(chunked(lengths)), large, first)) === whole, `${lengths}`).toBe(
        true,
      );
    }
    expect(await readBody(new Response(null, { status: 204 }), limits, first)).toBe('');
  });

  it.each([
    [null, [0xc3, 0xa9]],
    ['application/json', [0xc3, 0xa9]],
    ['application/json; charset=utf-8', [0xc3, 0xa9]],
    ['application/json; charset=klingon', [0xc3, 0xa9]],
    ['application/json;charset=iso-8859-1', [0xe9]],
    ['application/json; Charset  =  "windows-1252"; x=1', [0xe9]],
  ])('of type %s is decoded as it says, by default as UTF-8', async (type, bytes) => {
    const response = new Response(Uint8Array.from(bytes), {
      headers: type === null ? {} : { 'content-type': type },
    });
    expect(await readBody(response, limits, first)).toBe('é');
  });
});

describe('what is built of a body', () => {
  // Eight values for each of 125,000 requests.
  const eight = { maxResponseBytes: 64_000_000, concurrency: 62_500 };

  it.each([
    ['{"a":[0,0,0,0,0,0,0]}', false],
    ['{"a":[0,0,0,0,0,0,0,0]}', true],
    ['{"a":[{},[],{},[]]}', true],
    ['{"a":[{},[],{}]}', false],
    ['', false],
  ])('is more than its part of the memory by its values: of %s, %s', (body, expected) => {
    expect(isCostly(body, eight)).toBe(expected);
  });
});
