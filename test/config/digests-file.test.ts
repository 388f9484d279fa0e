import { describe, expect, test } from 'vitest';
import { read } from '../deploy/known.ts';
import { errorsOf, file, load } from './loading.ts';

const accounts = () => ({
  SIDTOKEN: '',
  ACCOUNTS_FILE: file('accounts.yaml', '- {name: north, sidtoken: xyz}\n- {name: coast, sidtoken: abc}'),
});
const digests = (content: string) => ({ ...accounts(), DIGESTS_FILE: file('digests.yaml', content) });
const errorsIn = (content: string) =>
  errorsOf(digests(content)).map((error) => error.replace(/^DIGESTS_FILE \([^)]*digests\.yaml\): /, ''));

describe('a file of digests', () => {
  test('is the example of docs/examples, which shows every key', () => {
    const example = read('docs/examples/digests.yaml');
    const { config } = load(digests(example));
    expect(config.digests.map(({ name }) => name)).toEqual(['Managers', 'North office']);
    const keys = [...example.matchAll(/^[- ] (\w+):/gm)].map(([, key]) => key);
    expect(new Set(keys)).toEqual(
      new Set('name to every accounts locale time_zone extra_fields low_balance csv quiet_days'.split(' ')),
    );
  });

  test('gives each digest its name, recipients and accounts; by default all accounts', () => {
    const { config } = load(
      digests(`
        - { name: All offices, to: ana@example.com }
        - name: North
          to: [ben@example.com, ana@example.com, ben@example.com]
          every: week
          accounts: [north]
          locale: es
          time_zone: Europe/Madrid
          extra_fields: [cost]
          low_balance: 12.5
      `),
    );
    expect(config.digests).toEqual([
      {
        name: 'All offices',
        to: ['ana@example.com'],
        every: 'day',
        accounts: ['north', 'coast'],
        locale: 'en-GB',
        timeZone: 'UTC',
        extraFields: [],
        lowBalance: null,
        csv: { separator: ',', decimal: '.' },
        quietDays: 'skip',
        link: null,
      },
      {
        name: 'North',
        to: ['ben@example.com', 'ana@example.com'],
        every: 'week',
        accounts: ['north'],
        locale: 'es',
        timeZone: 'Europe/Madrid',
        extraFields: ['cost'],
        lowBalance: 12.5,
        csv: { separator: ';', decimal: ',' },
        quietDays: 'skip',
        link: null,
      },
    ]);
  });

  test('has a link with its accounts, unless it covers all of them', () => {
    const linksOf = (link: string) =>
      load({
        ...digests(`
          - { name: Unnamed, to: ana@example.com }
          - { name: All, to: ana@example.com, accounts: [coast, north] }
          - { name: North, to: ana@example.com, accounts: [north] }
        `),
        DIGEST_LINK: link,
      }).config.digests.map((digest) => digest.link);
    const pairs = [
      ['?day={day}&account={account}', '?day={day}'],
      ['?from={from}&var-account={account}&to={to}#tab', '?from={from}&to={to}#tab'],
      ['?a={account}&b={account}#tab', '#tab'],
      ['#/board?account={account}&day={day}', '#/board?day={day}'],
      ['campaigns/{account}/{day}?q=account:{account}#{account}', 'campaigns//{day}?q=account:#'],
      ['?day={day}', '?day={day}'],
    ];
    for (const [named, all] of pairs)
      expect(linksOf(`https://bi.example.com/${named}`)).toEqual([
        `https://bi.example.com/${all}`,
        `https://bi.example.com/${all}`,
        `https://bi.example.com/${named}`,
      ]);
  });

  test('has a CSV as spreadsheets of its locale expect it, or as it says', () => {
    const styles = (lines: string[]) =>
      load(digests(lines.map((line, n) => `- { name: D${n}, to: ana@example.com, ${line} }`).join('\n')))
        .config.digests.map(({ csv }) => csv.separator + csv.decimal)
        .join(' ');
    expect(styles(['locale: en-US', 'locale: de', 'locale: es', 'locale: fr-FR', 'locale: ja'])).toBe(
      ',. ;, ;, ;, ,.',
    );
    expect(styles(['locale: es-MX', 'locale: de-CH', 'locale: pt-BR', 'locale: ar-EG'])).toBe(',. ,. ;, ,.');
    expect(
      styles([
        'csv: { separator: ";", decimal: "." }',
        'locale: de, csv: { separator: "\\t", decimal: "," }',
      ]),
    ).toBe(';. \t,');
  });
});

