import { describe, expect, test } from 'vitest';
import { exampleLine } from '../../src/config/schema.ts';
import { errorsOf, file, load, onlyErrorOf } from './loading.ts';

const naturals = '1.0 | 1e2 | 0x10 | -1 | +1 |  1 | 1\n | 1,000 | １ | NaN | Infinity';
const notATime = 'not a duration above zero with its unit (ms, s, m, h)';
const notALink = 'an address with';
const base = 'postgres://callsheet:password@db.example.com/callsheet';
const parameters = 'sslmode, sslrootcert, sslcert, sslkey, channel_binding, application_name, options, host';

/** Values that a setting can't have, separated by bars, and the error. */
const refused: readonly (readonly [name: string, values: string, error: string])[] = [
  ['SERVICE_BASE_URL', 'ftp://x.com | x.com/api | https://', 'not an address that begins with http://'],
  ['SERVICE_BASE_URL', 'https://me@x.com | https://me:word@x.com', 'an address with a user name or password'],
  ['SERVICE_BASE_URL', 'https://x.com?a=1 | https://x.com/#a', 'an address with a query or a fragment'],
  ['TIME_ZONE', '+02:00 | -0300 | 2026-11-19T00:00[Europe/Madrid] | Mars/Phobos | UTC+2', 'not a time zone'],
  ['SCHEDULE', 'at six | 6 30', 'not a cron expression: expected 5 or 6 fields but got 2'],
  ['SCHEDULE', '0 0 30 6 * * *', 'not a cron expression: expected 5 or 6 fields but got 7'],
  ['SCHEDULE', '60 24 * * *', 'not a cron expression: 60 is not a minute from 0 to 59, 24 is not an hour'],
  ['SCHEDULE', '30 6 * foo *', 'not a cron expression: foo is not a month from 1 to 12 or jan to dec'],
  ['SCHEDULE', '@nightly | 30.5 6 * * *', 'not a cron expression: it has a character or a word that cron'],
  ['SCHEDULE', '30 6 30 2 *', 'not a cron expression: none of its months has a day 30'],
  ['SCHEDULE', '30 6 1 * 1#2', 'not a cron expression: no date matches it'],
  ['SCHEDULE', '*/61 * * * *', 'not a cron expression: the step /61 is larger than its field'],
  ['SCHEDULE', '0 */24 * * * | 0 6 */32 * *', 'not a cron expression: the step /'],
  ['SCHEDULE', '1-0 6 * * *', 'not a cron expression: 1-0 runs backwards'],
  ['RETRY_FOR', '30 | 0s | -5s | 1.5s | 30 s | 30S | s | 1d | x30s | 30sx | 30s5m', notATime],
  ['REQUEST_TIMEOUT', '30 | 2147483648ms | 597h', notATime],
  ['LOOKBACK_DAYS', '367', 'not a whole number from 0 to 366'],
  ['CATCH_UP_DAYS', '0 | 3661', 'not a whole number from 1 to 3660'],
  ['ARCHIVE_DAYS', '1 | 36601', 'not a whole number from 2 to 36600'],
  ['PAGE_LIMIT', `0 | 100001 | ${naturals}`, 'not a whole number from 1 to 100000'],
  ['CONCURRENCY', '0 | 65', 'not a whole number from 1 to 64'],
  ['RETRIES', '21 | four', 'not a whole number from 0 to 20'],
  ['MAX_RESPONSE_MB', '0 | 257', 'not a whole number from 1 to 256'],
  ['DIGEST_MAX_MB', '0 | 1001', 'not a whole number from 1 to 1000'],
  ['HTTP_PORT', '65536', 'not a whole number from 0 to 65535'],
  [
    'HTTP_PORT',
    'tcp://10.96.0.12:80',
    'an address that Kubernetes sets for a Service called http; set enable',
  ],
  ['RATE_PER_SECOND', '0 | 0.009 | 1000.1 | -1 | 1e2 | .5 | 5/s', 'not a number from 0.01 to 1000'],
  ['WINDOW_END', 'next day | SAME-DAY', 'not one of same-day, next-day'],
  ['LOG_LEVEL', 'INFO', 'not one of trace, debug, info, warn, error, fatal, silent'],
  ['LOG_FORMAT', 'text | pretty ', 'not one of json, pretty'],
  ['CLIENT_BALANCE', 'maybe | on | y | 2 |  true', 'neither true nor false'],
  ['ALLOW_INSECURE_HTTP', 'on', 'neither true nor false'],
  ['DIGEST_FROM', 'Ana | Ana <nobody> | Ana <a@x.com | Ana <a@x.com> <b@x.com>', 'not a mail address'],
  [
    'DIGEST_FROM',
    '"Ana <a@x.com> | Ana" <a@x.com> | Ana (x <a@x.com> | Team: Ana <a@x.com>',
    'a name that needs "',
  ],
  ['DIGEST_FROM', 'Ana\r\nBcc: <a@x.com>', 'not a mail address'],
  ['DIGEST_REPLY_TO', 'nobody | @x.com | ana@ | a b@x.com | Ana <ana@x.com> | a@b@c', 'not a mail address'],
  ['DIGEST_REPLY_TO', `a@x.com,b@x.com | a@x.com\r\nBcc: b@x.com | ${'a'.repeat(250)}@x.com`, 'not a mail'],
  [
    'DIGEST_TO',
    'a@x.com,nobody | nobody, a@x.com | a@x.com,nobody,no',
    'a list with "nobody", which is not a mail address; commas separate its entries',
  ],
  ['SMTP_URL', 'smtp:// | smtp:/// | smtp:mail.example.com', 'an address without a host'],
  ['DIGEST_TO', 'a@x.com, | ,', 'a list with "", which is not a mail address'],
  ['ALERT_TO', 'a@x.com;b@x.com', 'a list with "a@x.com;b@x.com", which is not a mail address'],
  ['DIGEST_LINK', 'javascript:alert(1)', 'not an address that begins with http:// or https://'],
  ['DIGEST_LINK', 'https://ana:secret@x.example', `${notALink} a user name or password in it`],
  ['DIGEST_LINK', 'https://x.example/{date}', `${notALink} {date} in it, which isn't one of {day}, {from},`],
  ['DIGEST_LINK', 'https://x.example/{day', `${notALink} {day in it, which isn't one of {day}, {from}, {to}`],
  ['PAGE_URL', 'callsheet.example.com', 'not an address that begins with http:// or https://'],
  ['HEALTHCHECK_URL', 'ftp://hc.example.com', 'not an address that begins with http:// or https://'],
  ['ALERT_WEBHOOK_URL', 'hooks.example.com', 'not an address that begins with http:// or https://'],
  [
    'HTTP_HOST',
    'a:80 | http://a | a/b | a b | [::1] | * | a_b? | user@a | 1.2.3.4.5 | ä.example',
    'not a host name or an IP address',
  ],
  [
    'HTTP_NAMES',
    'app-1, http://x, a:80',
    'a list with "http://x", which is not a host name or an IP address',
  ],
  ['HTTP_TOKEN', '0123456789abcde', 'shorter than 16 characters'],
  ['HTTP_TOKEN', 'sixteen or more of them | 0123456789abcdefé | too short', 'not plain ASCII without spaces'],
  ['ACCOUNT_NAME', `-main | a/b | a&b | a\n | ${'x'.repeat(64)}`, 'not a short name of letters, digits,'],
  ['INSTALLATION', ' a', 'not a short name of letters, digits, spaces, dots, dashes'],
  ['SIDTOKEN', 'a | ab', 'too short to be kept out of logs: use at least 3 characters'],
  [
    'DATABASE_URL',
    'postgres://u:p@db/x | postgres://u:%25a@db/x',
    'an address with a password too short to be',
  ],
  ['ALERT_WEBHOOK_URL', 'https://u:p@hooks.example.com', 'an address with a password too short to be kept'],
  [
    'SIDTOKEN',
    'two words | a\u0000b | a\uD800 | token\u200b',
    'not a token: it contains a space or an invisible character',
  ],
  ['SMTP_URL', 'mail.example.com', 'not an address that begins with smtp:// or smtps://'],
  [
    'SMTP_URL',
    'smtp://mail?tls=no | smtp://mail?a=1',
    'an address with something other than name=… or tls=optional',
  ],
  [
    'SMTP_URL',
    'smtps://mail?tls=optional',
    'an address of smtps with tls=optional, which works only with smtp',
  ],
  ['SMTP_URL', 'smtp://mail?name=a_b', 'an address with a name= that is not a host name'],
  ['SMTP_URL', 'smtp://U:a/b+c@mail:587', 'an address with a / in its user or password that should be %2F'],
  [
    'SMTP_URL',
    'smtp://U:1/b@mail',
    'an address with a / after the host; in a user or password it should be %2F',
  ],
  ['SMTP_URL', 'smtp://U:a#b@mail', 'an address with a # in its user or password that should be %23'],
  ['SMTP_URL', 'smtp://U:a?b@mail', 'an address with a ? in its user or password that should be %3F'],
  [
    'DATABASE_URL',
    'postgres://u:a/b@db/x | postgres://u:1/b@db/x',
    'an address with a / in its user or password',
  ],
  [
    'DATABASE_URL',
    'mysql://db | db.example.com | https://db | /var/run/postgres',
    'not an address that begins',
  ],
  ['DATABASE_URL', 'postgres://u:50%off@db/x | postgres://5%:pass@db/x', 'an address with a % in it that'],
  ['DATABASE_URL', `${base}#1`, 'an address with a # in it that should be %23'],
  ['DATABASE_URL', `${base}?sslMode=require`, `an address with sslMode after the ?, which isn't one of`],
  // The rest of a password with a ? in it: it isn't quoted.
  ['DATABASE_URL', 'postgres://u:12?open-sesame@db/x', `an address with something after the ?, which isn't`],
  ['DATABASE_URL', `${base}?connect_timeout=1`, `an address with connect_timeout after the ?, which isn't`],
  [
    'DATABASE_URL',
    `${base}?sslmode=on | ${base}?sslmode=prefer`,
    'an address with an unknown sslmode; use one of',
  ],
  ['DATABASE_URL', `${base}?channel_binding=on`, 'an address with an unknown channel_binding; use one of'],
  [
    'DATABASE_URL',
    `${base}?channel_binding=require | ${base}?channel_binding=require&sslmode=disable`,
    'an address with channel_binding=require but without TLS',
  ],
  [
    'DATABASE_URL',
    'postgres://u:secret-word@db1:5432,db2:5432/x | postgres://db1,db2/x | postgres:///x?host=db1,db2',
    'an address with several hosts',
  ],
  ['DATABASE_URL', `${base}?sslmode=verify-ca`, 'an address with sslmode=verify-ca but without an authority'],
  ['DATABASE_URL', `${base}?sslcert=/no/file`, 'an address with sslcert=/no/file, which doesn'],
  ['MIGRATE_DATABASE_URL', 'db:5432', 'not an address that begins with postgres:// or postgresql://'],
];

