import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { rounds } from '../../support/rounds.ts';
import { csvText, row } from '../figures.ts';

const read = (csv: string) => parse<{ readonly [column: string]: string }>(csv, { bom: true, columns: true });

/** A text as it is in the file: an apostrophe before each sign that would begin a formula. */
function defused(text: string): string {
  let written = '';
  let canBegin = true;
  for (const sign of text) {
    if (canBegin && /[=+\-@＝＋－＠]/u.test(sign)) written += "'";
    canBegin = /[;,\t\r\n]/.test(sign) || (canBegin && /[\s\p{C}"]/u.test(sign));
    written += sign;
  }
  return written;
}

describe('whatever a campaign is called', () => {
  const part = fc.oneof(
    fc.constantFrom('=', '+', '-', '@', '＝', '＋', '－', '＠', ' ', '\t', '\r', '\n', ';', ',', '"', "'"),
    fc.string({ unit: 'grapheme', maxLength: 3 }),
  );
  const name = fc.array(part, { maxLength: 6 }).map((parts) => parts.join(''));

  test('its name reads back, with an apostrophe just where it would be a formula', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(name, name), { minLength: 1, maxLength: 3 }), async (names) => {
        const lines = read(await csvText(names.map(([account, campaign]) => row({ account, campaign }))));
        expect(lines.map((line) => [line.account, line.campaign])).toEqual(
          names.map((pair) => pair.map(defused)),
        );
      }),
      { numRuns: rounds(1_000) },
    );
  });

  test('none of it is outside of quotes, where a semicolon would open a cell in many countries', async () => {
    await fc.assert(
      fc.asyncProperty(name, name, async (account, campaign) => {
        const [, bare] = (await csvText([row({ account, campaign })]))
          .replaceAll(/"(?:[^"]|"")*"/g, '""')
          .split('\r\n');
        expect(bare).toBe('"","","",4711,"",200,20,100,50,0.5,0.25,180,20,""');
      }),
      { numRuns: rounds(1_000) },
    );
  });
});
