import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Simulator } from '../../src/simulator/server.ts';
import {
  describeVariant,
  isVariantName,
  type VariantName,
  variantNames,
} from '../../src/simulator/variants.ts';
import { start, tokenOf } from './ask.ts';
import { askRaw } from './raw.ts';

type Question = readonly [operation: string, query: Record<string, string>];

const sidtoken = tokenOf('coast');
const QUESTIONS: readonly (readonly [...Question, digest: string])[] = [
  ['getClients.wr', {}, '2213fcbbfd4fc2ec'],
  ['getClients.wr', { limit: '70', page: '3', balance: 'true' }, '58aa108b018e58c7'],
  ['getClients.wr', { search: 'clínica', limit: '3' }, '8088be4e1ef4fbe9'],
  ['getClients.wr', { limit: '100', page: '999' }, '875bf717586b7ae7'],
  ['getClients.wr', { page: '1' }, '63889a3147de04d9'],
  ['campaignSummary.wr', { startdate: '11-18-2026', enddate: '11-18-2026' }, '8214e10ade52271d'],
  ['campaignSummary.wr', { startdate: '03-01-2026', enddate: '05-31-2026' }, '7305725b7ad4251a'],
  ['campaignSummary.wr', { startdate: '11-20-2026', enddate: '11-20-2026' }, '46d45e2142347f7d'],
  ['campaignSummary.wr', { startdate: '2026-11-18', enddate: '11-18-2026' }, 'be30dd1e6ca1a7b7'],
  ['getClients.wr', { sidtoken: 'wrong' }, '8ae0c42960e5efde'],
  ['other.wr', {}, 'cf9f6523609038b1'],
];

describe('without variants and faults', () => {
  test.for([{}, { variants: [], faults: [], tokens: {} }])(
    'the answers are what they were before there were any, to the byte',
    async (options) => {
      const simulator = await start(options);
      for (const [operation, query, digest] of QUESTIONS) {
        const { text, end, headers } = await askRaw(simulator, operation, { sidtoken, ...query });
        const name = `${operation} ${JSON.stringify(query)}`;
        expect(createHash('sha256').update(text).digest('hex').slice(0, 16), name).toBe(digest);
        expect(end).toBe('whole');
        expect(headers['content-type']).toBe('application/json; charset=utf-8');
      }
      expect(simulator.journal.map(({ spoiltBy }) => spoiltBy)).toEqual(QUESTIONS.map(() => undefined));
    },
  );
});

describe('the catalogue', () => {
  /** Two walks and two days. */
  const script: readonly Question[] = [
    ...[1, 2].flatMap(() => walkOf('100', 4)),
    ...['17', '18'].map((day) => summaryOf(`11-${day}-2026`)),
  ];

  function walkOf(limit: string, pages: number): Question[] {
    const query = { limit, balance: 'true' };
    const later = Array.from({ length: pages - 1 }, (_, index) => ({ ...query, page: String(index + 2) }));
    return [query, ...later].map((each) => ['getClients.wr', each]);
  }

  function summaryOf(date: string): Question {
    return ['campaignSummary.wr', { startdate: date, enddate: date }];
  }

  async function transcriptOf(simulator: Simulator): Promise<string[]> {
    const lines: string[] = [];
    for (const [operation, query] of script) {
      const { status, text, end } = await askRaw(simulator, operation, { sidtoken, ...query });
      lines.push(`${status} ${end} ${text}`);
    }
    return lines;
  }

  test('every variant but the slow one changes an answer by itself, and no other path', async () => {
    const plain = await transcriptOf(await start());
    const same: VariantName[] = [];
    for (const name of variantNames) {
      const simulator = await start({ variants: [name] });
      const transcript = await transcriptOf(simulator);
      if (transcript.every((line, index) => line === plain[index])) same.push(name);
      expect(await askRaw(simulator, 'other.wr', { sidtoken }), name).toMatchObject({ status: 404 });
    }
    expect(same).toEqual(['slow']);
  });

  test('remembers nothing from one simulator to the next', async () => {
    const twice = [];
    for (let turn = 0; turn < 2; turn += 1) {
      const variants: VariantName[] = ['row-removed-once', 'token-expires', 'body-cut'];
      twice.push(await transcriptOf(await start({ variants })));
    }
    expect(twice[1]).toEqual(twice[0]);
  });

  test('has kebab-case names, each with what it does', () => {
    expect(variantNames.length).toBeGreaterThan(50);
    for (const name of variantNames) {
      expect(name).toMatch(/^[a-z]+(-[a-z0-9]+)*$/);
      expect(describeVariant(name)).toMatch(/^.{15,130}$/);
      expect(isVariantName(name)).toBe(true);
    }
    for (const name of ['', 'Slow', 'toString', 'constructor']) expect(isVariantName(name)).toBe(false);
  });
});
