import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { send } from '../../src/simulator/send.ts';
import type { Simulator } from '../../src/simulator/server.ts';
import type { VariantName } from '../../src/simulator/variants.ts';
import { askClients, start, tokenOf } from './ask.ts';
import { askDayRaw, askNth, askRaw, type RawAnswer } from './raw.ts';

/** In a shorthand: how an answer ended, or what it was. */
function outcome({ status, headers, end, text }: RawAnswer): string {
  if (end !== 'whole') return end;
  if (status !== 200) return String(status);
  if (headers['content-type']?.startsWith('text/html')) return text.startsWith('<!doctype') ? 'html' : '?';
  return 'data' in JSON.parse(text) || 'result' in JSON.parse(text) ? 'ok' : '?';
}

async function outcomes(simulator: Simulator, nths: readonly number[]): Promise<string[]> {
  const list: string[] = [];
  for (const nth of nths) list.push(outcome(await askNth(simulator, nth)));
  return list;
}

const PASSING: [VariantName, number, string][] = [
  ['connection-reset', 5, 'reset'],
  ['body-cut', 4, 'cut'],
  ['body-stalls', 6, 'stalled'],
  ['html-instead', 4, 'html'],
  ['rate-limited-seconds', 5, '429'],
  ['rate-limited-date', 5, '429'],
  ['rate-limited-past', 5, '429'],
  ['rate-limited-long', 5, '429'],
];

describe('faults that pass', () => {
  test.for(PASSING)(
    '%s: every %ith question, which succeeds when it is asked again',
    async ([name, n, bad]) => {
      const simulator = await start({ variants: [name] });
      const first = Array.from({ length: n }, (_, index) => index + 1);
      const good = Array(n - 1).fill('ok');
      expect(await outcomes(simulator, first)).toEqual([...good, bad]);
      // The retry isn't counted: the next one struck is the nth question after it.
      expect(await outcomes(simulator, [n, ...first.map((nth) => nth + n)])).toEqual(['ok', ...good, bad]);
      expect(simulator.journal.map(({ spoiltBy }) => spoiltBy).filter(Boolean)).toEqual([name, name]);
      // Each operation counts by itself.
      expect(outcome(await askDayRaw(simulator, '2026-11-18'))).toBe('ok');
    },
  );

  test('strike one and the same question again and again, but never twice running', async () => {
    const simulator = await start({ variants: ['html-instead'] });
    const [good, bad] = [['ok', 'ok', 'ok'], 'html'];
    expect(await outcomes(simulator, Array(14).fill(7))).toEqual(
      [...good, bad, 'ok', ...good, bad, 'ok', ...good, bad].slice(0, 14),
    );
  });

  test('strike as many of those asked at once, and none of their retries', async () => {
    const simulator = await start({ variants: ['connection-reset', 'body-cut', 'rate-limited-seconds'] });
    const nths = Array.from({ length: 40 }, (_, index) => index + 1);
    const answers = await Promise.all(nths.map((nth) => askNth(simulator, nth)));
    const failed = nths.filter((_, index) => outcome(answers[index]!) !== 'ok');
    expect(failed.length).toBeGreaterThan(15);
    const again = await Promise.all(failed.map((nth) => askNth(simulator, nth)));
    expect(again.map(outcome)).toEqual(failed.map(() => 'ok'));
  });

  test('a body that is cut or stalls was announced whole, and half of it came', async () => {
    const simulator = await start({ variants: ['body-cut'] });
    for (const nth of [1, 2, 3]) await askNth(simulator, nth);
    const { status, headers, text } = await askNth(simulator, 4);
    const { text: whole } = await askNth(simulator, 4);
    const bytes = Buffer.from(whole);
    expect([status, Number(headers['content-length'])]).toEqual([200, bytes.length]);
    expect(text).toBe(bytes.subarray(0, Math.floor(bytes.length / 2)).toString());
  });
});