/** Values that a setting may have. */
const taken: readonly (readonly [name: string, values: string])[] = [
  ['SERVICE_BASE_URL', 'http://127.0.0.1:8080 | https://x.com/api//'],
  ['TIME_ZONE', 'europe/madrid | Etc/GMT+12 | America/Argentina/Buenos_Aires'],
  ['SCHEDULE', '30 22 * * fri-mon | */59 */23 * * *'],
  ['SCHEDULE', '0 30 6 * * * |  30\t6  1,15 jan-jun mon  | 30 6 L * ? | @daily'],
  ['REQUEST_TIMEOUT', '1ms | 2147483647ms'],
  ['RATE_PER_SECOND', '0.01 | 0.5 | 1000'],
  ['DIGEST_FROM', 'ana@x.com | Ana <ana@x.com> | "Doe, Ana" <ana@x.com> | <a@x.com> | Ana < ana@x.com >'],
  ['DIGEST_FROM', '"Ana (x): \\"y\\"" <ana@x.com> | Ana O\'Hara <ana@x.com>'],
  ['DIGEST_TO', 'ana@x.com | ana.b+c_d-e@x-y.example ,\tben@x.com'],
  ['HTTP_HOST', '0.0.0.0 | :: | ::1 | localhost | Callsheet.example.com | app-1'],
  ['ACCOUNT_NAME', `a | 7 | Ñandú-co. | main office | ${'x'.repeat(63)}`],
  ['HTTP_TOKEN', '0123456789abc:e/'],
  [
    'SMTP_URL',
    'smtp://u:a%2Fb@mail | smtp://mail?tls=optional&name=a.example | smtps://mail?name=a.example | smtp://mail/',
  ],
  [
    'DATABASE_URL',
    `postgresql://u:p%40ss@db/x | postgres://u:a,b-secret@db/x | postgres://u:50%25off@db/x | ${base}?host=/var/run/postgres`,
  ],
  ['DATABASE_URL', `${base}?sslmode=require&channel_binding=prefer | ${base}?application_name=/no/file`],
  ['DATABASE_URL', `${base}?sslmode=require&channel_binding=require | ${base}?channel_binding=prefer`],
  ['DATABASE_URL', `${base}?sslmode=verify-full&sslrootcert=system&options=-c%20work_mem%3D64MB`],
];

