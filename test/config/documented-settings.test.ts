import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { expect, test } from 'vitest';
import { settingLine } from '../../src/config/environment.ts';
import type { AccountEntry, DigestEntry } from '../../src/config/files.ts';
import { defaultOf, exampleLine, plainSettings, secretSettings } from '../../src/config/schema.ts';
import { blocksOf } from '../support/documents.ts';
import { file, load, minimal } from './loading.ts';

const read = (name: string) => readFileSync(path.resolve(import.meta.dirname, '../..', name), 'utf8');
const page = read('docs/settings.md');
const example = (name: 'accounts' | 'digests') => read(`docs/examples/${name}.yaml`);
const names = [...plainSettings, ...secretSettings];

/** What the page says of each setting, by its name. */
const sections = new Map(
  page
    .split(/^(?=##)/m)
    .filter((section) => section.startsWith('### '))
    .map((section) => [/^### `(\w+)`\n/.exec(section)![1]!, section]),
);

test('docs/settings.md has each setting, and none that does not exist', () => {
  expect([...sections.keys()].sort()).toEqual([...names].sort());
});

test.each(names)('docs/settings.md has the default of %s', (name) => {
  const written = defaultOf(name);
  expect(sections.get(name)).toContain(written === null ? '\nDefault: ' : `\nDefault: \`${written}\`.`);
});

/** Settings that name a file would need it. */
const namesNoFile = (name: string) => !/_FILE$|_CERTS$/.test(name);

test('each example of docs/settings.md is one that the schema takes', () => {
  const lines = [...page.matchAll(/ Example: `(.*)`$/gm)].map(([, line]) => line!);
  expect(lines.length).toBeGreaterThan(10);
  for (const [name, value] of lines.flatMap((line) => Object.entries(parseEnv(line))))
    if (namesNoFile(name)) load({ DIGEST_FROM: 'a@example.com', [name]: value });
});

test('lines of settings in README and docs/install.md have quotes where a value needs some, and are taken', () => {
  const blocks = ['README.md', 'docs/install.md']
    .flatMap((document) => blocksOf(read(document), 'sh'))
    .map((block) => block.match(/^(?!IMAGE=)[A-Z_]+=.*$/gm) ?? [])
    .filter((lines) => lines.length > 0);
  for (const lines of blocks) {
    const set = parseEnv(lines.join('\n')) as Record<string, string>;
    const written = Object.entries(set).map(([name, value]) => settingLine(name, value));
    expect(lines.toSorted()).toEqual(written.toSorted());
    const toNobody = [expect.stringContaining('no digest has a recipient')];
    expect(load({ ...set, SIDTOKEN: minimal.SIDTOKEN }).warnings).toEqual(set.DIGEST_TO ? [] : toNobody);
  }
});

test('each example in an error is one that the schema takes', () => {
  for (const name of names.filter(namesNoFile))
    load({ DIGEST_FROM: 'a@example.com', ...parseEnv(exampleLine(name)) });
});

test('.env.example has every setting, and none that does not exist', () => {
  const text = read('.env.example');
  expect(names.filter((name) => !new RegExp(`\\b${name}\\b`).test(text))).toEqual([]);
  const set = [...text.matchAll(/^#?([A-Z_]+?)(_FILE)?=/gm)].map(([, name, ofFile]) => [
    name!,
    `${name}${ofFile}`,
  ]);
  const known: readonly string[] = names;
  expect(set.filter((either) => !either.some((name) => known.includes(name)))).toEqual([]);
});

test('each line of .env.example has quotes if its value needs some, so that a shell reads it alike', () => {
  const lines = read('.env.example').match(/^#?[A-Z_]+=.*$/gm)!;
  for (const line of lines.map((each) => each.replace(/^#/, ''))) {
    const [[name, value]] = Object.entries(parseEnv(line)) as [[string, string]];
    expect(line).toBe(settingLine(name, value));
  }
});

test('the files of accounts and digests that the documents show can be read, whole', () => {
  const accounts = example('accounts').replace('/run/secrets/north', file('north', 'token-of-north\n'));
  const { config, secrets, warnings } = load({
    SIDTOKEN: '',
    SIDTOKEN_COAST: 'token-of-coast',
    ACCOUNTS_FILE: file('accounts.yaml', accounts),
    DIGESTS_FILE: file('digests.yaml', example('digests')),
  });
  expect(config.accounts).toEqual([
    { name: 'north', label: 'North office', timeZone: 'Europe/Madrid' },
    { name: 'coast', label: 'Coast office', timeZone: 'UTC', client: { account: 'north', id: 1207 } },
    { name: 'valley', label: 'valley', timeZone: 'UTC' },
  ]);
  expect(config.accounts.map(({ name }) => secrets.token(name))).toEqual([
    'token-of-north',
    'token-of-coast',
    '<SID_TOKEN>',
  ]);
  expect(
    config.digests.map(({ name, to, every, locale, lowBalance }) => [name, to, every, locale, lowBalance]),
  ).toEqual([
    ['Managers', ['ana@example.com', 'ben@example.com'], 'day', 'en-GB', null],
    ['North office', ['cleo@example.com'], 'week', 'es', 25],
  ]);
  expect(warnings).toEqual([expect.stringMatching(/valley has fewer than 12/)]);
});

test('those files show every key', () => {
  const keys = {
    accounts: {
      name: true,
      label: true,
      sidtoken: true,
      sidtoken_file: true,
      sidtoken_env: true,
      client: true,
      time_zone: true,
    } satisfies Record<keyof AccountEntry, true>,
    digests: {
      name: true,
      to: true,
      every: true,
      accounts: true,
      locale: true,
      time_zone: true,
      extra_fields: true,
      low_balance: true,
      csv: true,
      quiet_days: true,
    } satisfies Record<keyof DigestEntry, true>,
  };
  for (const name of ['accounts', 'digests'] as const) {
    const shown = example(name);
    for (const key of Object.keys(keys[name])) expect(shown).toMatch(new RegExp(`^[- ] ${key}:`, 'm'));
  }
});