describe('a rate limit', () => {
  test.for<[VariantName, number, number]>([
    ['rate-limited-seconds', 1, 1],
    ['rate-limited-date', 1, 2],
    ['rate-limited-past', -61, -60],
    ['rate-limited-long', 86_400, 86_400],
  ])('%s: Retry-After tells from %i to %i seconds', async ([variant, least, most]) => {
    const simulator = await start({ variants: [variant] });
    for (const nth of [1, 2, 3, 4]) await askNth(simulator, nth);
    const before = Date.now();
    const told = (await askNth(simulator, 5)).headers['retry-after']!;
    const after = Date.now();
    const isDate = variant === 'rate-limited-date' || variant === 'rate-limited-past';
    expect(told).toMatch(isDate ? /^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/ : /^\d+$/);
    const secondsFrom = (moment: number) => (isDate ? (Date.parse(told) - moment) / 1_000 : Number(told));
    expect(secondsFrom(before)).toBeGreaterThanOrEqual(least);
    expect(secondsFrom(after)).toBeLessThanOrEqual(most);
  });

  test('rate-limited-forever: each request, retried or not', async () => {
    const simulator = await start({ variants: ['rate-limited-forever'] });
    const answers = [
      await askNth(simulator, 1),
      await askNth(simulator, 1),
      await askDayRaw(simulator, '2026-11-18'),
    ];
    expect(answers.map(({ status, headers }) => [status, headers['retry-after']])).toEqual(
      Array(3).fill([429, '1']),
    );
  });
});

describe('answers that are none', () => {
  test('html-always', async () => {
    const simulator = await start({ variants: ['html-always'] });
    expect(await outcomes(simulator, [1, 1, 2])).toEqual(['html', 'html', 'html']);
    expect(outcome(await askDayRaw(simulator, '2026-11-18'))).toBe('html');
  });

  test('nonsense-json: JSON each time, and the envelope never', async () => {
    const simulator = await start({ variants: ['nonsense-json'] });
    const bodies: unknown[] = [];
    for (const nth of [1, 2, 3, 4, 5, 6, 7, 8]) bodies.push(JSON.parse((await askNth(simulator, nth)).text));
    expect(bodies).toEqual([[], null, { data: {} }, { result: null }, 'ok', 42, {}, []]);
  });

  test('redirects: to a path that would answer, with the token in it', async () => {
    const simulator = await start({ variants: ['redirects'] });
    const query = { sidtoken: tokenOf('coast'), limit: '1' };
    const { status, headers } = await askRaw(simulator, 'getClients.wr', query);
    expect([status, headers.location]).toEqual([
      302,
      `/moved/api/getClients.wr?${new URLSearchParams(query)}`,
    ]);
    expect((await askClients(simulator, { limit: '1' })).body.count).toBe(1);
    expect(simulator.journal.map((entry) => entry.status)).toEqual([302, 302, 200]);
  });

  test('slow, and latencyMs: each answer takes its time', async () => {
    const timed = async (simulator: Simulator) => {
      const before = performance.now();
      await askNth(simulator, 1);
      return performance.now() - before;
    };
    expect(await timed(await start({ variants: ['slow'] }))).toBeGreaterThan(48);
    expect(await timed(await start({ latencyMs: 120, variants: ['slow'] }))).toBeGreaterThan(165);
  });
});

describe('huge-body', () => {
  test.for(['getClients.wr', 'campaignSummary.wr'])(
    '%s: valid records without an end in sight',
    async (name) => {
      const simulator = await start({ variants: ['huge-body'] });
      const before = process.memoryUsage().rss;
      const { status, headers, text, end } = await askRaw(simulator, name, { sidtoken: tokenOf('north') });
      expect([status, end, headers['content-length']]).toEqual([200, 'endless', undefined]);
      expect(process.memoryUsage().rss - before).toBeLessThan(200_000_000);
      const list = name === 'getClients.wr' ? 'data' : 'result';
      const records = JSON.parse(`${text.slice(0, text.lastIndexOf('},'))}}]}`)[list];
      expect(records.length).toBeGreaterThan(10_000);
      expect(records.at(-1)).toMatchObject({ clientid: records.length - 1, callsetid: records.length - 1 });
    },
  );

  test('is made as it is sent, and no further once the client has left', async () => {
    let made = 0;
    const left = Promise.withResolvers<void>();
    function* pieces() {
      try {
        for (; made < 10_000; made += 1) yield 'x'.repeat(64 * 1024);
      } finally {
        left.resolve();
      }
    }
    const server = createServer((request, response) => {
      void send(request, response, { status: 200, body: pieces() });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const response = await new Promise<IncomingMessage>((resolve) => get(url, { agent: false }, resolve));
    response.on('error', () => {});
    await new Promise((resolve) => response.once('data', resolve));
    response.destroy();
    await left.promise;
    expect(made).toBeLessThan(1_000);
  });
});
