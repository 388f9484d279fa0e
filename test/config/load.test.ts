import os from 'node:os';
import { describe, expect, test } from 'vitest';
import { errorsOf, file, load, minimal } from './loading.ts';

describe('the settings of a first run', () => {
  test('are the service’s address and a token; the rest has the defaults of the contract', () => {
    const { config, secrets, warnings } = load({ LOG_FORMAT: 'json' });
    expect(config).toEqual({
      service: {
        baseUrl: 'https://service.example.com/api',
        pageLimit: 100,
        concurrency: 8,
        ratePerSecond: null,
        requestTimeoutMs: 30_000,
        maxResponseBytes: 16_000_000,
        retries: 4,
        windowEnd: 'same-day',
        balance: true,
        balanceField: null,
      },
      certificates: [],
      accounts: [{ name: 'main', label: 'main', timeZone: 'UTC' }],
      tokenPlaces: { main: 'SIDTOKEN' },
      planning: {
        timeZone: 'UTC',
        lookbackDays: 3,
        catchUpDays: 31,
        archiveDays: null,
      },
      schedule: '30 6 * * *',
      retryForMs: 10_800_000,
      digests: [
        {
          name: 'Campaigns',
          to: ['manager@localhost'],
          every: 'day',
          accounts: ['main'],
          locale: 'en-GB',
          timeZone: 'UTC',
          extraFields: [],
          lowBalance: null,
          csv: { separator: ',', decimal: '.' },
          link: null,
        },
      ],
      mail: {
        from: 'Callsheet <callsheet@localhost>',
        replyTo: null,
        outboxDirectory: 'outbox',
        maxAttachmentBytes: 10_000_000,
      },
      alerts: { to: [], installation: os.hostname(), pageUrl: null },
      http: { host: '127.0.0.1', port: 8080, names: ['127.0.0.1'] },
      log: { level: 'info', format: 'json' },
    });
    expect(secrets.token('main')).toBe(minimal.SIDTOKEN);
    expect([secrets.databaseUrl(), secrets.migrateDatabaseUrl(), secrets.smtpUrl()]).toEqual([
      null,
      null,
      null,
    ]);
    expect(warnings).toEqual([]);
  });

  test('may lack both for a command without requests to the service', () => {
    const { config } = load({ SERVICE_BASE_URL: '', SIDTOKEN: '' }, { service: false });
    expect(config.accounts).toEqual([]);
  });
});

test('a token of fewer than 12 characters is warned of, for each account that has one', () => {
  expect(load({ SIDTOKEN: 'eleven-char' }).warnings).toEqual([
    expect.stringMatching(/^the session token of account main has fewer than 12 characters/),
  ]);
  expect(load({ SIDTOKEN: 'twelve-chars' }).warnings).toEqual([]);
});

describe('settings that are set', () => {
  test('replace the defaults', () => {
    const { config, secrets } = load({
      SERVICE_BASE_URL: 'http://127.0.0.1:9000/api/',
      ACCOUNT_NAME: 'Coast office',
      DATABASE_URL: 'postgres://u:p@db/x',
      MIGRATE_DATABASE_URL: 'postgresql://u:p@direct/x',
      TIME_ZONE: 'america/st_johns',
      SCHEDULE: '0 5 * * 1-5',
      RETRY_FOR: '90m',
      LOOKBACK_DAYS: '0',
      CATCH_UP_DAYS: '7',
      ARCHIVE_DAYS: '2',
      PAGE_LIMIT: '500',
      CONCURRENCY: '2',
      RATE_PER_SECOND: '0.5',
      REQUEST_TIMEOUT: '2m',
      MAX_RESPONSE_MB: '12',
      RETRIES: '0',
      WINDOW_END: 'next-day',
      CLIENT_BALANCE: 'no',
      BALANCE_FIELD: 'credit',
      SMTP_URL: 'smtps://u:p@mail:465',
      OUTBOX_DIR: '/var/outbox',
      DIGEST_MAX_MB: '25',
      DIGEST_FROM: 'Callsheet <callsheet@example.com>',
      DIGEST_REPLY_TO: 'ana@example.com',
      DIGEST_LINK: 'https://bi.example.com/{account}?from={from}&to={to}',
      DIGEST_TO: 'ana@example.com, ben@example.com',
      ALERT_TO: 'ops@example.com',
      HTTP_HOST: '::',
      HTTP_PORT: '0',
      HTTP_NAMES: 'Callsheet.example.com, callsheet',
      HTTP_TOKEN: '0123456789abcdef',
      PAGE_URL: 'https://callsheet.example.com/',
      INSTALLATION: 'north',
      ALERT_WEBHOOK_URL: 'https://hooks.example.com/services/a-long-secret-key',
      LOG_LEVEL: 'debug',
      LOG_FORMAT: 'pretty',
    });
    expect(config).toEqual({
      service: {
        baseUrl: 'http://127.0.0.1:9000/api',
        pageLimit: 500,
        concurrency: 2,
        ratePerSecond: 0.5,
        requestTimeoutMs: 120_000,
        maxResponseBytes: 12_000_000,
        retries: 0,
        windowEnd: 'next-day',
        balance: false,
        balanceField: 'credit',
      },
      certificates: [],
      accounts: [{ name: 'Coast office', label: 'Coast office', timeZone: 'America/St_Johns' }],
      tokenPlaces: { 'Coast office': 'SIDTOKEN' },
      planning: {
        timeZone: 'America/St_Johns',
        lookbackDays: 0,
        catchUpDays: 7,
        archiveDays: 2,
      },
      schedule: '0 5 * * 1-5',
      retryForMs: 5_400_000,
      digests: [
        {
          name: 'Campaigns',
          to: ['ana@example.com', 'ben@example.com'],
          every: 'day',
          accounts: ['Coast office'],
          locale: 'en-GB',
          timeZone: 'America/St_Johns',
          extraFields: [],
          lowBalance: null,
          csv: { separator: ',', decimal: '.' },
          link: 'https://bi.example.com/{account}?from={from}&to={to}',
        },
      ],
      mail: {
        from: 'Callsheet <callsheet@example.com>',
        replyTo: 'ana@example.com',
        outboxDirectory: '/var/outbox',
        maxAttachmentBytes: 25_000_000,
      },
      alerts: {
        to: ['ops@example.com'],
        installation: 'north',
        pageUrl: 'https://callsheet.example.com/',
      },
      http: { host: '::', port: null, names: ['::', 'callsheet.example.com', 'callsheet'] },
      log: { level: 'debug', format: 'pretty' },
    });
    expect(secrets.databaseUrl()).toBe('postgres://u:p@db/x');
    expect(secrets.migrateDatabaseUrl()).toBe('postgresql://u:p@direct/x');
    expect(secrets.smtpUrl()).toBe('smtps://u:p@mail:465');
    expect(secrets.httpToken()).toBe('0123456789abcdef');
    expect(secrets.webhookUrl()).toBe('https://hooks.example.com/services/a-long-secret-key');
  });

  test('count as not set when they are empty, as compose files leave them', () => {
    const names = ['TIME_ZONE', 'PAGE_LIMIT', 'REQUEST_TIMEOUT', 'SMTP_URL', 'DATABASE_URL', 'DIGEST_TO'];
    const files = [
      'SIDTOKEN_FILE',
      'ACCOUNTS_FILE',
      'DIGESTS_FILE',
      'ACCOUNT_NAME',
      'WINDOW_END',
      'DIGSET_TO',
    ];
    const empty = Object.fromEntries([...names, ...files].map((name) => [name, '']));
    const bare = load({});
    const loaded = load(empty);
    expect(loaded.config).toEqual(bare.config);
    expect(loaded.warnings).toEqual([]);
    expect(loaded.secrets.smtpUrl()).toBeNull();
  });
});

