import { parse } from 'csv-parse/sync';
import { describe, expect, test } from 'vitest';
import { takeCsv } from '../../../src/digest/render/csv.ts';
import type { ExtraColumn } from '../../../src/model/digest.ts';
import { readDocument } from '../../support/documents.ts';
import { commas, csvText, row } from '../figures.ts';

type Line = { readonly [column: string]: string };
const numeric = (field: string) => ({ field, isNumeric: true });
const textual = (field: string) => ({ field, isNumeric: false });
const read = (csv: string): Line[] => parse<Line>(csv, { bom: true, columns: true });
const headerOf = (csv: string): string[] => parse(csv, { bom: true })[0]!;

describe('the CSV of a digest', () => {
  test('begins with a BOM, quotes every text, leaves every number a number, and ends each line by CRLF', async () => {
    expect(await csvText([row({ campaign: 'Ñandú, “été” 🎉', attempts: 2 ** 53 - 1, connects: 0 })])).toBe(
      '\ufeff"account","account_label","day","callset_id","campaign","attempts","busies","connects","live_answers",' +
        '"connect_rate","live_answer_rate","status"\r\n' +
        '"north","North office","2026-11-19",4711,"Ñandú, “été” 🎉",9007199254740991,20,0,50,0,0,"loaded"\r\n',
    );
  });

  test('has the columns that docs/digest.md explains, in that order', async () => {
    const [, section] = /^## The CSV$([\s\S]*?)^## /m.exec(readDocument('docs/digest.md'))!;
    const cells = [...section!.matchAll(/^\| (`.*?) \|/gm)].flatMap(([, cell]) => cell!.match(/\w+/g)!);
    expect(headerOf(await csvText([row()]))).toEqual(cells);
  });

  test('leaves a cell empty for what the service didn’t report', async () => {
    const unknown = { campaign: null, busies: null, connects: null, liveAnswers: null };
    const [, line] = (await csvText([row(unknown)])).split('\r\n');
    expect(line).toBe('"north","North office","2026-11-19",4711,,200,,,,,,"loaded"');
  });

  test.each([
    [{ attempts: 0 }, ''],
    [{ attempts: null }, ''],
    [{ attempts: 3, connects: 2 }, '0.6667'],
  ])(
    'has of %j the connect rate %j: four places, and none where there is nothing to divide by',
    async (part, rate) => {
      expect(read(await csvText([row(part)]))[0]!.connect_rate).toBe(rate);
    },
  );

  test.each(['=', '+', '-', '@', '＝', '＋', '－', '＠'])(
    'defuses a cell that begins with %s, as a spreadsheet sees its beginning',
    async (sign) => {
      const blanks = ['', ' ', '\t', '\r', '\n', '\u00a0', '\r\n', '\u200b', '\0', '\ufeff', '"'];
      for (const start of [...blanks, 'a;', 'a,', 'a\t', 'a\r', 'a\n', 'a; ', 'a;"', '5,;']) {
        const formula = '1+HYPERLINK("http://x";"y")';
        const [line] = read(await csvText([row({ campaign: `${start}${sign}${formula}` })]));
        expect(line!.campaign, JSON.stringify(start + sign)).toBe(`${start}'${sign}${formula}`);
      }
    },
  );

  test.each([
    ['Smith &amp; Sons', 'Smith & Sons'],
    ['&#61;1+1', "'=1+1"],
  ])('shows %s as its author typed it, defused', async (campaign, shown) => {
    expect(read(await csvText([row({ campaign })]))[0]!.campaign).toBe(shown);
  });

  test.each(['1-2', 'Tom & Jerry', 'a; b, c', 'a-b;c=d', ' leading', "'quoted", '', '"', 'x'.repeat(10_000)])(
    'leaves the harmless name %j as it is, however long',
    async (campaign) => {
      expect(read(await csvText([row({ campaign })]))[0]!.campaign).toBe(campaign);
    },
  );

  test('separates its cells and writes its numbers as the digest says', async () => {
    const extra = { cost: -12.5, note: '1.5' };
    const style = { separator: ';', decimal: ',' };
    const csv = await csvText([row({ extra })], { extraFields: [numeric('cost'), textual('note')] }, style);
    expect(csv.split('\r\n')[1]).toMatch(/^"north";.*;200;20;100;50;0,5;0,25;"loaded";-12,5;"1\.5"$/);
  });

  test('writes the numbers of a further field alike, whether they came as numbers or as texts', async () => {
    const rows = [5_298.8, '68.26', null].map((cost) => row({ extra: { cost } }));
    const style = { separator: ';', decimal: ',' };
    const cells = async (column: ExtraColumn) =>
      (await csvText(rows, { extraFields: [column] }, style))
        .trim()
        .split('\r\n')
        .slice(1)
        .map((line) => line.split(';').at(-1));
    expect(await cells(numeric('cost'))).toEqual(['5298,8', '68,26', '']);
    expect(await cells(textual('cost'))).toEqual(['"5298.8"', '"68.26"', '']);
  });

  test('has a column for each further field in the settings, by its own name, whatever its type', async () => {
    const extra = { cost: -12.5, note: '=1+1', flags: ['a', 1], paid: true, status: 'mine', nothing: null };
    const names = ['note', 'flags', 'paid', 'status', 'nothing', 'absent'];
    const extraFields = [numeric('cost'), ...names.map(textual)];
    const [line] = read(await csvText([row({ extra })], { extraFields }));
    expect(Object.entries(line!).slice(-7)).toEqual([
      ['cost', '-12.5'],
      ['note', "'=1+1"],
      ['flags', '["a",1]'],
      ['paid', 'true'],
      ['extra_status', 'mine'],
      ['nothing', ''],
      ['absent', ''],
    ]);
  });

  test('leaves out columns that would be empty throughout, and rates of them', async () => {
    const csv = await csvText([row()], { busies: false, liveAnswers: false });
    expect(headerOf(csv).slice(5)).toEqual(['attempts', 'connects', 'connect_rate', 'status']);
  });

  test('is written page by page until it is too large, and then says where the rest is', async () => {
    let read = 0;
    async function* endless() {
      for (;;) {
        read++;
        yield Buffer.from('a,b\r\n'.repeat(100));
      }
    }
    const { content, isWhole } = await takeCsv(endless(), 2_000, 'Ask ana@example.com for the rest.', commas);
    expect([isWhole, read, content.length < 2_000]).toEqual([false, 4, true]);
    expect(Buffer.from(content).toString()).toMatch(/a,b\r\n"Ask ana@example.com for the rest."\r\n$/);
  });
});
