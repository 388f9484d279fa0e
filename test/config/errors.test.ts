import { describe, expect, test } from 'vitest';
import { errorsOf, file, onlyErrorOf } from './loading.ts';

/** Each setting with a value that it can't have, and the error that it must give. */
const malformed: readonly [name: string, value: string, error: string, example: string][] = [
  [
    'SERVICE_BASE_URL',
    'service.example.com',
    'not an address that begins with http:// or https://',
    'https://service.example.com/api',
  ],
  ['TIME_ZONE', '+02:00', 'not a time zone of the IANA database ("+02:00")', 'Europe/Madrid'],
  [
    'SCHEDULE',
    'at six',
    'not a cron expression: expected 5 or 6 fields but got 2 ("at six")',
    "'30 6 * * *'",
  ],
  ['LOOKBACK_DAYS', '-1', 'not a whole number from 0 to 366 ("-1")', '3'],
  ['CATCH_UP_DAYS', '0', 'not a whole number from 1 to 3660 ("0")', '31'],
  ['ARCHIVE_DAYS', '1', 'not a whole number from 2 to 36600 ("1")', '400'],
  ['PAGE_LIMIT', '1e3', 'not a whole number from 1 to 100000 ("1e3")', '100'],
  ['RATE_PER_SECOND', '0', 'not a number from 0.01 to 1000 ("0")', '5'],
  ['CONCURRENCY', '65', 'not a whole number from 1 to 64 ("65")', '8'],
  ['REQUEST_TIMEOUT', '30', 'not a duration above zero with its unit (ms, s, m, h) ("30")', '30s'],
  ['RETRIES', 'four', 'not a whole number from 0 to 20 ("four")', '4'],
  ['WINDOW_END', 'next day', 'not one of same-day, next-day ("next day")', 'same-day'],
  ['CLIENT_BALANCE', 'maybe', 'neither true nor false ("maybe")', 'true'],
  ['DIGEST_FROM', 'Callsheet', 'not a mail address ("Callsheet")', "'Callsheet <callsheet@example.com>'"],
  ['DIGEST_REPLY_TO', 'a@x.com,b@x.com', 'not a mail address ("a@x.com,b@x.com")', 'ana@example.com'],
  [
    'DIGEST_TO',
    'ana@x.com;',
    'a list with "ana@x.com;" in it, which is not a mail address ("ana@x.com;")',
    'ana@example.com,ben@example.com',
  ],
  ['ALERT_TO', 'ops', 'a list with "ops" in it, which is not a mail address ("ops")', 'ops@example.com'],
  [
    'DIGEST_LINK',
    'https://bi.example.com/{date}',
    'an address with {date} in it, which isn\'t one of {day}, {from}, {to}, {account} ("https://bi.example.com/{date}")',
    "'https://bi.example.com/campaigns?day={day}&account={account}'",
  ],
  ['HTTP_HOST', '127.0.0.1:8080', 'not the name or address of a machine ("127.0.0.1:8080")', '127.0.0.1'],
  ['HTTP_PORT', '65536', 'not a whole number from 0 to 65535 ("65536")', '8080'],
  [
    'HTTP_NAMES',
    'callsheet, http://x',
    'a list with "http://x" in it, which is not the name or address of a machine ("callsheet, http://x")',
    'callsheet.example.com',
  ],
  ['HTTP_TOKEN', 'short', 'shorter than 16 characters', "'<32-random-characters>'"],
  ['LOG_LEVEL', 'INFO', 'not one of trace, debug, info, warn, error, fatal, silent ("INFO")', 'info'],
  ['LOG_FORMAT', 'text', 'not one of json, pretty ("text")', 'json'],
  ['ACCOUNT_NAME', '-main', 'not a short name of letters, digits, spaces, dots, dashes ("-main")', 'main'],
  ['SIDTOKEN', 'two words', 'a text with white space or control characters in it', "'<SID_TOKEN>'"],
  [
    'DATABASE_URL',
    'mysql://db/x',
    'not an address that begins with postgres:// or postgresql://',
    'postgres://callsheet:password@db.example.com:5432/callsheet?sslmode=verify-full',
  ],
  [
    'MIGRATE_DATABASE_URL',
    'db:5432',
    'not an address that begins with postgres:// or postgresql://',
    'postgres://callsheet:password@db.example.com:5432/callsheet?sslmode=verify-full',
  ],
];

describe('a look-back beyond what is caught up', () => {
  const line = (lookback: number, catchUp: number) =>
    `LOOKBACK_DAYS (${lookback}) is beyond CATCH_UP_DAYS (${catchUp}), which bounds it; for example LOOKBACK_DAYS=3 and CATCH_UP_DAYS=31`;

  test('is an error, also where one of the two is not set', () => {
    expect(onlyErrorOf({ LOOKBACK_DAYS: '8', CATCH_UP_DAYS: '7' })).toBe(line(8, 7));
    expect(onlyErrorOf({ LOOKBACK_DAYS: '32' })).toBe(line(32, 31));
    expect(onlyErrorOf({ CATCH_UP_DAYS: '2' })).toBe(line(3, 2));
    expect(errorsOf({ LOOKBACK_DAYS: '7', CATCH_UP_DAYS: '7' })).toEqual([]);
  });
});

