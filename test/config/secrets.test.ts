import { rmSync, writeFileSync } from 'node:fs';
import { inspect } from 'node:util';
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { settingsSchema } from '../../src/config/schema.ts';
import { createSecrets } from '../../src/config/secrets.ts';
import { createRedactor, redacted } from '../../src/support/redaction.ts';
import { errorsOf, file, load, minimal } from './loading.ts';

const settings = {
  DATABASE_URL: 'postgres://callsheet:dB%2Fp4ss@db.example.com/callsheet',
  MIGRATE_DATABASE_URL: 'postgres://owner:m1gr4te@direct.example.com/callsheet',
  SMTP_URL: 'smtp://mailer:m4il+w0rd@mail.example.com:587',
  DIGEST_FROM: 'callsheet@example.com',
  HTTP_TOKEN: 'a-l0ng/page-t0ken',
  HEALTHCHECK_URL: 'https://hc.example.com/p1ng-k3y-0123/callsheet?token=qu3ry-k3y-4567',
  ALERT_WEBHOOK_URL: 'https://hooks.example.com/services/h00k-k3y-8901',
};
const hidden = [
  minimal.SIDTOKEN,
  'dB%2Fp4ss',
  'dB/p4ss',
  'm1gr4te',
  'm4il+w0rd',
  settings.HTTP_TOKEN,
  'p1ng-k3y-0123',
  'qu3ry-k3y-4567',
  'h00k-k3y-8901',
];

function expectNone(text: string): void {
  for (const secret of hidden) expect(text).not.toContain(secret);
}

describe('the secrets', () => {
  test('show only [redacted] when they are printed or serialised', () => {
    const { secrets } = load(settings);
    expect(inspect(secrets)).toBe(redacted);
    expect(JSON.stringify({ deep: [secrets] })).toBe(`{"deep":["${redacted}"]}`);
    expectNone(`${secrets}`);
  });

  test('stay out of a log, whole or spread, even where nothing redacts it', () => {
    const { config, secrets } = load(settings);
    const lines: string[] = [];
    const log = pino({ level: 'trace' }, { write: (line) => lines.push(line) });
    log.info({ config, secrets }, `with ${secrets}`);
    log.info({ ...secrets });
    log.info(secrets);
    log.child({ secrets }).warn('%o', secrets);
    expect(lines).toHaveLength(4);
    expect(lines[0]).toContain(redacted);
    expectNone(lines.join());
  });

  test('are known to the redactor from the start, passwords of addresses in both spellings', () => {
    const { secrets } = load(settings);
    for (const secret of hidden) expect(secrets.redactor.redact(`<${secret}>`)).toBe(`<${redacted}>`);
    const address = secrets.redactor.redact(settings.DATABASE_URL);
    expect(address).toBe(`postgres://callsheet:${redacted}@db.example.com/callsheet`);
    const watchdog = secrets.redactor.redact(settings.HEALTHCHECK_URL);
    expect(watchdog).toBe(`https://hc.example.com${redacted}?token=${redacted}`);
  });

  test('include the user of a mail server where it is a key, and the password that pg reads by itself', () => {
    const { redactor } = load({
      ...settings,
      SMTP_URL: 'smtp://AKIA0123456789EXAMPLE:m4il+w0rd@mail.example.com:587',
      PGPASSWORD: 'pg-w0rd',
    }).secrets;
    expect(redactor.redact('AKIA0123456789EXAMPLE, pg-w0rd')).toBe(`${redacted}, ${redacted}`);
    const common = load({
      ...settings,
      SMTP_URL: 'smtp://callsheet%40example.com:m4il+w0rd@mail.example.com',
    });
    expect(common.secrets.redactor.redact('from callsheet@example.com')).toBe('from callsheet@example.com');
  });

  test('include the mail password as AUTH LOGIN and AUTH PLAIN send it, with and without its padding', () => {
    const { redactor } = load({
      ...settings,
      SMTP_URL: 'smtp://ana%40x:m4il+w0rd%2F@mail.example.com',
    }).secrets;
    const sent = [btoa('m4il+w0rd/'), btoa('\0ana@x\0m4il+w0rd/')];
    for (const text of sent.flatMap((each) => [each, each.replaceAll('=', ''), encodeURIComponent(each)]))
      expect(redactor.redact(`535 no: ${text}`)).toMatch(/^535 no: \[redacted\](=|%3D)*$/);
    const without = load({ ...settings, SMTP_URL: 'smtp://mail.example.com' }).secrets;
    expect(without.redactor.redact('AA==')).toBe('AA==');
  });

  test('include keys in addresses from twelve signs on, and tokens before anybody asks for one', () => {
    const of = (environment: Parameters<typeof load>[0]) => load({ ...settings, ...environment }).secrets;
    const [eleven, twelve] = ['elevensigns', 'twelve-signs'];
    const paths = of({ HEALTHCHECK_URL: `https://hc.example.com/${eleven}/${twelve}` }).redactor;
    expect(paths.redact(`${eleven} ${twelve}`)).toBe(`${eleven} ${redacted}`);
    for (const [user, shown] of [
      [eleven, eleven],
      [twelve, redacted],
    ])
      expect(
        of({ SMTP_URL: `smtp://${user}:m4il+w0rd@mail.example.com` }).redactor.redact(`as ${user}`),
      ).toBe(`as ${shown}`);
    const withoutToken = { ...minimal, HTTP_TOKEN: settings.HTTP_TOKEN };
    const { redactor, tokenRedactor } = createSecrets(
      settingsSchema(withoutToken).parse(withoutToken),
      createRedactor(),
    );
    for (const each of [redactor, tokenRedactor]) expect(each.redact(minimal.SIDTOKEN)).toBe(redacted);
    expect(tokenRedactor.redact(settings.HTTP_TOKEN)).toBe(settings.HTTP_TOKEN);
  });
});

