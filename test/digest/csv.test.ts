import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { digestCsv } from '../../src/digest/csv.ts';
import { row } from './figures.ts';

const header = [
  'account',
  'client_id',
  'day',
  'callset_id',
  'campaign',
  'attempts',
  'busies',
  'connects',
  'live_answers',
  'connect_rate',
  'live_answer_rate',
];
type Line = { readonly [column: string]: string };
const read = (csv: string): Line[] => parse<Line>(csv, { bom: true, columns: true });
const cells = (csv: string): string[][] => parse(csv, { bom: true });

/** What a spreadsheet takes for a formula, behind white space, too, or could split off into a cell of its own. */
const formula = /^[\s]*[=+\-@＝＋－＠]|^[\t\r\n]/;

describe('the CSV of a digest', () => {
  test('begins with a BOM and ends each line by CRLF', () => {
    const csv = digestCsv([row(), row()]);
    expect(csv.startsWith('\uFEFF"account",')).toBe(true);
    expect(csv.endsWith('\r\n')).toBe(true);
    expect(csv.split('\r\n')).toHaveLength(4);
    expect(csv.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
  });

  test('has its header alone where there is no row', () => {
    expect(cells(digestCsv([]))).toEqual([header]);
  });

  test('quotes every text, and leaves every number a number', () => {
    const [, line] = digestCsv([row()]).split('\r\n');
    expect(line).toBe('"north",17,"2026-11-19",4711,"Spring renewals",200,20,100,50,0.5,0.25');
  });

  test('says of a row all that is known of it, under the names of the contract', () => {
    const csv = digestCsv([row({ campaign: 'Ñandú, “été” 🎉', attempts: 2 ** 53 - 1, connects: 0 })]);
    expect(cells(csv)[0]).toEqual(header);
    expect(read(csv)).toEqual([
      {
        account: 'north',
        client_id: '17',
        day: '2026-11-19',
        callset_id: '4711',
        campaign: 'Ñandú, “été” 🎉',
        attempts: '9007199254740991',
        busies: '20',
        connects: '0',
        live_answers: '50',
        connect_rate: '0',
        live_answer_rate: String(50 / (2 ** 53 - 1)),
      },
    ]);
  });

  test('leaves a cell empty for what the service didn’t tell', () => {
    const unknown = { clientId: null, campaign: null, busies: null, connects: null, liveAnswers: null };
    const [, line] = digestCsv([row(unknown)]).split('\r\n');
    expect(line).toBe('"north",,"2026-11-19",4711,,200,,,,,');
  });

  test('has no rate where nothing was attempted, or where it isn’t known', () => {
    for (const attempts of [0, null]) {
      const [line] = read(digestCsv([row({ attempts })]));
      expect(line).toMatchObject({ connect_rate: '', live_answer_rate: '', connects: '100' });
    }
  });

  test('defuses each cell that a spreadsheet would take for a formula', () => {
    const starts = ['=', '+', '-', '@', '＝', '＋', '－', '＠', '\t', '\r', '\n', ' =', '\u00a0+', ' \t\n@'];
    for (const start of [...starts, '\n\n=', '   -', '\r\n=']) {
      const campaign = `${start}1+HYPERLINK("http://x";"y")`;
      const [line] = read(digestCsv([row({ campaign })]));
      expect(line!.campaign, JSON.stringify(start)).toBe(`'${campaign}`);
    }
  });

  test('leaves harmless names as they are', () => {
    const names = ['a=b', '1-2', 'Tom & Jerry', ' leading space', "'quoted", 'a;b', '', 'ſ', '"'];
    for (const campaign of names) {
      expect(read(digestCsv([row({ campaign })]))[0]!.campaign, campaign).toBe(campaign);
    }
  });
});

describe('whatever a campaign is called', () => {
  const part = fc.oneof(
    fc.constantFrom('=', '+', '-', '@', '＝', '＋', '－', '＠', ' ', '\t', '\r', '\n', ';', ',', '"', "'"),
    fc.string({ unit: 'grapheme', maxLength: 3 }),
  );
  const name = fc.array(part, { maxLength: 6 }).map((parts) => parts.join(''));

  test('its name reads back, behind an apostrophe just where it would be a formula', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(name, name), { minLength: 1, maxLength: 3 }), (names) => {
        const lines = read(digestCsv(names.map(([account, campaign]) => row({ account, campaign }))));
        const expected = (text: string) => (formula.test(text) ? `'${text}` : text);
        expect(lines.map((line) => [line.account, line.campaign])).toEqual(
          names.map((pair) => pair.map(expected)),
        );
      }),
      { numRuns: 1_000 },
    );
  });

  test('no cell begins a formula', () => {
    fc.assert(
      fc.property(name, name, (account, campaign) => {
        for (const cell of cells(digestCsv([row({ account, campaign })])).flat())
          expect(cell).not.toMatch(formula);
      }),
      { numRuns: 1_000 },
    );
  });

  test('none of it stands outside of quotes, where a semicolon would open a cell in many countries', () => {
    fc.assert(
      fc.property(name, name, (account, campaign) => {
        const [, bare] = digestCsv([row({ account, campaign })])
          .replaceAll(/"(?:[^"]|"")*"/g, '""')
          .split('\r\n');
        expect(bare).toBe('"",17,"",4711,"",200,20,100,50,0.5,0.25');
      }),
      { numRuns: 1_000 },
    );
  });
});
