import { expect, test } from 'vitest';
import type { AccountEntry, DigestEntry } from '../../src/config/files.ts';
import { exampleLine, plainSettings, secretSettings } from '../../src/config/schema.ts';
import { describedSettings, example, settingsPage } from '../support/settings-page.ts';
import { file, load } from './loading.ts';

// `npm run settings` writes it anew.
test('docs/settings.md is that of the schema', async () => {
  await expect(settingsPage()).toMatchFileSnapshot('../../docs/settings.md');
});

test('every setting is described, once', () => {
  expect([...describedSettings].sort()).toEqual([...plainSettings, ...secretSettings].sort());
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
    } satisfies Record<keyof DigestEntry, true>,
  };
  for (const name of ['accounts', 'digests'] as const) {
    const shown = example(name);
    for (const key of Object.keys(keys[name])) expect(shown).toMatch(new RegExp(`^[- ] ${key}:`, 'm'));
  }
});

test('each example of a setting is one that the schema takes', () => {
  const written = (name: string) => exampleLine(name).replace(/^\w+='?(.*?)'?$/, '$1');
  const ofPlainForm = [...plainSettings, ...secretSettings].filter((name) => !/_FILE$|_CERTS$/.test(name));
  for (const name of ofPlainForm) load({ DIGEST_FROM: 'a@example.com', [name]: written(name) });
});