describe('a malformed setting', () => {
  test.each(refused)('%s, such as %j, is reported with its error and an example', (name, values, error) => {
    for (const value of values.split(' | ')) {
      const line = onlyErrorOf({ DIGEST_FROM: 'a@example.com', [name]: value });
      expect(line, value).toMatch(new RegExp(`^${name} is ${RegExp.escape(error)}`));
      expect(line.slice(line.indexOf('; for example ')), value).toBe(`; for example ${exampleLine(name)}`);
    }
  });

  test.each(taken)('%s is none with %j', (name, values) => {
    for (const value of values.split(' | '))
      expect([value, errorsOf({ DIGEST_FROM: 'a@example.com', [name]: value })]).toEqual([value, []]);
  });

  test('is quoted, and what it can be is listed', () => {
    expect(onlyErrorOf({ LOG_FORMAT: 'text' })).toBe(
      'LOG_FORMAT is not one of json, pretty ("text"); for example LOG_FORMAT=json',
    );
    expect(onlyErrorOf({ DATABASE_URL: `${base}?sslMode=require` })).toContain(`isn't one of ${parameters};`);
  });

  test('is reported together with every other one, a line each', () => {
    const all = new Map(refused.map(([name, values]) => [name, values.split(' | ')[0]!]));
    const errors = errorsOf(Object.fromEntries(all));
    expect(errors.map((error) => error.split(' ')[0]).sort()).toEqual([...all.keys()].sort());
    for (const error of errors) expect(error).not.toContain('\n');
  });

  test('in a file of a secret is reported without the secret and with an example of it', () => {
    expect(onlyErrorOf({ HTTP_TOKEN_FILE: file('token', 'too short') })).toBe(
      'HTTP_TOKEN_FILE is a file whose content is not plain ASCII without spaces; for example <32-random-characters>',
    );
    expect(onlyErrorOf({ HTTP_TOKEN_FILE: file('token', '\n') })).toBe(
      'HTTP_TOKEN_FILE is an empty file; for example HTTP_TOKEN_FILE=/run/secrets/http_token',
    );
  });
});

