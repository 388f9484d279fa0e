import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { formatTable } from '../../src/cli/table.ts';
import { compareDay } from '../../src/planning/compare-day.ts';
import type { ClientPage } from '../../src/service/operations.ts';
import { createWalkProof } from '../../src/service/paging/walk-proof.ts';
import { examineEnvelope } from '../../src/service/response/envelope.ts';
import { serviceResponse } from '../support/service-response.ts';
import { collidingIds, parseCampaigns } from './bodies.ts';
import { countingSteps } from './counting-steps.ts';

const ids = collidingIds(800);

function parseAndCompare(count: number): void {
  const records = ids.slice(0, count).map((callsetid) => ({ callsetid, attempts: 1 }));
  const { content } = parseCampaigns(JSON.stringify({ result: records }));
  expect(content.records).toHaveLength(count);
  const current = content.records.map((record) => ({ ...record, attempts: 2, withdrawn: false }));
  expect(compareDay(current, content.records, true).restatements).toHaveLength(count);
}

function proveWalk(count: number): void {
  const records = ids.slice(0, count).map((clientId) => ({ clientId }));
  const page = { page: 1, pages: 1, rows: count, counts: {}, records, response: serviceResponse() };
  const proof = createWalkProof(page as unknown as ClientPage, { limit: count, lastPage: 1 });
  expect(proof.ids.size).toBe(count);
}

describe('ids that are chosen to collide in a set', () => {
  it.each([
    ['campaigns', parseAndCompare],
    ['clients', proveWalk],
  ])('of %s take twice the steps for twice as many', (_, work) => {
    fc.assert(
      fc.property(fc.integer({ min: 20, max: 400 }), (count) => {
        const one = countingSteps(() => work(count));
        const two = countingSteps(() => work(count * 2));
        expect(two / one).toBeLessThan(2.1);
      }),
      { numRuns: 20 },
    );
  });

  it('take the square of it where they are keys themselves', () => {
    const steps = (count: number) => countingSteps(() => new Set(ids.slice(0, count)));
    expect(steps(800) / steps(400)).toBeGreaterThan(3.5);
  });
});

describe('many of a kind', () => {
  it('records that cannot be read are all in quarantine', () => {
    const { content } = parseCampaigns(`{"result":[${'0,'.repeat(99_998)}0]}`);
    expect(content.rejects).toHaveLength(99_999);
  });

  it('values of one id are all in quarantine', () => {
    const records = Array.from({ length: 99_999 }, (_, attempts) => `{"callsetid":1,"attempts":${attempts}}`);
    const { content } = parseCampaigns(`{"result":[${records}]}`);
    expect(content.rejects).toHaveLength(99_999);
  });

  it('values of an envelope are examined up to a thousand, by the beginnings of their names', () => {
    const errors = { ['error'.repeat(100_000)]: Array.from({ length: 100_000 }, () => 1) };
    const text = examineEnvelope({ ...errors, result: [] }).problem!.text;
    expect(text.length).toBeLessThan(1_000 * 210);
  });

  it('rows of a table are not as wide as the longest of their cells', () => {
    const rows = [
      { name: 'x'.repeat(100_000), id: 1 },
      ...Array.from({ length: 1_000 }, () => ({ name: 'y', id: 2 })),
    ];
    expect(formatTable(rows, ['name', 'id']).length).toBeLessThan(100_000 + 1_001 * 100);
  });
});

/** Each would take hours where some step is the square of its length. */
const bodies = [
  ['zeros within a number', `'[0.1' + '0'.repeat(4e6) + '1]'`],
  ['zeros in many rows', `'[0.' + '0001'.repeat(1e6) + ']'`],
  ['numbers that are too long', `'[' + '12345678901234567890,'.repeat(2e5) + '1]'`],
  ['spaces behind a number', `'[12345678901234567890' + ' '.repeat(8e6) + ']'`],
  ['an address without an end', `'{"result":[],"message":"' + '/'.repeat(4e6) + ' x"}'`],
  ['quotes in a text', `'{"result":[],"message":"' + '\\\\"'.repeat(2e6) + '"}'`],
  ['parameters without an end', `'{"result":[],"message":"' + 'sidtoken='.repeat(5e5) + '"}'`],
  ['errors under a long name', `'{"result":[],"error' + 'r'.repeat(2e6) + '":[' + '1,'.repeat(4e5) + '1]}'`],
  ['empty lists', `'{"result":[' + '[],'.repeat(9e4) + '[]]}'`],
  [
    'one id',
    `'{"result":[' + '{"callsetid":1,"attempts":1},{"callsetid":1,"attempts":2},'.repeat(4e4) + '0]}'`,
  ],
] as const;

it.each(bodies)('SIGTERM is heard while a response has %s', async (_, body) => {
  const code = `
    import { parseCampaigns } from './test/security/bodies.ts';
    process.on('SIGTERM', () => process.exit(143));
    const body = ${body};
    const parse = () => {
      try { parseCampaigns(body); } catch (error) { if (error.code !== 'INVALID_RESPONSE') throw error; }
      setImmediate(parse);
    };
    process.send('begun', parse);
  `;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', code], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child, 'message');
  child.kill('SIGTERM');
  // The test's own time limit ends it otherwise.
  const [exitCode, signal] = await once(child, 'exit');
  expect({ exitCode, signal }).toEqual({ exitCode: 143, signal: null });
});
