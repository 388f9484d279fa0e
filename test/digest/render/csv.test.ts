import { parse } from 'csv-parse/sync';
import { describe, expect, test } from 'vitest';
import { takeCsv } from '../../../src/digest/render/csv.ts';
import { commas, csvText, row } from '../figures.ts';

const header = [
  'account',
  'account_label',
  'day',
  'callset_id',
  'campaign',
  'attempts',
  'busies',
  'connects',
  'live_answers',
  'connect_rate',
  'live_answer_rate',
  'typical_attempts',
  'attempts_change',
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
      '"north","North office","2026-11-19",4711,"Spring renewals",200,20,100,50,0.5,0.25,180,20,"loaded"',
    );
  });

  test('has all that is known of a row, under the column names of the contract', async () => {
    const csv = await csvText([row({ campaign: 'Ñandú, “été” 🎉', attempts: 2 ** 53 - 1, connects: 0 })]);
    expect(cells(csv)[0]).toEqual(header);
    expect(read(csv)).toEqual([
      {
        account: 'north',
        account_label: 'North office',
        day: '2026-11-19',
        callset_id: '4711',
        campaign: 'Ñandú, “été” 🎉',
        attempts: '9007199254740991',
        busies: '20',
        connects: '0',
        live_answers: '50',
        connect_rate: '0',
        live_answer_rate: '0',
        typical_attempts: '180',
        attempts_change: '9007199254740811',
        status: 'loaded',
      },
    ]);
  });

  test('leaves a cell empty for what the service didn’t report', async () => {
    const unknown = { campaign: null, typical: null, busies: null, connects: null, liveAnswers: null };
    const [, line] = (await csvText([row(unknown)])).split('\r\n');
    expect(line).toBe('"north","North office","2026-11-19",4711,,200,,,,,,,,"loaded"');
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
    const csv = await csvText(
      [row({ extra })],
      { extraFields: ['cost', 'note'] },
      { separator: ';', decimal: ',' },
    );
    expect(csv.split('\r\n')[1]).toBe(
      '"north";"North office";"2026-11-19";4711;"Spring renewals";200;20;100;50;0,5;0,25;180;20;"loaded";-12,5;"1.5"',
    );
  });

  test('has a column for each further field in the settings, by its own name, whatever its type', async () => {
    const extra = { cost: -12.5, note: '=1+1', flags: ['a', 1], paid: true, status: 'mine', nothing: null };
    const fields = ['cost', 'note', 'flags', 'paid', 'status', 'nothing', 'absent'];
    const csv = await csvText([row({ extra })], { extraFields: fields });
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

  test('says of each row whether it is provisional, may be low or was restated', async () => {
    const rows = (['provisional', 'short', 'restated'] as const).map((status) => row({ status }));
    expect(read(await csvText(rows)).map((line) => line.status)).toEqual([
      'provisional',
      'short',
      'restated',
    ]);
  });

  test('has a campaign’s name in full, even of 10,000 letters', async () => {
    const campaign = 'x'.repeat(10_000);
    expect(read(await csvText([row({ campaign })]))[0]!.campaign).toBe(campaign);
  });

  test('leaves out columns that would be empty throughout, and rates of them', async () => {
    const csv = await csvText([row()], { busies: false, liveAnswers: false, typical: false });
    expect(cells(csv)[0]).toEqual([
      'account',
      'account_label',
      'day',
      'callset_id',
      'campaign',
      'attempts',
      'connects',
      'connect_rate',
      'status',
    ]);
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
    async function* small() {
      yield Buffer.from('a\r\n');
    }
    expect(await takeCsv(small(), 2_000, 'x', commas)).toEqual({
      content: Buffer.from('a\r\n'),
      isWhole: true,
    });
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
