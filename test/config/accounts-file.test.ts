import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Environment } from '../../src/config/environment.ts';
import { errorsOf, file, load } from './loading.ts';

const yaml = (content: string) => file('accounts.yaml', content);
const using = (accounts: string, more: Environment = {}): Environment => ({
  SIDTOKEN: '',
  ACCOUNTS_FILE: accounts,
  ...more,
});

/** Errors of a file, without what they all begin with. */
function errorsIn(content: string, more: Environment = {}): string[] {
  const accounts = yaml(content);
  return errorsOf(using(accounts, more)).map((error) => {
    expect(error.startsWith(`ACCOUNTS_FILE (${accounts}): `)).toBe(true);
    return error.slice(`ACCOUNTS_FILE (${accounts}): `.length);
  });
}

describe('a file of accounts', () => {
  test('may begin with a byte order mark, as Windows writes it, and is UTF-8 alone', () => {
    const list = '- { name: north, sidtoken: token-of-north }\r\n';
    expect(load(using(yaml(`\uFEFF${list}`))).config.accounts).toMatchObject([{ name: 'north' }]);
    const accounts = yaml('');
    for (const bytes of [
      Buffer.from(`\uFEFF${list}`, 'utf16le'),
      Buffer.from(list.replace(' }', ', label: Málaga }'), 'latin1'),
    ]) {
      writeFileSync(accounts, bytes);
      expect(errorsOf(using(accounts))).toEqual([
        expect.stringContaining("is a file that isn't saved as UTF-8"),
      ]);
    }
  });

  test('gives each account its name, label, zone, client and token', () => {
    const tokenFile = file('token', 'token-of-coast\n');
    const accounts = yaml(`
      # our offices
      - name: north
        label: North office
        sidtoken: token-of-north
        time_zone: europe/madrid
      - name: coast
        sidtoken_file: ${tokenFile}
        client: { account: north, id: 17 }
      - { name: Ñandú 3, sidtoken_env: SIDTOKEN_3 }
    `);
    const { config, secrets, warnings } = load(
      using(accounts, { TIME_ZONE: 'Pacific/Apia', SIDTOKEN_3: 'token-of-three' }),
    );
    expect(config.accounts).toEqual([
      { name: 'north', label: 'North office', timeZone: 'Europe/Madrid' },
      { name: 'coast', label: 'coast', timeZone: 'Pacific/Apia', client: { account: 'north', id: 17 } },
      { name: 'Ñandú 3', label: 'Ñandú 3', timeZone: 'Pacific/Apia' },
    ]);
    expect(config.accounts.map(({ name }) => secrets.token(name))).toEqual([
      'token-of-north',
      'token-of-coast',
      'token-of-three',
    ]);
    expect(secrets.redactor.redact('token-of-north token-of-three')).toBe('[redacted] [redacted]');
    expect(config.digests[0]!.accounts).toEqual(['north', 'coast', 'Ñandú 3']);
    expect(warnings).toEqual([]);
    writeFileSync(tokenFile, 'rotated');
    expect(secrets.token('coast')).toBe('rotated');
  });
});

