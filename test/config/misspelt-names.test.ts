import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { createRedactor } from '../../src/support/redaction.ts';
import { file, load } from './loading.ts';

const warned = (...names: string[]) => load(Object.fromEntries(names.map((name) => [name, 'set']))).warnings;

describe('a variable', () => {
  test('that is a misspelt setting gives a warning with the right name', () => {
    const misspelt = {
      DIGSET_TO: 'DIGEST_TO',
      DIGEST_T0: 'DIGEST_TO',
      TIMEZONE: 'TIME_ZONE',
      SERVICE_BASEURL: 'SERVICE_BASE_URL',
      SID_TOKEN: 'SIDTOKEN',
      SIDTOKEN_FIEL: 'SIDTOKEN_FILE',
      ACOUNTS_FILE: 'ACCOUNTS_FILE',
      DATABASE_URI: 'DATABASE_URL',
      LOGLEVEL: 'LOG_LEVEL',
      CONCURENCY: 'CONCURRENCY',
      RETRIE: 'RETRIES',
      SMPT_URL: 'SMTP_URL',
    };
    for (const [name, meant] of Object.entries(misspelt)) {
      expect(warned(name)).toEqual([`${name} is not a setting of Callsheet: did you mean ${meant}?`]);
    }
  });

  test('that is a misspelt setting is named next to the one that is missing', () => {
    const environment = {
      SERVICE_BASE_ULR: 'https://service.example.com',
      SIDTOKEN: 'a-token-of-an-account',
    };
    expect(() => loadConfig(environment, { service: true }, createRedactor())).toThrow(
      /^SERVICE_BASE_URL is missing; .*; SERVICE_BASE_ULR is not a setting of Callsheet: did you mean SERVICE_BASE_URL\?$/,
    );
  });

  test('that is not close to a setting gives none', () => {
    const names = `PATH HOME NODE_ENV PWD USER SHELL LANG LC_ALL TZ TERM HOSTNAME KUBERNETES_SERVICE_HOST KUBERNETES_PORT
      DEBIAN_FRONTEND container INVOCATION_ID HTTP_PROXY HTTPS_PROXY NO_PROXY http_proxy SSL_CERT_FILE SSH_AUTH_SOCK
      PGHOST PGPASSWORD POSTGRES_USER POSTGRES_PASSWORD POSTGRES_DB REDIS_URL NODE_OPTIONS NODE_PATH NODE_VERSION
      npm_config_cache npm_package_name CI EDITOR`;
    expect(warned(...names.split(/\s+/))).toEqual([]);
  });

  test('that is a setting gives none, nor does the file of a secret', () => {
    const settings = { DIGEST_TO: 'ana@example.com', RETRIES: '2' };
    const token = { SIDTOKEN: '', SIDTOKEN_FILE: file('token', 'token-in-a-file') };
    expect(load({ ...settings, ...token }).warnings).toEqual([]);
  });

  test('that is misspelt but empty gives none', () => {
    expect(load({ DIGSET_TO: '', TIMEZONE: undefined }).warnings).toEqual([]);
  });

  test('that holds an account’s token gives none, however close to a setting', () => {
    const accounts = file(
      'accounts.yaml',
      '- {name: a, sidtoken_env: SIDTOKEN_1}\n- {name: b, sidtoken_env: SIDTOKEN2}',
    );
    const environment = {
      SIDTOKEN: '',
      ACCOUNTS_FILE: accounts,
      SIDTOKEN_1: 'token-of-the-one',
      SIDTOKEN2: 'token-of-the-other',
    };
    expect(load(environment).warnings).toEqual([]);
    expect(load({ ...environment, SIDTOKEN_3: 'z' }).warnings).toEqual([
      'SIDTOKEN_3 is not a setting of Callsheet: did you mean SIDTOKEN?',
    ]);
  });
});