test.each([
  ['1ms', 1],
  ['30s', 30_000],
  ['2m', 120_000],
  ['3h', 10_800_000],
])('a duration of %s is %i milliseconds', (text, milliseconds) => {
  expect(load({ REQUEST_TIMEOUT: text }).config.service.requestTimeoutMs).toBe(milliseconds);
});

test('yes and no are read in upper and lower case', () => {
  const read = (text: string) => load({ CLIENT_BALANCE: text }).config.service.balance;
  expect(['true', 'TRUE', 'Yes', '1'].map(read)).toEqual([true, true, true, true]);
  expect(['false', 'No', '0'].map(read)).toEqual([false, false, false]);
});

test('the file of a database’s certificate has to be there', () => {
  const there = file('ca.pem', 'x');
  for (const name of ['sslrootcert', 'sslcert', 'sslkey']) {
    expect(errorsOf({ DATABASE_URL: `${base}?${name}=${there}` })).toEqual([]);
    expect(onlyErrorOf({ DATABASE_URL: `${base}?${name}=${there}.gone` })).toContain(
      `an address with ${name}=${there}.gone, which doesn't exist`,
    );
  }
});

test('an address where a path belongs is an error, and its password is nowhere', () => {
  const address = 'postgres://user:S3cr3t-w0rd@db.example.com/callsheet';
  const paths = ['NODE_EXTRA_CA_CERTS', 'ACCOUNTS_FILE', 'DIGESTS_FILE', 'OUTBOX_DIR', 'HTTP_TOKEN_FILE'];
  for (const name of paths) {
    const errors = errorsOf({ [name]: address, ...(name === 'ACCOUNTS_FILE' && { SIDTOKEN: '' }) });
    expect(errors).toEqual([expect.stringMatching(`^${name} is an address, where the path of a file`)]);
    expect(errors.join()).not.toContain('S3cr3t-w0rd');
  }
  const inAddress = onlyErrorOf({ DATABASE_URL: `${base}?sslrootcert=${address}` });
  expect(inAddress).toContain('an address with an address in sslrootcert');
  expect(inAddress).not.toContain('S3cr3t-w0rd');
});

