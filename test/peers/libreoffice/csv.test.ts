import { describe, expect, it } from 'vitest';
import { csvText, row } from '../../digest/figures.ts';
import { type Cell, type Opening, openInCalc } from './calc.ts';

const commas = {
  style: { separator: ',', decimal: '.' },
  opening: { separators: [','], language: 'en-US' },
} as const;
const semicolons = {
  style: { separator: ';', decimal: ',' },
  opening: { separators: [';'], language: 'es-ES' },
} as const;
const locales = [
  ['commas', commas],
  ['semicolons', semicolons],
] as const;

/** What OWASP's page on CSV injection lists, and what else Calc or Excel begin a formula with. */
const starts = ['=', '+', '-', '@', '\t=', '\r=', '\n=', ' =', '＝', '＋', '－', '＠', '\u00a0=', '"=', "'="];
const formulas = ['1+1', 'HYPERLINK("http://x.example";"y")', "cmd|' /C calc'!A0"];
const hostile = starts
  .flatMap((start) => formulas.map((formula) => `${start}${formula}`))
  .flatMap((text) => [text, `x;${text};y`, `x,${text},y`, `x\t${text}\ty`, `x\n${text}\ny`, `x";${text};"y`]);

describe.each(locales)('a CSV with %s, in LibreOffice', (_, { style, opening }) => {
  it('has one column a field, dates as dates, exact counts and its accents', async () => {
    const campaign = 'Ñandú, “été”; 日本 🎉';
    const csv = await csvText(
      [
        row({ campaign, attempts: 2 ** 53 - 1, connects: 2 ** 51, extra: { cost: -12.5 } }),
        row({ busies: null }),
      ],
      { extraFields: [{ field: 'cost', isNumeric: true }] },
      style,
    );
    const [header, first, second, ...rest] = await openInCalc(csv, opening);
    expect(rest.flat().filter(({ type }) => type !== null)).toEqual([]);
    const cells = Object.fromEntries(header!.map(({ value }, index) => [value, first![index]]));
    expect(first).toHaveLength(header!.length);
    expect(cells.day).toEqual({ type: 'date', value: '2026-11-19', formula: null });
    expect(cells.campaign).toEqual({ type: 'string', value: campaign, formula: null });
    expect(cells.attempts).toEqual({ type: 'float', value: '9007199254740991', formula: null });
    expect(cells.connect_rate).toEqual({ type: 'float', value: '0.25', formula: null });
    expect(cells.cost).toEqual({ type: 'float', value: '-12.5', formula: null });
    const busies = header!.findIndex(({ value }) => value === 'busies');
    expect(second![busies]).toEqual({ type: null, value: '', formula: null });
  });

  it('has no live formula, whichever separators it is opened with', async () => {
    const csv = await csvText(
      hostile.map((campaign) => row({ campaign, label: campaign, extra: { note: campaign } })),
      { extraFields: [{ field: 'note', isNumeric: false }] },
      style,
    );
    const all: Opening = { separators: [',', ';', '\t'], language: 'en-US' };
    for (const each of [opening, all]) {
      const cells = (await openInCalc(csv, each)).flat();
      expect(cells.length).toBeGreaterThan(hostile.length);
      expect(live(cells), each.separators.join(' ')).toEqual([]);
    }
  });
});

const live = (cells: readonly Cell[]) => cells.filter(({ formula }) => formula !== null);
