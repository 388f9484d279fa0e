import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  cronExpression,
  duration,
  hostName,
  mailAddress,
  mailAddresses,
  mailbox,
  oneOf,
  type Parser,
  passphrase,
  rate,
  serviceUrl,
  timeZone,
  url,
  wholeNumber,
  yesOrNo,
} from '../../src/config/parsers.ts';

const refuses = (parse: Parser<unknown>, texts: readonly string[], fault: RegExp) => {
  for (const text of texts) expect(() => parse(text), JSON.stringify(text)).toThrow(fault);
};

describe('a whole number', () => {
  test('is read within its bounds and refused beyond them', () => {
    const bound = fc.integer({ min: 0, max: 10_000 });
    fc.assert(
      fc.property(bound, bound, fc.integer({ min: 0, max: 20_000 }), (least, most, number) => {
        const parse = wholeNumber(least, most);
        if (least <= number && number <= most) expect(parse(`${number}`)).toBe(number);
        else expect(() => parse(`${number}`)).toThrow(`not a whole number from ${least} to ${most}`);
      }),
    );
  });

  test('is digits and nothing else', () => {
    const texts = ['', ' ', '1.0', '1e2', '0x10', '-1', '+1', ' 1', '1\n', '1,000', '１', 'NaN', 'Infinity'];
    refuses(wholeNumber(0, 10_000), texts, /not a whole number/);
  });
});

test('a rate is a plain number above zero', () => {
  expect(['0.01', '0.5', '20', '1000'].map(rate)).toEqual([0.01, 0.5, 20, 1_000]);
  refuses(
    rate,
    ['', '0', '0.0', '0.009', '1000.1', '-1', '1e2', '.5', '5/s'],
    /not a number from 0.01 to 1000/,
  );
});

describe('a cron expression', () => {
  test.each([
    ['30 6 * * *', '30 6 * * *'],
    ['0 30 6 * * *', '0 30 6 * * *'],
    [' 30\t6  1,15 jan-jun mon ', '30 6 1,15 jan-jun mon'],
    ['30 6 L * ?', '30 6 L * ?'],
    ['@daily', '@daily'],
  ])('of %j is read as %j', (text, expression) => {
    expect(cronExpression(text)).toBe(expression);
  });

  test.each([
    ['', 'pattern includes illegal characters'],
    ['6 30', 'expected 5 or 6 fields but got 2'],
    ['0 0 30 6 * * *', 'expected 5 or 6 fields but got 7'],
    ['60 24 * * *', '60 is a invalid expression for minute, 24 is a invalid expression for hour'],
    ['30 6 30 2 *', '30 2 is an impossible day of month for the given month'],
    ['30 6 1 * 1#2', 'no date matches it'],
  ])('of %j is refused: %s', (text, fault) => {
    expect(() => cronExpression(text)).toThrow(new Error(`not a cron expression: ${fault}`));
  });
});

describe('a duration', () => {
  const units = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

  test('is a number above zero with its unit, in milliseconds', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 500 }), fc.constantFrom('ms', 's', 'm', 'h'), (number, unit) => {
        expect(duration(`${number}${unit}`)).toBe(number * units[unit]);
      }),
    );
  });

  test('is refused without a unit, at zero, and beyond what a timer can hold', () => {
    const texts = ['30', '0s', '-5s', '1.5s', '30 s', '30S', 's', '', '1d', '2147483648ms', '597h'];
    refuses(duration, texts, /not a duration above zero with its unit \(ms, s, m, h\)/);
    expect(duration('2147483647ms')).toBe(2 ** 31 - 1);
  });
});

describe('mail addresses', () => {
  const word = fc.stringMatching(/^[a-z0-9._+-]{1,12}$/);
  const address = fc.tuple(word, word).map(([local, domain]) => `${local}@${domain}.example`);
  const list = fc.array(address, { minLength: 1, maxLength: 5 });

  test('are read one by one, each once, whatever space is between them', () => {
    fc.assert(
      fc.property(list, fc.constantFrom(',', ', ', ' ,\t', ' , '), (addresses, separator) => {
        expect(mailAddresses(addresses.join(separator))).toEqual([...new Set(addresses)]);
        for (const each of addresses) expect(mailAddress(each)).toBe(each);
      }),
    );
  });

  test('are refused as a list where one of them is none, and that one is named', () => {
    fc.assert(
      fc.property(list, fc.nat({ max: 4 }), (addresses, place) => {
        const spoilt = addresses.toSpliced(place, 0, 'nobody').join(',');
        expect(() => mailAddresses(spoilt)).toThrow(
          'a list with "nobody" in it, which is not a mail address',
        );
      }),
    );
  });

  test('have no display name, no second address and no line break in them', () => {
    const texts = [
      'nobody',
      '@example.com',
      'ana@',
      'a b@example.com',
      'ana@example.com\r\nBcc: eve@example.com',
    ];
    refuses(
      mailAddress,
      [...texts, 'Ana <ana@example.com>', 'a@b@c', 'a@x.com,b@x.com', ''],
      /not a mail address/,
    );
    refuses(mailAddress, [`${'a'.repeat(250)}@x.com`], /not a mail address/);
    refuses(mailAddresses, ['', ',', 'ana@example.com,', 'a@x.com;b@x.com'], /not a mail address/);
  });

  test('may have a display name where one is sent from', () => {
    for (const text of [
      'ana@example.com',
      'Ana <ana@example.com>',
      '"Doe, Ana" <ana@example.com>',
      '<a@x.com>',
    ]) {
      expect(mailbox(text)).toBe(text);
    }
    const texts = ['Ana', 'Ana <nobody>', 'Ana <a@x.com', 'Ana <a@x.com> <b@x.com>', 'Ana\r\nBcc: <a@x.com>'];
    refuses(mailbox, texts, /not a mail address/);
  });
});