test('loaded settings are frozen', () => {
  const { config, secrets } = load({ DIGEST_TO: 'ana@example.com' });
  const objects: unknown[] = [config, secrets, config.accounts, config.accounts[0], config.digests[0]];
  const values = [
    ...objects,
    config.service,
    config.planning,
    config.mail,
    config.log,
    config.digests[0]?.to,
  ];
  for (const value of values) expect(Object.isFrozen(value)).toBe(true);
  expect(() => Object.assign(config.service, { baseUrl: 'https://elsewhere.example.com' })).toThrow(
    TypeError,
  );
});

test('a mail server without any recipient is a warning', () => {
  const smtp = { SMTP_URL: 'smtp://mail:25', DIGEST_FROM: 'callsheet@example.com' };
  const { config, warnings } = load(smtp);
  expect(config.digests).toEqual([]);
  expect(warnings).toEqual(['SMTP_URL is set, but no digest has a recipient: set DIGEST_TO or DIGESTS_FILE']);
  expect(load({ ...smtp, DIGEST_TO: 'ana@example.com' }).warnings).toEqual([]);
});

describe('an address of the service without TLS', () => {
  const errors = (address: string, allowed = '') =>
    errorsOf({ SERVICE_BASE_URL: address, ALLOW_INSECURE_HTTP: allowed });

  test('is an error, which names the host and both ways out', () => {
    const error =
      'SERVICE_BASE_URL would send the session token unencrypted to service.example.com: use https://, or set ALLOW_INSECURE_HTTP=true if every network on the way is yours';
    expect(errors('http://service.example.com')).toEqual([error]);
    expect(errors('HTTP://service.example.com/api', 'false')).toEqual([error]);
  });

  test('is none where it is this machine’s, or allowed, or has TLS', () => {
    expect(errors('http://127.0.0.1:8080')).toEqual([]);
    expect(errors('http://service.example.com', 'true')).toEqual([]);
    expect(errors('https://service.example.com')).toEqual([]);
  });

  test('is no second error where one of the two settings is malformed', () => {
    expect(errors('http://')).toHaveLength(1);
    expect(errors('http://service.example.com', 'perhaps')).toEqual([
      expect.stringMatching(/^ALLOW_INSECURE_HTTP /),
    ]);
  });
});

describe('where a token is, for who has to replace it', () => {
  test('is the setting, the file or the variable that it is read from', () => {
    const token = file('token', 'a-token-of-some-length');
    const places = (environment: Parameters<typeof load>[0]) =>
      load({ SIDTOKEN: '', ...environment }).config.tokenPlaces;
    expect(places({ SIDTOKEN_FILE: token })).toEqual({ main: token });
    const accounts = file(
      'accounts.yaml',
      `[{name: a, sidtoken: another-long-token}, {name: b, sidtoken_file: ${token}}, {name: c, sidtoken_env: TOKEN_OF_C}]`,
    );
    expect(places({ ACCOUNTS_FILE: accounts, TOKEN_OF_C: 'a-third-long-token' })).toEqual({
      a: 'ACCOUNTS_FILE',
      b: token,
      c: 'TOKEN_OF_C',
    });
  });
});
