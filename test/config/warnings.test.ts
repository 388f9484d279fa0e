import { chmodSync } from 'node:fs';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { createRedactor } from '../../src/support/redaction.ts';
import { errorsOf, file, load } from './loading.ts';

describe('whose days these are', () => {
  test('is warned of where only TZ says so: it has no effect', () => {
    expect(load({ TZ: 'America/New_York' }).warnings).toEqual([
      `TZ is set ("America/New_York") and TIME_ZONE isn't: days are UTC days; set TIME_ZONE`,
    ]);
    for (const TZ of ['UTC', 'Etc/UTC', ':UTC', '']) expect(load({ TZ }).warnings).toEqual([]);
    expect(load({ TZ: 'America/New_York', TIME_ZONE: 'UTC' }).warnings).toEqual([]);
  });
});

describe('a zone without daylight saving time', () => {
  test('is warned of where it looks like that of a city, wherever it is set', () => {
    const warning = (where: string, zone: string, offset: string) =>
      `${where} is ${zone}, which is UTC${offset} all year, without daylight saving time; for the time of a city, name its zone, such as America/New_York`;
    for (const [zone, offset] of [
      ['EST', '-05:00'],
      ['MST', '-07:00'],
      ['HST', '-10:00'],
      ['Etc/GMT+5', '-05:00'],
    ] as const)
      expect(load({ TIME_ZONE: zone }).warnings).toEqual([warning('TIME_ZONE', zone, offset)]);
    const accounts = file('accounts.yaml', '[{name: main, sidtoken: twelve-chars, time_zone: est}]');
    const digests = file('digests.yaml', '[{name: All, to: ana@example.com, time_zone: Etc/GMT-3}]');
    expect(load({ SIDTOKEN: '', ACCOUNTS_FILE: accounts, DIGESTS_FILE: digests }).warnings).toEqual([
      warning('the time_zone of main in ACCOUNTS_FILE', 'EST', '-05:00'),
      warning('the time_zone of All in DIGESTS_FILE', 'Etc/GMT-3', '+03:00'),
    ]);
  });

  test('is none of a city, nor UTC', () => {
    for (const zone of [
      'America/New_York',
      'Asia/Tokyo',
      'UTC',
      'Etc/UTC',
      'GMT',
      'Etc/GMT',
      'EST5EDT',
      'CET',
    ])
      expect(load({ TIME_ZONE: zone }).warnings).toEqual([]);
  });
});

describe('a .env that others can read', () => {
  test('is warned of if it holds a secret', () => {
    const warned = (content: string, mode: number) => {
      const CALLSHEET_DOTENV = file('.env', content);
      chmodSync(CALLSHEET_DOTENV, mode);
      return load({ CALLSHEET_DOTENV }).warnings;
    };
    for (const content of ['SIDTOKEN=a-session-token', "export HTTP_TOKEN='a-long-token-of-mine'"])
      expect(warned(content, 0o644)).toEqual([
        expect.stringMatching(/\.env holds a secret, and every user .*: chmod 600 \S+\.env, as the user/),
      ]);
    expect(warned('SIDTOKEN=a-session-token', 0o600)).toEqual([]);
    for (const content of ['RETRIES=2', 'SIDTOKEN=', '#SIDTOKEN=a-session-token'])
      expect(warned(content, 0o644)).toEqual([]);
  });
});

