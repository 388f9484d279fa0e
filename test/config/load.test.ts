import { describe, expect, test } from 'vitest';
import { file, load } from './loading.ts';

test('address and token may be missing for a command without requests to the service', () => {
  const { config } = load({ SERVICE_BASE_URL: '', SIDTOKEN: '' }, { service: false });
  expect(config.accounts).toEqual([]);
});

describe('settings that are set', () => {
  test('replace the defaults', () => {
    const { config, secrets } = load({
      SERVICE_BASE_URL: 'http://127.0.0.1:9000/api/',
      ACCOUNT_NAME: 'Coast office',
      DATABASE_URL: 'postgres://u:pass@db/x',
      MIGRATE_DATABASE_URL: 'postgresql://u:pass@direct/x',
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
      SMTP_URL: 'smtps://u:pass@mail:465',
      OUTBOX_DIR: '/var/outbox',
      DIGEST_MAX_MB: '25',
      DIGEST_FROM: 'Callsheet <callsheet@example.com>',
      DIGEST_REPLY_TO: 'ana@example.com',
      DIGEST_LINK: 'https://bi.example.com/?account={account}&from={from}&to={to}',
      DIGEST_TO: 'ana@example.com, ben@example.com,ana@example.com',
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
      certificatesFile: null,
      accounts: [{ name: 'Coast office', label: 'Coast office', timeZone: 'America/St_Johns' }],
      tokenPlaces: { 'Coast office': 'SIDTOKEN in the environment that Callsheet starts with' },
      recipientsPlace: 'DIGEST_TO in the environment that Callsheet starts with',
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
          quietDays: 'skip',
          link: 'https://bi.example.com/?from={from}&to={to}',
        },
      ],
      mail: {
        from: 'Callsheet <callsheet@example.com>',
        replyTo: 'ana@example.com',
        outboxDirectory: '/var/outbox',
        maxMessageBytes: 25_000_000,
      },
      alerts: {
        to: ['ops@example.com'],
        installation: 'north',
        pageUrl: 'https://callsheet.example.com/',
      },
      http: { host: '::', port: null, names: ['::', 'callsheet.example.com', 'callsheet'] },
      log: { level: 'debug', format: 'pretty' },
    });
    expect(secrets.databaseUrl()).toBe('postgres://u:pass@db/x');
    expect(secrets.migrateDatabaseUrl()).toBe('postgresql://u:pass@direct/x');
    expect(secrets.smtpUrl()).toBe('smtps://u:pass@mail:465');
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

describe('where a token is, for who has to replace it', () => {
  test('is the file, or the setting in its file, and what schedule read at its start', () => {
    const token = file('token', 'a-token-of-some-length');
    const places = (environment: Parameters<typeof load>[0]) =>
      load({ SIDTOKEN: '', ...environment }).config.tokenPlaces;
    expect(places({ SIDTOKEN_FILE: token })).toEqual({
      main: token,
    });
    const accounts = file(
      'accounts.yaml',
      `[{name: a, sidtoken: another-long-token}, {name: b, sidtoken_file: ${token}}, {name: c, sidtoken_env: TOKEN_OF_C}]`,
    );
    expect(places({ ACCOUNTS_FILE: accounts, TOKEN_OF_C: 'a-third-long-token' })).toEqual({
      a: accounts,
      b: token,
      c: 'TOKEN_OF_C in the environment that Callsheet starts with',
    });
    const dotenv = file('.env', '');
    expect(places({ SIDTOKEN: 'a-token-of-some-length', CALLSHEET_DOTENV: dotenv })).toEqual({
      main: `SIDTOKEN in ${dotenv}`,
    });
  });
});