test.each([
  ['javascript:alert(1)', 'not an address that begins with http:// or https://'],
  ['https://ana:secret@x.example', 'an address with a user name or password in it'],
  ['https://x.example/{day', "an address with {day in it, which isn't one of {day}, {from}, {to}, {account}"],
])(
  'a dashboard is an address of the web without a password and with whole placeholders, and %s is none',
  (address, error) => {
    const example = "DIGEST_LINK='https://bi.example.com/campaigns?day={day}&account={account}'";
    expect(onlyErrorOf({ DIGEST_LINK: address })).toBe(
      `DIGEST_LINK is ${error} ("${address}"); for example ${example}`,
    );
  },
);

describe('a malformed setting', () => {
  test.each(malformed)('%s is reported with its error and an example', (name, value, error, example) => {
    expect(onlyErrorOf({ [name]: value })).toBe(`${name} is ${error}; for example ${name}=${example}`);
  });

  test('with several errors is reported with the first alone', () => {
    expect(onlyErrorOf({ HTTP_TOKEN: 'too short' })).toBe(
      "HTTP_TOKEN is a text with white space or other than ASCII in it; for example HTTP_TOKEN='<32-random-characters>'",
    );
  });

  test('that is SMTP_URL is reported, too, beside the sender that it needs', () => {
    const missing = "DIGEST_FROM is missing; for example DIGEST_FROM='Callsheet <callsheet@example.com>'";
    const example = 'SMTP_URL=smtp://user:password@mail.example.com:587';
    expect(errorsOf({ SMTP_URL: 'mail.example.com' })).toEqual([
      missing,
      `SMTP_URL is not an address that begins with smtp:// or smtps://; for example ${example}`,
    ]);
    expect(errorsOf({ SMTP_URL: 'smtp://mail.example.com?tls=none' })).toEqual([
      missing,
      `SMTP_URL is an address with something else than tls=optional behind the ?; for example ${example}`,
    ]);
    expect(errorsOf({ SMTP_URL: 'smtp://mail.example.com' })).toEqual([missing]);
  });

  test('is reported together with every other one, a line each', () => {
    const all = Object.fromEntries(malformed.map(([name, value]) => [name, value]));
    const errors = errorsOf(all);
    expect(errors.map((error) => error.split(' ')[0]).sort()).toEqual(malformed.map(([name]) => name).sort());
    for (const error of errors) expect(error).not.toContain('\n');
  });

  test('in a file of a secret is reported without the secret and with an example of it', () => {
    const secret = { HTTP_TOKEN_FILE: file('token', 'too short') };
    expect(onlyErrorOf(secret)).toBe(
      'HTTP_TOKEN_FILE is a file whose content is a text with white space or other than ASCII in it; for example <32-random-characters>',
    );
    expect(onlyErrorOf({ HTTP_TOKEN_FILE: file('token', '\n') })).toBe(
      'HTTP_TOKEN_FILE is an empty file; for example HTTP_TOKEN_FILE=/run/secrets/http_token',
    );
  });
});

describe('a missing setting', () => {
  const missing = [
    'SERVICE_BASE_URL is missing; for example SERVICE_BASE_URL=https://service.example.com/api',
    "SIDTOKEN is missing, and so is ACCOUNTS_FILE; for example SIDTOKEN='<SID_TOKEN>'",
  ];

  test('is reported with an example: the service’s address and the token at once', () => {
    expect(errorsOf({ SERVICE_BASE_URL: '', SIDTOKEN: '', RETRIES: '4' })).toEqual(missing);
  });

  test('is reported with the command to start with, if nothing is set and no launcher sets it', () => {
    const nothing = { SERVICE_BASE_URL: '', SIDTOKEN: '' };
    expect(errorsOf(nothing)).toEqual([...missing, 'start with: npm start -- init']);
    expect(errorsOf({ ...nothing, CALLSHEET_COMMAND: 'callsheet' })).toEqual(missing);
  });

  test('is no error for a command without requests to the service, but malformed settings still are', () => {
    expect(errorsOf({ SERVICE_BASE_URL: '', SIDTOKEN: '' }, { service: false })).toEqual([]);
    expect(errorsOf({ SERVICE_BASE_URL: 'x', SIDTOKEN: '' }, { service: false })).toHaveLength(1);
  });
});

describe('two settings that exclude each other', () => {
  test('are an error: a secret and its file, whatever they hold', () => {
    for (const name of ['SIDTOKEN', 'DATABASE_URL', 'MIGRATE_DATABASE_URL']) {
      const both = { [name]: 'postgres://a', [`${name}_FILE`]: file('secret', 'postgres://a') };
      expect(onlyErrorOf(both)).toBe(`${name} and ${name}_FILE are both set: keep one of them`);
    }
  });

  test('are an error: a token and a file of accounts', () => {
    const accounts = file('accounts.yaml', '- {name: main, sidtoken: abc}');
    const error = 'and ACCOUNTS_FILE are both set: keep one of them';
    expect(onlyErrorOf({ ACCOUNTS_FILE: accounts })).toBe(`SIDTOKEN ${error}`);
    const both = { SIDTOKEN: '', SIDTOKEN_FILE: file('token', 'abc'), ACCOUNTS_FILE: accounts };
    expect(onlyErrorOf(both)).toBe(`SIDTOKEN_FILE ${error}`);
  });

  test('are an error: recipients and a file of digests', () => {
    const digests = file('digests.yaml', '- {name: All, to: ana@example.com}');
    expect(onlyErrorOf({ DIGEST_TO: 'ana@example.com', DIGESTS_FILE: digests })).toBe(
      'DIGEST_TO and DIGESTS_FILE are both set: keep one of them',
    );
  });
});
