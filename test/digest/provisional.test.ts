import { describe, expect, test } from 'vitest';
import type { Block, Line } from '../../src/digest/blocks.ts';
import type { Anomaly, AnomalyCode } from '../../src/model/anomaly.ts';
import { periodOf } from '../../src/model/period.ts';
import {
  anomalies,
  contentOf,
  doubted,
  figures,
  type Given,
  periodFigures,
  totalsOf,
  typical,
} from './figures.ts';

/* What a mail says of figures that aren't confirmed yet. */

const today = '2026-11-19';
const contentWith = (part: Given) => {
  const { blocks, ...mail } = contentOf(figures(part));
  const of = <Kind extends Block['kind']>(kind: Kind) =>
    blocks.filter((block): block is Extract<Block, { kind: Kind }> => block.kind === kind);
  const lineOf = (tone: Line['tone']) => of('line').find((line) => line.tone === tone)?.text ?? null;
  return {
    ...mail,
    notes: of('note'),
    items: of('item'),
    tiles: of('tiles').flatMap(({ tiles }) => tiles),
    tables: of('table').map(({ table }) => table),
    headline: lineOf('lead'),
    pointer: lineOf('pointer'),
    compared: lineOf('quiet'),
  };
};
const failed = { ...totalsOf('Coast', 0), state: 'missing' as const, campaigns: 0 };
const noCalls = 'no calls, on a weekday that usually has some';
const follows = 'If they change, tomorrow at the earliest, a corrected mail follows.';
const restFollows = 'Once the service sends the rest, tomorrow at the earliest, a corrected mail follows.';

/** So many confirmed accounts, which made 10% more than usual, and two provisional ones; all usually make 38,000. */
function accountsOf(confirmed: number, usualOfBoth: number): Required<Pick<Given, 'accounts' | 'typical'>> {
  const names = Array.from({ length: confirmed }, (_, index) => `Branch ${index + 1}`);
  const usual = (38_000 - usualOfBoth) / confirmed;
  return {
    accounts: [
      ...names.map((name) => totalsOf(name, 1.1 * usual)),
      ...['Island', 'Valley'].map((name) => ({ ...totalsOf(name, 0), ...doubted(anomalies.no_calls) })),
    ],
    typical: [
      ...names.map((name) => typical(name, usual)),
      ...['Island', 'Valley'].map((name) => typical(name, usualOfBoth / 2)),
    ],
  };
}

describe('where provisional accounts usually make less than 5% of the attempts, a digest', () => {
  const content = contentWith(accountsOf(38, 1_140));

  test('has no mark, neither in its subject nor before its figures', () => {
    expect(content.subject).toBe('Campaigns, Thu 19 Nov: 50.0% connected, 40,546 attempts');
    expect(content.notes).toEqual([]);
    expect(content.items).toEqual([]);
  });

  test('has the change of the others, and names those that are left out', () => {
    expect(content.tiles.map(({ title, change }) => [title, change])).toEqual([
      ['Connect rate', null],
      ['Attempts', null],
      ['Live answers', null],
    ]);
    expect(content.headline).toMatch(
      /^Without Island and Valley, 10% more attempts than on a typical Thursday \(\+3,686\)/,
    );
    expect(content.compared).toBe(
      'Without Island and Valley (provisional): 40,546 attempts (+10% vs a typical Thursday), 50.0% connected (no change).',
    );
  });

  test('marks them in the table of accounts', () => {
    const { tables } = contentWith(accountsOf(1, 1_140));
    expect(tables.at(-1)!.rows.map(({ title, under }) => [title, under])).toEqual([
      ['Branch 1', null],
      ['Island', 'provisional'],
      ['Valley', 'provisional'],
    ]);
  });

  test('is not marked where a new account is missing, too, and says so', () => {
    const given = accountsOf(38, 1_140);
    const { subject, compared } = contentWith({ ...given, name: 'M', accounts: [...given.accounts, failed] });
    expect(subject).toBe('M, Thu 19 Nov: 50.0% connected, 40,546 attempts');
    expect(compared).toMatch(/^Without Island and Valley \(provisional\) and Coast \(not loaded\): 40,546/);
  });
});

describe.each([['they usually make 5% or more', accountsOf(38, 1_900)]])(
  'where provisional accounts are not minor, as %s, a digest',
  (_, given) => {
    const content = contentWith({ name: 'M', ...given });

    test('is marked, and says why before its figures', () => {
      expect(content.subject).toMatch(/^Provisional: M, Thu 19 Nov: 50\.0% connected, [\d,]+ attempts$/);
      expect(content.notes).toEqual([
        {
          kind: 'note',
          tone: 'warning',
          title: `Provisional, perhaps wrong: Island and Valley: ${noCalls}.`,
          lines: [follows],
        },
      ]);
      expect(content.items).toEqual([]);
    });

    test('compares nothing with its total', () => {
      expect(content.tiles.map(({ title, change }) => [title, change])).toEqual([
        ['Connect rate (provisional)', null],
        ['Attempts (provisional)', null],
        ['Live answers (provisional)', null],
      ]);
      expect(content.headline).toMatch(/^Without Island and Valley, 10% more attempts/);
    });
  },
);