describe('a secret in a file', () => {
  test('is read without the byte order mark, the quotes and the white space around it', () => {
    const files = Object.fromEntries(
      Object.entries({ SIDTOKEN: 'from-a-file', ...settings })
        .filter(([name]) => name !== 'DIGEST_FROM')
        .map(([name, value]) => [`${name}_FILE`, file(name, `\uFEFF"${value}"\r\n`)]),
    );
    const { secrets } = load({ SIDTOKEN: '', DIGEST_FROM: settings.DIGEST_FROM, ...files });
    expect(secrets.token('main')).toBe('from-a-file');
    expect(secrets.databaseUrl()).toBe(settings.DATABASE_URL);
    expect(secrets.migrateDatabaseUrl()).toBe(settings.MIGRATE_DATABASE_URL);
    expect(secrets.smtpUrl()).toBe(settings.SMTP_URL);
  });

  test('that is a token is read again for each use, and the redactor learns the new one', () => {
    const path = file('token', 'first-token');
    const { secrets } = load({ SIDTOKEN: '', SIDTOKEN_FILE: path });
    expect(secrets.token('main')).toBe('first-token');
    writeFileSync(path, 'second-token\n');
    expect(secrets.redactor.redact('second-token')).toBe('second-token');
    expect(secrets.token('main')).toBe('second-token');
    expect(secrets.redactor.redact('first-token second-token')).toBe(`${redacted} ${redacted}`);
  });

  test('that is the address of the database is read again for each connection, and the redactor learns its password', () => {
    const path = file('database_url', 'postgres://u:m0nday%2F1@db.example.com/callsheet');
    const { secrets } = load({ DATABASE_URL_FILE: path });
    const address = secrets.databaseAddress() as () => string;
    expect(address()).toBe('postgres://u:m0nday%2F1@db.example.com/callsheet');
    writeFileSync(path, 'postgres://v:tu3sday%2F2@other.example.com/callsheet\n');
    expect(secrets.redactor.redact('tu3sday/2')).toBe('tu3sday/2');
    expect(address()).toBe('postgres://v:tu3sday%2F2@other.example.com/callsheet');
    expect(secrets.redactor.redact('m0nday/1 tu3sday%2F2 tu3sday/2')).toBe(
      `${redacted} ${redacted} ${redacted}`,
    );
    writeFileSync(path, 'postgres://u:w3dn/esday@db.example.com/callsheet');
    expect(address).toThrow(
      `${path} is a file whose content is an address with a / in its user or password that should be %2F`,
    );
    const plain = 'postgres://u:m0nday@db.example.com/callsheet';
    expect(load({ DATABASE_URL: plain }).secrets.databaseAddress()).toBe(plain);
    expect(load({}).secrets.databaseAddress()).toBeNull();
  });

  const tokenRule = 'a file whose content is not a token: it contains a space or an invisible character';
  test.each([
    ['is missing', null, "a file that doesn't exist"],
    ['is empty', ' \n', 'an empty file'],
    [
      'has one letter',
      'e',
      'a file whose content is too short to be kept out of logs: use at least 3 characters',
    ],
    ['has 200 kB', 'x'.repeat(200_000), 'a file whose content is longer than 4096 characters'],
    ['has two lines', 'a-token\nanother-token', tokenRule],
  ])(
    'that %s is an error that names the file, nobody learns it, and it is read again',
    (_, content, error) => {
      const path = file('token', 'first-token');
      const { secrets } = load({ SIDTOKEN: '', SIDTOKEN_FILE: path });
      if (content === null) rmSync(path);
      else writeFileSync(path, content);
      expect(() => secrets.token('main')).toThrow(`${path} is ${error}`);
      const line = 'alert: Token refused';
      expect(secrets.redactor.redactOwn(secrets.tokenRedactor.redact(line))).toBe(line);
      writeFileSync(path, 'second-token');
      expect(secrets.token('main')).toBe('second-token');
    },
  );

  test('that is an address has no control character in it', () => {
    const path = file('smtp', 'smtp://a:pass-w0rd@mail.example.com\nsmtp://b:pass-w0rd@mail.example.com');
    expect(errorsOf({ SMTP_URL_FILE: path, DIGEST_FROM: 'a@example.com' })).toEqual([
      expect.stringMatching(
        /^SMTP_URL_FILE is a file whose content is an address with a control character in it; for/,
      ),
    ]);
  });
});
