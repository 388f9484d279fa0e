import { parse } from 'csv-parse/sync';
import { describe, expect, test } from 'vitest';
import { digestCsv } from '../../../src/digest/render/csv.ts';
import { commas, csvText, row } from '../figures.ts';

const header = [
  'account',
  'account_label',
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
  'status',
];
type Line = { readonly [column: string]: string };
const read = (csv: string): Line[] => parse<Line>(csv, { bom: true, columns: true });
const cells = (csv: string): string[][] => parse(csv, { bom: true });

describe('the CSV of a digest', () => {
  test('begins with a BOM and ends each line by CRLF', async () => {
    const csv = await csvText([row(), row()]);
    expect(csv.startsWith('\uFEFF"account",')).toBe(true);
    expect(csv.endsWith('\r\n')).toBe(true);
    expect(csv.split('\r\n')).toHaveLength(4);
    expect(csv.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
  });

  test('has its header alone where there is no row', async () => {
    expect(cells(await csvText([]))).toEqual([header]);
  });

  test('quotes every text, and leaves every number a number', async () => {
    const [, line] = (await csvText([row()])).split('\r\n');
    expect(line).toBe(
      '"north","North office",17,"2026-11-19",4711,"Spring renewals",200,20,100,50,0.5,0.25,"loaded"',
    );
  });

  test('has all that is known of a row, under the column names of the contract', async () => {
    const csv = await csvText([row({ campaign: 'Ñandú, “été” 🎉', attempts: 2 ** 53 - 1, connects: 0 })]);
    expect(cells(csv)[0]).toEqual(header);
    expect(read(csv)).toEqual([
      {
        account: 'north',
        account_label: 'North office',
        client_id: '17',
        day: '2026-11-19',
        callset_id: '4711',
        campaign: 'Ñandú, “été” 🎉',
        attempts: '9007199254740991',
        busies: '20',
        connects: '0',
        live_answers: '50',
        connect_rate: '0',
        live_answer_rate: '0',
        status: 'loaded',
      },
    ]);
  });

  test('leaves a cell empty for what the service didn’t report', async () => {
    const unknown = { clientId: null, campaign: null, busies: null, connects: null, liveAnswers: null };
    const [, line] = (await csvText([row(unknown)])).split('\r\n');
    expect(line).toBe('"north","North office",,"2026-11-19",4711,,200,,,,,,"loaded"');
  });

  test('has no rate where there were no attempts, or their number isn’t known', async () => {
    for (const attempts of [0, null]) {
      const [line] = read(await csvText([row({ attempts })]));
      expect(line).toMatchObject({ connect_rate: '', live_answer_rate: '', connects: '100' });
    }
  });

  test('rounds rates to four places', async () => {
    const [line] = read(await csvText([row({ attempts: 3, connects: 2, liveAnswers: 1 })]));
    expect(line).toMatchObject({ connect_rate: '0.6667', live_answer_rate: '0.3333' });
  });

  test('defuses each cell that a spreadsheet would take for a formula', async () => {
    const before = [
      '',
      ' ',
      '\t',
      '\r',
      '\n',
      '\u00a0',
      ' \t\n',
      '\n\n',
      '\r\n',
      '\u200b',
      '\0',
      '\ufeff',
      '"',
    ];
    for (const start of [...before, 'a;', 'a,', 'a\t', 'a\r', 'a\n', 'a; ', 'a;"', '5,;']) {
      for (const sign of ['=', '+', '-', '@', '＝', '＋', '－', '＠']) {
        const formula = '1+HYPERLINK("http://x";"y")';
        const [line] = read(await csvText([row({ campaign: `${start}${sign}${formula}` })]));
        expect(line!.campaign, JSON.stringify(start + sign)).toBe(`${start}'${sign}${formula}`);
      }
    }
  });

  test('separates its cells and writes its numbers as the digest says', async () => {
    const extra = { cost: -12.5, note: '1.5' };
    const csv = await csvText([row({ extra })], ['cost', 'note'], { separator: ';', decimal: ',' });
    expect(csv.split('\r\n')[1]).toBe(
      '"north";"North office";17;"2026-11-19";4711;"Spring renewals";200;20;100;50;0,5;0,25;"loaded";-12,5;"1.5"',
    );
  });

  test('has a column for each further field in the settings, by its own name, whatever its type', async () => {
    const extra = { cost: -12.5, note: '=1+1', flags: ['a', 1], paid: true, status: 'mine', nothing: null };
    const fields = ['cost', 'note', 'flags', 'paid', 'status', 'nothing', 'absent'];
    const csv = await csvText([row({ extra })], fields);
    const [head, line] = cells(csv);
    expect(head!.slice(header.length)).toEqual([
      'cost',
      'note',
      'flags',
      'paid',
      'extra_status',
      'nothing',
      'absent',
    ]);
    expect(line!.slice(header.length)).toEqual(['-12.5', "'=1+1", '["a",1]', 'true', 'mine', '', '']);
    expect(csv).toContain(',-12.5,"');
  });

  test('says of each row whether it is provisional or was restated', async () => {
    const rows = (['provisional', 'restated'] as const).map((status) => row({ status }));
    expect(read(await csvText(rows)).map((line) => line.status)).toEqual(['provisional', 'restated']);
  });

  test('has a campaign’s name in full, even of 10,000 letters', async () => {
    const campaign = 'x'.repeat(10_000);
    expect(read(await csvText([row({ campaign })]))[0]!.campaign).toBe(campaign);
  });

  test('reads its rows no further ahead than it is read itself', async () => {
    let taken = 0;
    const endless = async function* () {
      for (;;) {
        taken++;
        yield row();
      }
    };
    const csv = digestCsv(endless(), { extraFields: [], csv: commas });
    for await (const _ of csv) break;
    expect(taken).toBeLessThan(2_000);
  });

  test.each([
    [0, [1]],
    [499, [1, 499]],
    [500, [1, 500]],
    [1_001, [1, 500, 500, 1]],
  ])('is written some hundred lines at once: %i rows', async (count, expected) => {
    const rows = Array.from({ length: count }, (_, callsetId) => row({ callsetId }));
    const pieces = await Array.fromAsync(digestCsv(rows, { extraFields: [], csv: commas }), String);
    expect(pieces.map((piece) => piece.split('\r\n').length - 1)).toEqual(expected);
    expect(read(pieces.join('')).map((line) => Number(line.callset_id))).toEqual([...Array(count).keys()]);
  });

  test('fails where its rows do', async () => {
    const broken = async function* () {
      yield row();
      throw new Error('the cursor broke');
    };
    await expect(csvText(broken())).rejects.toThrow('the cursor broke');
  });

  test('leaves harmless names as they are', async () => {
    const names = [
      'a=b',
      '1-2',
      'Tom & Jerry',
      'a; b, c',
      'a-b;c=d',
      ' leading space',
      "'quoted",
      'a;b',
      '',
      'ſ',
      '"',
    ];
    for (const campaign of names) {
      expect(read(await csvText([row({ campaign })]))[0]!.campaign, campaign).toBe(campaign);
    }
  });
});
