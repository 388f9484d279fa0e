import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { type VariantName, variantNames } from '../support/simulator/variants.ts';
import type { Simulator } from '../support/simulator.ts';
import { getClients, idsOf, NORTH, send, start, tokenOf } from './simulator.ts';

type Sent = readonly [operation: string, query: Record<string, string>];

const sidtoken = tokenOf('coast');

/** Responses to these are plain: no fault injection takes part in them. */
const PLAIN: readonly Sent[] = [
  ['getClients.wr', {}],
  ['getClients.wr', { limit: '70', page: '3', balance: 'true' }],
  ['getClients.wr', { search: 'clínica', limit: '3' }],
  ['getClients.wr', { limit: '100', page: '999' }],
  ['getClients.wr', { page: '1' }],
  ['campaignSummary.wr', { startdate: '11-18-2026', enddate: '11-18-2026' }],
  ['campaignSummary.wr', { startdate: '03-01-2026', enddate: '05-31-2026' }],
  ['campaignSummary.wr', { startdate: '11-20-2026', enddate: '11-20-2026' }],
  ['campaignSummary.wr', { startdate: '2026-11-18', enddate: '11-18-2026' }],
  ['getClients.wr', { sidtoken: 'wrong' }],
  ['other.wr', {}],
];

test.for([{}, { variants: [], faults: [], tokens: {} }])(
  'without fault injection (%j) the responses are the same on every machine, to the byte',
  async (options) => {
    const simulator = await start(options);
    const digest = createHash('sha256');
    for (const [operation, query] of PLAIN) {
      digest.update((await send(simulator, operation, { sidtoken, ...query })).text);
    }
    expect(digest.digest('hex').slice(0, 16)).toBe('769c4f780d39c438');
    expect(simulator.journal.every(({ injectedBy }) => injectedBy === undefined)).toBe(true);
  },
);

describe('the catalogue', () => {
  const campaigns = (date: string): Sent => ['campaignSummary.wr', { startdate: date, enddate: date }];
  /** Two walks and two days. */
  const script: readonly Sent[] = [
    ...['', '2', '3', '4', '', '2', '3', '4'].map<Sent>((page) => [
      'getClients.wr',
      { limit: '100', balance: 'true', ...(page && { page }) },
    ]),
    campaigns('11-17-2026'),
    campaigns('11-18-2026'),
  ];

  async function transcriptOf(simulator: Simulator): Promise<string[]> {
    const lines: string[] = [];
    for (const [operation, query] of script) {
      const { status, text, end } = await send(simulator, operation, { sidtoken, ...query });
      lines.push(`${status} ${end} ${text}`);
    }
    return lines;
  }

  let plain: string[] | undefined;

  test.for(variantNames)('has %s, which changes a response, and no other path', async (name) => {
    plain ??= await transcriptOf(await start());
    const simulator = await start({ variants: [name] });
    expect(await transcriptOf(simulator)).not.toEqual(plain);
    expect(simulator.journal.some(({ injectedBy }) => injectedBy === name)).toBe(true);
    expect(await send(simulator, 'other.wr', { sidtoken })).toMatchObject({ status: 404 });
  });

  test('remembers nothing from one simulator to the next', async () => {
    const variants: VariantName[] = ['row-removed-once', 'token-expires', 'body-cut'];
    const first = await transcriptOf(await start({ variants }));
    expect(await transcriptOf(await start({ variants }))).toEqual(first);
  });

  test('has variants of different themes that combine, in whatever order they are named', async () => {
    const chosen: VariantName[] = ['limit-clamped', 'page-repeats', 'mostly-unreadable', 'pages-from-zero'];
    for (const variants of [chosen, chosen.toReversed()]) {
      const { body } = await getClients(await start({ variants }), { limit: '100', page: '3' });
      expect(body).toMatchObject({
        page: 3,
        pages: 25,
        limit: 25,
        count: 25,
      });
      expect(idsOf([body])[0]).toEqual(
        NORTH.slice(0, 25).map(({ clientid }, index) => (index % 3 === 2 ? clientid : null)),
      );
    }
  });
});