describe('a variable that is a misspelt setting', () => {
  const warned = (...names: string[]) =>
    load(Object.fromEntries(names.map((name) => [name, 'set']))).warnings;

  test.each([
    ['DIGSET_TO', 'DIGEST_TO'],
    ['DIGEST_T0', 'DIGEST_TO'],
    ['TIMEZONE', 'TIME_ZONE'],
    ['SERVICE_BASEURL', 'SERVICE_BASE_URL'],
    ['SIDTOKEN_FIEL', 'SIDTOKEN_FILE'],
    ['DATABASE_URI', 'DATABASE_URL'],
    ['RETRIE', 'RETRIES'],
    ['SMTP_PORT', 'SMTP_URL'],
    ['SMTP_PASSWORD', 'SMTP_URL'],
  ])('%s is warned of, with %s', (name, meant) => {
    expect(warned(name)).toEqual([`${name} is not a setting of Callsheet: did you mean ${meant}?`]);
    expect(load({ [name]: '' }).warnings).toEqual([]);
  });

  test('is named next to the one that is missing', () => {
    const environment = {
      SERVICE_BASE_ULR: 'https://service.example.com',
      SIDTOKEN: 'a-token-of-an-account',
    };
    expect(() => loadConfig(environment, { service: true }, createRedactor())).toThrow(
      /^SERVICE_BASE_URL is missing; .*; SERVICE_BASE_ULR is not a setting of Callsheet: did you mean SERVICE_BASE_URL\?$/,
    );
  });

  test('is none that is a setting, the file of a secret, or close to none', () => {
    const names = `PATH HOME NODE_ENV PWD USER SHELL LANG LC_ALL TERM HOSTNAME KUBERNETES_SERVICE_HOST KUBERNETES_PORT
      DEBIAN_FRONTEND container INVOCATION_ID HTTP_PROXY HTTPS_PROXY NO_PROXY http_proxy SSL_CERT_FILE SSH_AUTH_SOCK
      PGHOST PGPASSWORD POSTGRES_USER POSTGRES_PASSWORD POSTGRES_DB REDIS_URL NODE_OPTIONS NODE_PATH NODE_VERSION
      npm_config_cache npm_package_name CI EDITOR`;
    expect(warned(...names.split(/\s+/))).toEqual([]);
    const token = { SIDTOKEN: '', SIDTOKEN_FILE: file('token', 'token-in-a-file') };
    expect(load({ DIGEST_TO: 'ana@example.com', RETRIES: '2', ...token }).warnings).toEqual([]);
  });

  test('is none that holds an account’s token, however close to a setting', () => {
    const environment = {
      SIDTOKEN: '',
      ACCOUNTS_FILE: file('accounts.yaml', '[{name: a, sidtoken_env: SIDTOKEN_1}]'),
      SIDTOKEN_1: 'token-of-the-one',
    };
    expect(load(environment).warnings).toEqual([]);
    expect(load({ ...environment, SIDTOKEN_3: 'z' }).warnings).toHaveLength(1);
  });

  test('is guessed by the nearest name, and not if none is near', () => {
    const unknownAccount = (name: string) => {
      const digests = file('digests.yaml', `[{name: A, to: ana@example.com, accounts: [${name}]}]`);
      const accounts =
        '[{name: main, sidtoken: abc}, {name: mainland, sidtoken: def}, {name: csv, sidtoken: ghi}]';
      const settings = { SIDTOKEN: '', ACCOUNTS_FILE: file('a.yaml', accounts), DIGESTS_FILE: digests };
      return /\(did you mean .*\)$/.exec(errorsOf(settings)[0]!)?.[0];
    };
    expect(['Mian', 'mainlnd', 'weekly', 'cat'].map(unknownAccount)).toEqual([
      '(did you mean main?)',
      '(did you mean mainland?)',
      undefined,
      undefined,
    ]);
  });
});

describe('a database on another machine without TLS', () => {
  const base = 'postgres://callsheet:password@db.example.com/callsheet';
  const of = (setting: string) =>
    expect.stringContaining(`${setting} leads to another machine without TLS: `);

  test.each([
    base,
    `${base}?sslmode=disable`,
    `${base}?host=10.0.0.7`,
    'postgres://a:word@127.evil.example.com/c',
  ])('is warned of: %s', (address) => {
    expect(load({ DATABASE_URL: address }).warnings).toEqual([of('DATABASE_URL')]);
    expect(load({ MIGRATE_DATABASE_URL: address }).warnings).toEqual([of('MIGRATE_DATABASE_URL')]);
  });

  test.each([
    'postgres://a:word@127.0.0.1/c',
    'postgres://a:word@[::1]:5432/c',
    'postgres://a:word@localhost/c',
    'postgres:///c?host=/var/run/postgresql',
    'postgres://a:word@%2Fvar%2Frun%2Fpostgresql/c',
    `${base}?sslmode=require`,
    `${base}?sslrootcert=system`,
  ])('is none that stays on this machine, or has TLS: %s', (address) => {
    expect(load({ DATABASE_URL: address }).warnings).toEqual([]);
  });
});

test('a token of fewer than 12 characters is warned of', () => {
  expect(load({ SIDTOKEN: 'eleven-char' }).warnings).toEqual([
    expect.stringMatching(/^the session token of account main has fewer than 12 characters/),
  ]);
  expect(load({ SIDTOKEN: 'twelve-chars' }).warnings).toEqual([]);
});

