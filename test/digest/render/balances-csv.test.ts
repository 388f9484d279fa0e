import { buffer } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { balancesCsv } from '../../../src/digest/render/balances-csv.ts';
import { commas } from '../figures.ts';

const north = { account: 'north', label: 'North office' };

async function* clients() {
  yield { ...north, clientId: 17, name: 'Grove Dental', balance: '-3.50' };
  yield { ...north, label: 'Coast; “é”', clientId: 18, name: '=1+1', balance: '11.375' };
}

test.each([
  [
    'commas',
    commas,
    '"north","North office",17,"Grove Dental",-3.5\r\n"north","Coast; “é”",18,"\'=1+1",11.375\r\n',
  ],
  [
    'semicolons',
    { separator: ';', decimal: ',' } as const,
    '"north";"North office";17;"Grove Dental";-3,5\r\n"north";"Coast; “é”";18;"\'=1+1";11,375\r\n',
  ],
])('the CSV of balances has a line for each client, with %s as the digest says', async (_, style, lines) => {
  const header = ['account', 'account_label', 'client_id', 'client', 'balance'].map((name) => `"${name}"`);
  const csv = await buffer(balancesCsv(clients(), style));
  expect(csv.toString()).toBe(`\ufeff${header.join(style.separator)}\r\n${lines}`);
});

test('a piece of it is as long as its bytes, by which attachments are bounded', async () => {
  const pieces = await Array.fromAsync(balancesCsv(clients(), commas));
  expect(pieces.every((piece) => Buffer.isBuffer(piece))).toBe(true);
});