test('a look-back beyond what is caught up is an error, even if one of the two is not set', () => {
  const line = (lookback: number, catchUp: number) =>
    `LOOKBACK_DAYS (${lookback}) is larger than CATCH_UP_DAYS (${catchUp}); for example LOOKBACK_DAYS=3 and CATCH_UP_DAYS=31`;
  expect(onlyErrorOf({ LOOKBACK_DAYS: '8', CATCH_UP_DAYS: '7' })).toBe(line(8, 7));
  expect(onlyErrorOf({ LOOKBACK_DAYS: '32' })).toBe(line(32, 31));
  expect(onlyErrorOf({ CATCH_UP_DAYS: '2' })).toBe(line(3, 2));
  expect(errorsOf({ LOOKBACK_DAYS: '7', CATCH_UP_DAYS: '7' })).toEqual([]);
});

describe('a missing setting', () => {
  const nothing = { SERVICE_BASE_URL: '', SIDTOKEN: '' };
  const missing = [
    'SERVICE_BASE_URL is missing; for example SERVICE_BASE_URL=https://service.example.com/api',
    "SIDTOKEN is missing, and so is ACCOUNTS_FILE; for example SIDTOKEN='<SID_TOKEN>'",
  ];

  test('is reported with an example: the service’s address and the token at once', () => {
    expect(errorsOf({ ...nothing, CALLSHEET_COMMAND: 'callsheet' })).toEqual(missing);
  });

  test('is reported with the command to start with, whatever else is set, unless a launcher sets it', () => {
    for (const others of [{}, { RETRIES: '4' }])
      expect(errorsOf({ ...nothing, ...others })).toEqual([...missing, 'start with: npm start -- init']);
    expect(errorsOf({ SIDTOKEN: '' })).toEqual([missing[1]]);
  });

  test('is no error for a command without requests to the service, but malformed settings still are', () => {
    expect(errorsOf(nothing, { service: false })).toEqual([]);
    expect(errorsOf({ ...nothing, SERVICE_BASE_URL: 'x' }, { service: false })).toHaveLength(1);
  });

  test('is the sender, if there is a mail server', () => {
    expect(onlyErrorOf({ SMTP_URL: 'smtp://mail.example.com' })).toBe(
      "DIGEST_FROM is missing; for example DIGEST_FROM='Callsheet <callsheet@example.com>'",
    );
  });
});

test('two settings that exclude each other are an error, whatever they hold', () => {
  const accounts = file('accounts.yaml', '- {name: main, sidtoken: abc}');
  const digests = file('digests.yaml', '- {name: All, to: ana@example.com}');
  const pairs = [
    ...['SIDTOKEN', 'DATABASE_URL', 'MIGRATE_DATABASE_URL'].map((name) => ({
      [name]: 'postgres://a',
      [`${name}_FILE`]: file('secret', 'postgres://a'),
    })),
    { SIDTOKEN: 'abc', ACCOUNTS_FILE: accounts },
    { SIDTOKEN_FILE: file('token', 'abc'), ACCOUNTS_FILE: accounts },
    { DIGEST_TO: 'ana@example.com', DIGESTS_FILE: digests },
  ];
  for (const pair of pairs) {
    const [one, other] = Object.keys(pair);
    const others = one === 'SIDTOKEN_FILE' ? { SIDTOKEN: '' } : {};
    expect(onlyErrorOf({ ...others, ...pair })).toBe(`${one} and ${other} are both set: keep one of them`);
  }
});

test('a PGPASSWORD of a letter or two is an error: pg may log in with it', () => {
  expect(onlyErrorOf({ PGPASSWORD: 'pw' })).toBe(
    'PGPASSWORD is too short to be kept out of logs: use at least 3 characters',
  );
  expect(errorsOf({ PGPASSWORD: 'pwd' })).toEqual([]);
});

test('an address that was written to a setting of something else is quoted without its password', () => {
  const error = onlyErrorOf({ DIGEST_TO: 'postgres://callsheet:hunter2@db.example.com/callsheet' });
  expect(error).toContain('postgres://callsheet:…@db.example.com');
  expect(error).not.toContain('hunter2');
});

test('a whole file as a value is cut in the error', () => {
  for (const name of ['TIME_ZONE', 'DIGEST_TO', 'OUTBOX_DIR', 'SCHEDULE'])
    for (const error of errorsOf({ [name]: 'x@ '.repeat(10_000) })) expect(error.length).toBeLessThan(700);
});