test('accounts with the same token are warned of by their names, and the token is not named', () => {
  const accounts = file(
    'accounts.yaml',
    `[{name: north, sidtoken: the-same-token}, {name: coast, sidtoken: another-token}, {name: valley, sidtoken_env: VALLEY}]`,
  );
  expect(load({ SIDTOKEN: '', ACCOUNTS_FILE: accounts, VALLEY: 'the-same-token' }).warnings).toEqual([
    'accounts north and valley have the same session token: the same campaigns are counted for each account; give each its own token',
  ]);
  expect(load({ SIDTOKEN: '', ACCOUNTS_FILE: accounts, VALLEY: 'a-third-token' }).warnings).toEqual([]);
});

test('a mail server without any recipient is warned of', () => {
  const smtp = { SMTP_URL: 'smtp://mail:25', DIGEST_FROM: 'callsheet@example.com' };
  expect(load(smtp).warnings).toEqual([
    'SMTP_URL is set, but no digest has a recipient: set DIGEST_TO or DIGESTS_FILE',
  ]);
  expect(load({ ...smtp, DIGEST_TO: 'ana@example.com' }).warnings).toEqual([]);
});

describe('a file with a secret that every user may read', () => {
  const warningsOf = (path: string, mode: number) => {
    chmodSync(path, mode);
    return load({ SIDTOKEN: '', SIDTOKEN_FILE: path }).warnings;
  };

  test('is warned of, with what to type', () => {
    const path = file('token', 'a-token-of-some-length');
    const warning = `${path} holds a secret, and every user of this machine can read it: chmod 600 ${path}, as the user that runs Callsheet`;
    expect(warningsOf(path, 0o644)).toEqual([warning]);
    expect(warningsOf(path, 0o604)).toEqual([warning]);
    for (const mode of [0o600, 0o400, 0o640]) expect(warningsOf(path, mode)).toEqual([]);
  });

  test('may be a file of accounts with tokens in it, or one of their token files', () => {
    const token = file('token', 'a-token-of-some-length');
    const ofTokens = file(
      'accounts.yaml',
      '[{name: a, sidtoken: one-long-token}, {name: b, sidtoken: other-token}]',
    );
    const ofFiles = file('files.yaml', `[{name: a, sidtoken_file: ${token}}]`);
    for (const path of [token, ofTokens, ofFiles]) chmodSync(path, 0o644);
    const warned = (path: string) => load({ SIDTOKEN: '', ACCOUNTS_FILE: path }).warnings.join();
    expect(warned(ofTokens).match(/chmod 600 \S+,/g)).toEqual([`chmod 600 ${ofTokens},`]);
    expect(warned(ofFiles).match(/chmod 600 \S+,/g)).toEqual([`chmod 600 ${token},`]);
  });

  test.runIf(process.platform === 'linux')('is none in memory, where a container has its secrets', () => {
    vi.stubEnv('TMPDIR', '/dev/shm');
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(warningsOf(file('token', 'a-token-of-some-length'), 0o444)).toEqual([]);
  });

  test('is none on Windows, which has other rights than these', () => {
    const path = file('token', 'a-token-of-some-length');
    const { platform } = process;
    onTestFinished(() => void Object.defineProperty(process, 'platform', { value: platform }));
    Object.defineProperty(process, 'platform', { value: 'win32' });
    expect(warningsOf(path, 0o644)).toEqual([]);
  });
});

test('a mail server on the port of TLS without it is warned of', () => {
  const mail = { DIGEST_FROM: 'callsheet@example.com', DIGEST_TO: 'ana@example.com' };
  expect(load({ ...mail, SMTP_URL: 'smtp://mail:465' }).warnings).toEqual([
    'SMTP_URL begins with smtp:// and has port 465, where servers start with TLS: use smtps://',
  ]);
  expect(load({ ...mail, SMTP_URL: 'smtps://mail:465' }).warnings).toEqual([]);
});

test('a mailbox is one, however its address is spelt', () => {
  const to = 'Ana@Example.com,ana@example.com,ana@EXAMPLE.com,ben@bücher.example,Ben@xn--bcher-kva.example';
  const { config } = load({ DIGEST_TO: to, ALERT_TO: to });
  expect([config.digests[0]!.to, config.alerts.to]).toEqual(
    Array(2).fill(['Ana@Example.com', 'ben@bücher.example']),
  );
});
