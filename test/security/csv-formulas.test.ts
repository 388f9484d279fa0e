import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { formatRows } from '../../src/cli/table.ts';
import { csvText, row } from '../digest/figures.ts';

// OWASP, "CSV Injection": what begins a formula, and that a separator or a quote inside a cell may begin a cell.
const signs = '-=+@＝＋－＠';
const startsFormula = new RegExp(`^[\\s\\p{C}"]*[${signs}]`, 'u');

const styles = [
  { separator: ',', decimal: '.' },
  { separator: ';', decimal: ',' },
  { separator: '\t', decimal: ',' },
];

const part = fc.oneof(
  fc.constantFrom(...signs, ' ', '\t', '\r', '\n', ';', ',', '"', '""', "'", '\u200b', '\0', '1+1', 'a'),
  fc.string({ unit: 'grapheme', maxLength: 3 }),
);
const name = fc.array(part, { maxLength: 8 }).map((parts) => parts.join(''));

/** Expects no cell to begin like a formula, whichever separator a spreadsheet splits at: quotes mean nothing then. */
function expectNoFormula(csv: string): void {
  for (const piece of csv.replace('\ufeff', '').split(/[;,\t\r\n]/)) expect(piece).not.toMatch(startsFormula);
}

/** Whether `written` is `text` with apostrophes put in, and nothing else. */
function isLegible(text: string, written: string): boolean {
  let position = 0;
  for (const sign of written) {
    if (text.startsWith(sign, position)) position += sign.length;
    else if (sign !== "'") return false;
  }
  return position === text.length;
}

it('whatever the service calls a campaign, the CSV of a digest holds no formula, and the name reads back', async () => {
  await fc.assert(
    fc.asyncProperty(name, fc.constantFrom(...styles), async (campaign, style) => {
      const given = [row({ campaign, extra: { note: campaign } })];
      const csv = await csvText(given, { extraFields: [{ field: 'note', isNumeric: false }] }, style);
      expectNoFormula(csv);
      const [line] = parse<Record<string, string>>(csv, {
        bom: true,
        columns: true,
        delimiter: style.separator,
      });
      expect([isLegible(campaign, line!.campaign!), isLegible(campaign, line!.note!)]).toEqual([true, true]);
      expect(line!.attempts).toBe('200');
    }),
    { numRuns: 1_000 },
  );
});

it('the CSV that a command prints holds no formula', () => {
  fc.assert(
    fc.property(name, (clientname) => {
      const csv = formatRows([{ id: 1, clientname }], ['id', 'clientname'], 'csv', false);
      expectNoFormula(csv);
      expect(isLegible(clientname, parse(csv)[1]![1]!)).toBe(true);
    }),
    { numRuns: 1_000 },
  );
});