describe('an error in a file of digests', () => {
  test('is reported with its entry and key, together with all others', () => {
    expect(
      errorsIn(`
        - { name: A, to: ana@example.com, recipients: [ben@example.com] }
        - { to: ana@example.com }
        - { name: ../B, to: ana@example.com }
        - { name: C, to: nobody }
        - { name: D, to: [ana@example.com, "Ben <ben@example.com>"] }
        - { name: E, to: [] }
        - { name: F, to: ana@example.com, accounts: [] }
      `),
    ).toEqual([
      'entry 1: unknown key recipients',
      'entry 2, name: missing',
      'entry 3, name: not a short name of letters, digits, spaces, dots, dashes ("../B")',
      'entry 4, to.0: not a mail address ("nobody")',
      'entry 5, to.1: not a mail address ("Ben <ben@example.com>")',
      expect.stringMatching(/^entry 6, to: Too small/),
      expect.stringMatching(/^entry 7, accounts: Too small/),
    ]);
  });

  test('is an unknown locale or zone, an empty field name, a bound that is not a number, and a period that there is not', () => {
    expect(
      errorsIn(`
        - { name: A, to: ana@example.com, locale: elvish tongue }
        - { name: B, to: ana@example.com, locale: zxx }
        - { name: C, to: ana@example.com, time_zone: Europe/Narnia }
        - { name: D, to: ana@example.com, extra_fields: [""] }
        - { name: E, to: ana@example.com, low_balance: "little" }
        - { name: F, to: ana@example.com, every: year }
      `),
    ).toEqual([
      'entry 1, locale: not a known locale ("elvish tongue")',
      'entry 2, locale: not a known locale ("zxx")',
      'entry 3, time_zone: not a time zone of the IANA database ("Europe/Narnia")',
      expect.stringMatching(/^entry 4, extra_fields.0: Too small/),
      expect.stringMatching(/^entry 5, low_balance: Invalid input: expected number/),
      'entry 6, every: not day, week or month ("year")',
    ]);
  });

  test('is a CSV without one of its signs, with others, or with the same twice', () => {
    expect(
      errorsIn(`
        - { name: A, to: ana@example.com, csv: { separator: ";" } }
        - { name: B, to: ana@example.com, csv: { separator: "x", decimal: "·" } }
        - { name: C, to: ana@example.com, csv: { separator: ",", decimal: "," } }
        - { name: D, to: ana@example.com, csv: { separator: ";", decimal: ",", quote: "'" } }
      `),
    ).toEqual([
      'entry 1, csv.decimal: not a point or a comma',
      'entry 2, csv.separator: not a comma, a semicolon or a tab ("x")',
      'entry 2, csv.decimal: not a point or a comma ("·")',
      'entry 3, csv: the separator and the decimal sign are the same',
      'entry 4, csv: unknown key quote',
    ]);
  });

  test('is two digests of the same name, or an unknown account', () => {
    expect(
      errorsIn(`
        - { name: A, to: ana@example.com, accounts: [north, elsewhere, east] }
        - { name: A, to: ben@example.com }
      `),
    ).toEqual([
      'entry 1, accounts: no account is called elsewhere',
      'entry 2, name: entry 1 has the same name',
    ]);
  });

  test('is an unknown account, even if the accounts have errors of their own', () => {
    const accountsFile = file(
      'accounts.yaml',
      '- {name: north}\n- {name: coast, sidtoken: abc, lable: Coast}',
    );
    const digestsFile = file('digests.yaml', '- {name: A, to: ana@example.com, accounts: [coast, cost]}');
    const errors = errorsOf({
      SIDTOKEN: '',
      ACCOUNTS_FILE: accountsFile,
      DIGESTS_FILE: digestsFile,
    });
    expect(errors).toEqual([
      `ACCOUNTS_FILE (${accountsFile}): entry 1: needs one of sidtoken, sidtoken_file and sidtoken_env`,
      `ACCOUNTS_FILE (${accountsFile}): entry 2: unknown key lable (did you mean label?)`,
      `DIGESTS_FILE (${digestsFile}): entry 1, accounts: no account is called cost (did you mean coast?)`,
    ]);
  });
});