describe('the reason why figures are provisional', () => {
  const linesOf = (part: Given) => {
    const { title, lines } = contentWith(part).notes[0]!;
    return lines.length > 1 ? lines.slice(0, -1) : [/^[^:]*: (.*)\.$/.exec(title)![1]];
  };
  const north = (...given: readonly Anomaly[]) => ({ ...totalsOf('North', 100), ...doubted(...given) });

  const words: { readonly [code in AnomalyCode]: readonly [english: string, spanish: string] } = {
    announced: ['5 of 9 campaigns missing', 'sin 5 de 9 campañas'],
    not_finished: ['the service was not finished with the list', 'el servicio no había terminado la lista'],
    unreadable: ['some records could not be read', 'algunos registros no se pudieron leer'],
    unreadable_counts: [
      'counts of 2 campaigns could not be read',
      'los recuentos de 2 campañas no se pudieron leer',
    ],
    error: [
      'the service reported an error: “Trial ends soon”',
      'el servicio devolvió un error: «Trial ends soon»',
    ],
    unreported: [
      'most campaigns report no connects and live answers',
      'en la mayoría de las campañas faltan los datos de conexiones y respuestas en vivo',
    ],
    no_list: ['the service sent no list of campaigns', 'el servicio no envió ninguna lista de campañas'],
    no_calls: [noCalls, 'sin llamadas, en un día de la semana en que suele haberlas'],
    same_campaigns: [
      'the same campaigns and counts as another account, so probably counted more than once',
      'las mismas campañas y cifras que otra cuenta, así que probablemente se cuentan más de una vez',
    ],
    same_figures: [
      'the same campaigns and counts as the day before or after',
      'las mismas campañas y cifras que el día anterior o el siguiente',
    ],
  };
  test.each(Object.values(anomalies))('is said in each language: $code', (anomaly) => {
    const said = ['en-GB', 'es'].map((locale) => linesOf({ locale, accounts: [north(anomaly)] }));
    expect(said).toEqual(words[anomaly.code].map((why) => [`North: ${why}`]));
  });

  test('is one line of all accounts that have the same, and none of what is known of the service', () => {
    const { announced, error, unreadable } = anomalies;
    const accounts = [
      north(announced, { ...unreadable, known: true }),
      { ...totalsOf('Coast', 100), ...doubted(error) },
      { ...totalsOf('Valley', 100), ...doubted(announced) },
      { ...totalsOf('Island', 100), ...doubted(announced, error) },
    ];
    const [many, trial] = [words.announced[0], words.error[0]];
    expect(linesOf({ accounts })).toEqual([
      `North and Valley: ${many}`,
      `Coast: ${trial}`,
      `Island: ${many}; ${trial}`,
    ]);
  });

  test('is said once of several days of a week, with the days', () => {
    const { unreadable, error } = anomalies;
    const on = (...days: string[]) => days.map((day) => ({ day, anomalies: [unreadable] }));
    const accounts = [
      { ...totalsOf('North', 100), provisionalDays: on('2026-11-16', '2026-11-18') },
      { ...totalsOf('Coast', 100), provisionalDays: on('2026-11-16', '2026-11-18') },
      {
        ...totalsOf('Valley', 100),
        provisionalDays: [...on('2026-11-16'), { day: today, anomalies: [error] }],
      },
      {
        ...totalsOf('Island', 100),
        provisionalDays: on('2026-11-16', '2026-11-17', '2026-11-18', today),
      },
    ];
    const [records, trial] = [words.unreadable[0], words.error[0]];
    expect(linesOf({ accounts, period: periodOf('week', today) })).toEqual([
      `North and Coast, Mon 16 Nov and Wed 18 Nov: ${records}`,
      `Valley, Mon 16 Nov and Thu 19 Nov: ${records}; ${trial}`,
      `Island, 4 days: ${records}`,
    ]);
  });

  test('is said of five accounts, where each of many has its own', () => {
    const accounts = Array.from({ length: 8 }, (_, index) => ({
      ...totalsOf(`A${index}`, 100),
      ...doubted({ ...anomalies.announced, announced: 10 + index }),
    }));
    const lines = linesOf({ accounts });
    expect(lines).toHaveLength(6);
    expect(lines.slice(-2)).toEqual(['A4: 10 of 14 campaigns missing', '3 more']);
  });

  test('stays on its line, whatever the error of the service says', () => {
    const error = { ...anomalies.error, text: 'Trial\r\nends\u202e soon' };
    expect(linesOf({ accounts: [north(error)] })).toEqual([`North: ${words.error[0]}`]);
  });
});

test('a day without calls that usually has some is marked, too, and has no figures', () => {
  const idle = { ...totalsOf('North', 0), ...doubted(anomalies.no_calls) };
  const { subject, headline, notes, tiles } = contentWith({ accounts: [idle] });
  expect([subject, headline, tiles]).toEqual([
    'Provisional: Campaigns, Thu 19 Nov: no calls',
    'No calls: no campaign made an attempt.',
    [],
  ]);
  expect(notes).toMatchObject([
    { title: `Provisional, perhaps wrong: North: ${noCalls}.`, lines: [follows] },
  ]);
});

describe('that a corrected digest follows if provisional figures change', () => {
  const provisional = { ...totalsOf('North', 100), ...doubted(anomalies.announced) };
  const saysSo = (part: Given) =>
    contentWith(part)
      .notes.flatMap(({ lines }) => lines)
      .includes(restFollows);

  test('is said in each digest that lacks nothing', () => {
    expect(saysSo({ accounts: [provisional] })).toBe(true);
    expect(saysSo({ accounts: [provisional], before: [periodFigures(failed)] })).toBe(true);
  });

  test.each<[what: string, part: Given]>([
    ['where something is missing, too, as one follows anyway', { accounts: [provisional, failed] }],
    ['where nothing is provisional', { accounts: [totalsOf('North', 100)] }],
    ['where all that is provisional is minor', accountsOf(38, 1_140)],
  ])('is not said %s', (_, part) => {
    expect(saysSo(part)).toBe(false);
  });

  test('leaves a corrected digest marked', () => {
    const { subject } = contentWith({ accounts: [provisional], before: [periodFigures(failed)] });
    expect(subject).toBe('Corrected, Provisional: Campaigns, Thu 19 Nov: 50.0% connected');
  });
});
