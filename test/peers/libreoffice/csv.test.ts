import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { csvText, row } from '../../digest/figures.ts';
import { callsheet } from '../../support/callsheet.ts';
import { openWorld } from '../../support/world.ts';
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
        row({ typical: null }),
      ],
      { extraFields: ['cost'] },
      style,
    );
    const [header, first, second, ...rest] = await openInCalc(csv, opening);
    expect(rest.flat().filter(({ type }) => type !== null)).toEqual([]);
    expect(header!.map(({ value }) => value)).toEqual([
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
      'cost',
    ]);
    const cells = Object.fromEntries(header!.map(({ value }, index) => [value, first![index]]));
    expect(first).toHaveLength(header!.length);
    expect(cells.day).toEqual({ type: 'date', value: '2026-11-19', formula: null });
    expect(cells.campaign).toEqual({ type: 'string', value: campaign, formula: null });
    expect(cells.attempts).toEqual({ type: 'float', value: '9007199254740991', formula: null });
    expect(cells.connect_rate).toEqual({ type: 'float', value: '0.25', formula: null });
    expect(cells.cost).toEqual({ type: 'float', value: '-12.5', formula: null });
    expect(second![11]).toEqual({ type: null, value: '', formula: null });
  });

  it('has no live formula, whichever separators it is opened with', async () => {
    const csv = await csvText(
      hostile.map((campaign) => row({ campaign, label: campaign, extra: { note: campaign } })),
      { extraFields: ['note'] },
      style,
    );
    const openings: Opening[] = [
      commas.opening,
      semicolons.opening,
      { separators: [',', ';', '\t'], language: 'en-US' },
    ];
    for (const each of openings) {
      const cells = (await openInCalc(csv, each)).flat();
      expect(cells.length).toBeGreaterThan(hostile.length);
      expect(live(cells), each.separators.join(' ')).toEqual([]);
    }
  });
});

it('the CSV of a night has every campaign of its day in LibreOffice', async () => {
  const world = await openWorld();
  onTestFinished(() => world.close());
  const digests = path.join(world.folder, 'digests.json');
  await writeFile(
    digests,
    JSON.stringify([{ name: 'Campaigns', to: 'ana@example.com', csv: semicolons.style }]),
  );
  const { DIGEST_TO: _, ...others } = world.environment;
  const environment = { ...others, DIGESTS_FILE: digests };
  expect(await callsheet(['run'], environment)).toMatchObject({ code: 0 });
  const [{ day }] = (await world.query<{ day: string }>(
    'select max(day)::text as day from etl.campaign_days',
  )) as [{ day: string }];
  const preview = path.join(world.folder, 'preview');
  const made = await callsheet(['digest', '--day', day, '--preview', preview], environment);
  expect(made).toMatchObject({ code: 0 });
  const [file] = (await readdir(preview)).filter((name) => name.endsWith('.csv'));
  const csv = await readFile(path.join(preview, file!), 'utf8');
  const [header, ...lines] = await openInCalc(csv, semicolons.opening);
  const column = (name: string) => header!.findIndex(({ value }) => value === name);
  const rows = lines.filter((cells) => cells[0]!.type !== null);
  const stored = await world.query<{ id: string; attempts: string | null; campaign: string | null }>(
    `select callset_id::text as id, attempts::text, campaign from etl.campaign_days where day = $1`,
    [day],
  );
  const byId = (one: { id: string }, other: { id: string }) => Number(one.id) - Number(other.id);
  expect(
    rows
      .map((cells) => ({
        id: cells[column('callset_id')]!.value,
        attempts: cells[column('attempts')]!.value,
        // Names that would be formulas have an apostrophe before them.
        campaign: cells[column('campaign')]!.value.replace(/^'(?=[=+@-])/, ''),
      }))
      .sort(byId),
  ).toEqual(stored.sort(byId));
  expect(new Set(rows.map((cells) => cells[column('day')]!.type))).toEqual(new Set(['date']));
});

const live = (cells: readonly Cell[]) => cells.filter(({ formula }) => formula !== null);