describe('an error in a file of accounts', () => {
  test('is reported with its entry and key, together with all others', () => {
    expect(
      errorsIn(`
        - { name: north, sidtoken: abc, lable: North }
        - { sidtoken: abc }
        - { name: "-", sidtoken: abc, time_zone: Mars/Phobos }
        - { name: coast, sidtoken: 123, client: { account: north, id: -1 } }
        - coast
        -
        - { name: valley, sidtoken: abc, lable: Valley, "sidtoken:def": }
      `),
    ).toEqual([
      'entry 1: unknown key lable (did you mean label?)',
      'entry 2, name: missing',
      'entry 3, name: not a short name of letters, digits, spaces, dots, dashes',
      'entry 3, time_zone: not a time zone of the IANA database',
      'entry 4, sidtoken: read as a number: put it in quotes',
      expect.stringMatching(/^entry 4, client\.id: Too small/),
      'entry 5: Invalid input: expected object, received string',
      'entry 6: Invalid input: expected object, received null',
      'entry 7: unknown key, not even a word',
    ]);
  });

  test('is two accounts of one name', () => {
    const twice = '- {name: a, sidtoken: xyz}\n- {name: b, sidtoken: xyz}\n- {name: a, sidtoken: xyz}';
    expect(errorsIn(twice)).toEqual(['entry 3, name: entry 1 has the same name']);
  });

  test('is an account with several tokens, or with none', () => {
    const tokenFile = file('token', 'xyz');
    const several = ['sidtoken: xyz, sidtoken_env: SET', `sidtoken: xyz, sidtoken_file: ${tokenFile}`, ''];
    const content = several.map((sources, index) => `- {name: a${index}, ${sources}}`).join('\n');
    const error = 'needs one of sidtoken, sidtoken_file and sidtoken_env';
    expect(errorsIn(content, { SET: 'xyz' })).toEqual([
      `entry 1: ${error}`,
      `entry 2: ${error}`,
      `entry 3: ${error}`,
    ]);
    expect(errorsIn('- {name: a, sidtoken: xyz, sidtoken_env: NOT_SET}')).toEqual([
      "entry 1, sidtoken_env: a variable that isn't set",
      `entry 1: ${error}`,
    ]);
  });

  test('is a token file or variable that is missing or empty', () => {
    const empty = file('token', '\n');
    const missing = path.join(path.dirname(empty), 'nowhere');
    const content = `
      - { name: a, sidtoken_file: ${missing} }
      - { name: b, sidtoken_file: ${empty} }
      - { name: c, sidtoken_env: NOT_SET }
      - { name: d, sidtoken_env: EMPTY }
    `;
    expect(errorsIn(content, { EMPTY: '' })).toEqual([
      "entry 1, sidtoken_file: a file that doesn't exist",
      'entry 2, sidtoken_file: an empty file',
      "entry 3, sidtoken_env: a variable that isn't set",
      "entry 4, sidtoken_env: a variable that isn't set",
    ]);
  });

  test('is a token that a request can’t carry', () => {
    const invalid = ['entry 1, sidtoken: not a token: it contains a space or an invisible character'];
    for (const token of ['two words', 'abc\\u0000', 'abc\\uD800']) {
      expect(errorsIn(`- {name: a, sidtoken: "${token}"}`), token).toEqual(invalid);
    }
    const odd = file('token', 'two words');
    expect(errorsIn(`- {name: a, sidtoken_file: ${odd}}`)).toEqual([
      'entry 1, sidtoken_file: a file whose content is not a token: it contains a space or an invisible character',
    ]);
    expect(errorsIn('- {name: a, sidtoken_env: ODD}', { ODD: 'two words' })).toEqual([
      'entry 1, sidtoken_env: a variable whose content is not a token: it contains a space or an invisible character',
    ]);
  });

  test('is a token of a letter or two', () => {
    const content = '- {name: a, sidtoken: x}\n- {name: b, sidtoken: ""}\n- {name: c, sidtoken_env: SHORT}';
    const error = 'too short to be kept out of logs: use at least 3 characters';
    expect(errorsIn(content, { SHORT: 'xy' })).toEqual([
      `entry 1, sidtoken: ${error}`,
      `entry 2, sidtoken: ${error}`,
      `entry 3, sidtoken_env: a variable whose content is ${error}`,
    ]);
  });

  test('is a client whose account the file doesn’t have', () => {
    expect(errorsIn('- {name: a, sidtoken: xyz, client: {account: b, id: 1}}')).toEqual([
      'entry 1, client.account: no account of the file',
    ]);
  });

  test('is a file that holds no list, or an empty one', () => {
    for (const content of ['', '# nothing yet', 'name: a', 'just a text', '[]', '42']) {
      const accounts = yaml(content);
      const kind = content === '[]' ? 'a file with an empty list' : 'a file without a list in it';
      expect(errorsOf(using(accounts)), content).toEqual([
        `ACCOUNTS_FILE is ${kind} ("${accounts}"); for example ACCOUNTS_FILE=accounts.yaml`,
      ]);
    }
  });
});

describe('a file of accounts that can’t be read', () => {
  test('is reported with its path and the reason', () => {
    const missing = path.join(path.dirname(yaml('')), 'missing.yaml');
    expect(errorsOf(using(missing))).toEqual([
      `ACCOUNTS_FILE is a file that doesn't exist ("${missing}"); for example ACCOUNTS_FILE=accounts.yaml`,
    ]);
    expect(errorsOf(using(path.dirname(missing)))[0]).toContain("can't be read (EISDIR)");
  });

  test('as YAML or JSON is reported with the line', () => {
    const broken = yaml('- name: north\n  sidtoken: abc\n- {name: "coast\n');
    const [error, ...others] = errorsOf(using(broken));
    expect(error).toMatch(/^ACCOUNTS_FILE is a file that isn't YAML or JSON \(line [34]\) /);
    expect(others).toEqual([]);
  });

  test('because a tab indents a line is reported with that line, without its content', () => {
    const tabbed = ['- name: north\n\tsidtoken: abc\n', '- name: coast\n-\tname: north\n\tsidtoken: abc\n'];
    for (const content of tabbed) {
      const accounts = yaml(content);
      expect(errorsOf(using(accounts)), content).toEqual([
        `ACCOUNTS_FILE is a file with a tab in the indentation of line 2, where YAML needs spaces ("${accounts}"); for example ACCOUNTS_FILE=accounts.yaml`,
      ]);
    }
    const digests = file('digests.yaml', '- name: All\n  to:\n\t- ana@example.com\n');
    expect(errorsOf({ DIGESTS_FILE: digests })[0]).toMatch(
      /^DIGESTS_FILE is a file with a tab in .* line 3,/,
    );
  });

  test('is not blamed on tabs in JSON', () => {
    expect(errorsOf(using(yaml('[\n\t{"name": "a", "sidtoken": "abc"}\n]')))).toEqual([]);
    expect(errorsOf(using(yaml('[\n\t{"name": "a", "sidtoken": "abc"\n\t]')))[0]).toContain(
      "isn't YAML or JSON",
    );
  });
});

test('what YAML reads as a number or as true is to be put in quotes, in each file', () => {
  expect(errorsIn('- {name: 2026, label: true, sidtoken: 0123, time_zone: 1}')).toEqual(
    [
      'name: read as a number',
      'label: read as a boolean',
      'sidtoken: read as a number',
      'time_zone: read as a number',
    ].map((error) => `entry 1, ${error}: put it in quotes`),
  );
  const content = '- {name: All, to: ana@example.com, accounts: [1], locale: false, extra_fields: [7]}';
  const digests = file('digests.yaml', content);
  expect(errorsOf({ DIGESTS_FILE: digests })).toEqual(
    ['accounts.0: read as a number', 'locale: read as a boolean', 'extra_fields.0: read as a number'].map(
      (error) => `DIGESTS_FILE (${digests}): entry 1, ${error}: put it in quotes`,
    ),
  );
});
