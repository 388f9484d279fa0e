import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatRows } from '../../src/cli/table.ts';
import { csvText, row } from '../digest/figures.ts';

// OWASP, "CSV Injection": what begins a formula, and that a separator or a quote inside a cell may begin a cell.
const signs = '-=+@＝＋－＠';
const startsFormula = new RegExp(`^[\\s\\p{C}"]*[${signs}]`, 'u');

const styles = [
  { separator: ',', decimal: '.' },
  { separator: ';', decimal: ',' },
  { separator: ';', decimal: '.' },
  { separator: '\t', decimal: ',' },
];

const part = fc.oneof(
  fc.constantFrom(...signs, ' ', '\t', '\r', '\n', ';', ',', '"', '""', "'", '\u200b', '\0', '1+1', 'a'),
  fc.string({ unit: 'grapheme', maxLength: 3 }),
);
const name = fc.array(part, { maxLength: 8 }).map((parts) => parts.join(''));

/** What a spreadsheet may make of a text that it splits at another separator: quotes there mean nothing. */
const piecesOf = (csv: string) => csv.replace('\ufeff', '').split(/[;,\t\r\n]/);

/** Whether `written` is `text` with apostrophes put in, and nothing else. */
function isLegible(text: string, written: string): boolean {
  let position = 0;
  for (const sign of written) {
    if (text.startsWith(sign, position)) position += sign.length;
    else if (sign !== "'") return false;
  }
  return position === text.length;
}

describe('whatever the service calls a campaign', () => {
  it('no spreadsheet finds a formula in the CSV, whichever separator it splits at', async () => {
    await fc.assert(
      fc.asyncProperty(name, name, fc.constantFrom(...styles), async (account, campaign, style) => {
        const csv = await csvText(
          [row({ account, campaign, extra: { note: campaign } })],
          { extraFields: ['note'] },
          style,
        );
        for (const piece of piecesOf(csv)) expect(piece).not.toMatch(startsFormula);
      }),
      { numRuns: 2_000 },
    );
  });

  it('the CSV reads back by its own separator, each name legible, each number a number', async () => {
    await fc.assert(
      fc.asyncProperty(name, fc.constantFrom(...styles), async (campaign, style) => {
        const csv = await csvText(
          [row({ campaign, extra: { cost: -0.5 } })],
          { extraFields: ['cost'] },
          style,
        );
        const [line] = parse<Record<string, string>>(csv, {
          bom: true,
          columns: true,
          delimiter: style.separator,
        });
        expect(isLegible(campaign, line!.campaign!)).toBe(true);
        expect([line!.attempts, line!.connect_rate, line!.cost]).toEqual([
          '200',
          `0${style.decimal}5`,
          `-0${style.decimal}5`,
        ]);
      }),
      { numRuns: 1_000 },
    );
  });

  it('the CSV that a command prints holds no formula, either', () => {
    fc.assert(
      fc.property(name, (clientname) => {
        const csv = formatRows([{ id: 1, clientname }], ['id', 'clientname'], 'csv');
        for (const piece of piecesOf(csv)) expect(piece).not.toMatch(startsFormula);
        expect(isLegible(clientname, parse(csv)[1]![1]!)).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });
});

it('a formula behind a semicolon is text in a spreadsheet that separates by semicolons', async () => {
  const csv = await csvText([row({ campaign: 'x;=1+1;y' })]);
  expect(csv).toContain(`,"x;'=1+1;y",`);
});
