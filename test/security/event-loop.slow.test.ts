import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import { formatTable } from '../../src/cli/table.ts';
import { examineEnvelope } from '../../src/service/response/envelope.ts';
import { parseCampaigns } from './bodies.ts';

describe('many of a kind', () => {
  it('records that cannot be read are all counted, up to the limit', () => {
    const { content } = parseCampaigns(`{"result":[${'0,'.repeat(99_999)}0]}`);
    expect([content.rejects.length, content.rejectCount]).toEqual([100, 100_000]);
  });

  it('values of one id are all counted', () => {
    const records = Array.from({ length: 99_999 }, (_, attempts) => `{"callsetid":1,"attempts":${attempts}}`);
    const { content } = parseCampaigns(`{"result":[${records}]}`);
    expect(content.rejectCount).toBe(99_999);
  });

  it('values of an envelope are examined up to a thousand', () => {
    const errors = { error: Array.from({ length: 100_000 }, () => 1) };
    const text = examineEnvelope({ ...errors, result: [] }).problem!.text;
    expect(text.length).toBeLessThan(1_000 * 12);
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
  ['many errors', `'{"result":[],"error":[' + '1,'.repeat(4e5) + '1]}'`],
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