describe('an address of a server', () => {
  test('begins with one of its protocols', () => {
    const postgres = url('postgres:', 'postgresql:');
    expect(postgres('postgresql://u:p%40ss@db/callsheet')).toBe('postgresql://u:p%40ss@db/callsheet');
    const fault = /not an address that begins with postgres:\/\/ or postgresql:\/\//;
    refuses(postgres, ['mysql://db', 'db.example.com', '', 'https://db', '/var/run/postgres'], fault);
  });

  test('has its per cent signs written as %25, or nobody could read the password', () => {
    refuses(
      url('postgres:'),
      ['postgres://u:50%off@db/x', 'postgres://5%:p@db/x'],
      /a % in it that should be %25/,
    );
    expect(url('postgres:')('postgres://u:50%25off@db/x')).toBe('postgres://u:50%25off@db/x');
  });

  test('that is the service’s has no user, no query and no fragment, and ends without a slash', () => {
    expect(serviceUrl('https://service.example.com/api//')).toBe('https://service.example.com/api');
    expect(serviceUrl('http://127.0.0.1:8080')).toBe('http://127.0.0.1:8080');
    refuses(serviceUrl, ['https://me@x.com', 'https://me:word@x.com'], /a user name or password in it/);
    refuses(serviceUrl, ['https://x.com?a=1', 'https://x.com/#a'], /a query or a fragment/);
    refuses(serviceUrl, ['ftp://x.com', 'x.com/api', 'https://'], /not an address that begins with http/);
  });
});

describe('a time zone', () => {
  test('is one of the IANA database, and is told in its own spelling', () => {
    expect(timeZone('europe/madrid')).toBe('Europe/Madrid');
    for (const zone of ['UTC', 'Etc/GMT+12', 'America/Argentina/Buenos_Aires'])
      expect(timeZone(zone)).toBe(zone);
  });

  test('is no offset, whose sign Postgres reads the other way, and no date with a zone', () => {
    const texts = ['+02:00', '-0300', '2026-11-19T00:00[Europe/Madrid]', '', 'Mars/Phobos', 'UTC+2', 'local'];
    refuses(timeZone, texts, /not a time zone of the IANA database/);
  });
});

test('the name or address of a machine comes without scheme, port and path', () => {
  const names = ['127.0.0.1', '0.0.0.0', '::', '::1', 'localhost', 'Callsheet.example.com', 'app-1'];
  expect(names.map(hostName)).toEqual(names.map((name) => name.toLowerCase()));
  const texts = [
    '',
    'a:80',
    'http://a',
    'a/b',
    'a b',
    '[::1]',
    '*',
    'a_b?',
    'user@a',
    '1.2.3.4.5',
    'ä.example',
  ];
  refuses(hostName, texts, /not the name or address of a machine/);
});

test('a secret to be sent over HTTP is 16 characters of ASCII or more', () => {
  expect(passphrase('0123456789abc:e/')).toBe('0123456789abc:e/');
  refuses(passphrase, ['', '0123456789abcde'], /shorter than 16 characters|other than ASCII/);
  refuses(passphrase, ['sixteen or more of them', '0123456789abcdefé'], /white space or other than ASCII/);
});

test('yes and no are read in any letters, and nothing else is either', () => {
  for (const text of ['true', 'TRUE', 'Yes', '1']) expect(yesOrNo(text)).toBe(true);
  for (const text of ['false', 'No', '0']) expect(yesOrNo(text)).toBe(false);
  refuses(yesOrNo, ['', 'on', 'y', '2', ' true'], /neither true nor false/);
});

test('one of several words is read as written, and the choices are told', () => {
  expect(oneOf('json', 'pretty')('pretty')).toBe('pretty');
  refuses(oneOf('json', 'pretty'), ['', 'JSON', 'pretty '], /not one of json, pretty/);
});
