import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import {
  hostName,
  hostNames,
  mailAddress,
  mailAddresses,
  mailbox,
  serviceUrl,
  smtpUrl,
  url,
} from '../../src/config/addresses.ts';
import { errorOf } from '../../src/config/formats.ts';

const refuses = (type: z.ZodType, texts: readonly string[], error: RegExp) => {
  for (const text of texts) expect(errorOf(type, text), JSON.stringify(text)).toMatch(error);
};

describe('mail addresses', () => {
  const word = fc.stringMatching(/^[a-z0-9._+-]{1,12}$/);
  const address = fc.tuple(word, word).map(([local, domain]) => `${local}@${domain}.example`);
  const list = fc.array(address, { minLength: 1, maxLength: 5 });

  test('are read one by one, without duplicates, whatever white space is between them', () => {
    fc.assert(
      fc.property(list, fc.constantFrom(',', ', ', ' ,\t', ' , '), (addresses, separator) => {
        expect(mailAddresses.parse(addresses.join(separator))).toEqual([...new Set(addresses)]);
        for (const each of addresses) expect(mailAddress.parse(each)).toBe(each);
      }),
    );
  });

  test('are refused as a list if one is malformed, and the error names that one', () => {
    fc.assert(
      fc.property(list, fc.nat({ max: 4 }), (addresses, place) => {
        const malformed = addresses.toSpliced(place, 0, 'nobody').join(',');
        expect(errorOf(mailAddresses, malformed)).toBe(
          'a list with "nobody" in it, which is not a mail address',
        );
      }),
    );
  });

  test('may have no display name, no second address and no line break', () => {
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

  test('may have a display name as a sender', () => {
    for (const text of [
      'ana@example.com',
      'Ana <ana@example.com>',
      '"Doe, Ana" <ana@example.com>',
      '<a@x.com>',
      'Ana < ana@example.com >',
    ]) {
      expect(mailbox.parse(text)).toBe(text);
    }
    const texts = ['Ana', 'Ana <nobody>', 'Ana <a@x.com', 'Ana <a@x.com> <b@x.com>', 'Ana\r\nBcc: <a@x.com>'];
    refuses(mailbox, texts, /not a mail address/);
  });
});

describe('an address of a server', () => {
  test('begins with one of its protocols', () => {
    const postgres = url('postgres', 'postgresql');
    expect(postgres.parse('postgresql://u:p%40ss@db/callsheet')).toBe('postgresql://u:p%40ss@db/callsheet');
    const error = /not an address that begins with postgres:\/\/ or postgresql:\/\//;
    refuses(postgres, ['mysql://db', 'db.example.com', '', 'https://db', '/var/run/postgres'], error);
  });

  test('has its per cent signs written as %25, or the password could not be decoded', () => {
    refuses(
      url('postgres'),
      ['postgres://u:50%off@db/x', 'postgres://5%:p@db/x'],
      /a % in it that should be %25/,
    );
    expect(url('postgres').parse('postgres://u:50%25off@db/x')).toBe('postgres://u:50%25off@db/x');
  });

  test('that is a mail server’s has tls=optional behind it at most, and that with smtp alone', () => {
    for (const address of ['smtp://u:p@mail', 'smtp://mail?tls=optional', 'smtps://mail'])
      expect(smtpUrl.parse(address)).toBe(address);
    refuses(
      smtpUrl,
      ['smtp://mail?tls=no', 'smtp://mail?a=1'],
      /something else than tls=optional behind the \?/,
    );
    refuses(smtpUrl, ['smtps://mail?tls=optional'], /an address of smtps with tls=optional/);
  });

  test('that is the service’s has no user, no query and no fragment, and ends without a slash', () => {
    expect(serviceUrl.parse('https://service.example.com/api//')).toBe('https://service.example.com/api');
    expect(serviceUrl.parse('http://127.0.0.1:8080')).toBe('http://127.0.0.1:8080');
    refuses(serviceUrl, ['https://me@x.com', 'https://me:word@x.com'], /a user name or password in it/);
    refuses(serviceUrl, ['https://x.com?a=1', 'https://x.com/#a'], /a query or a fragment/);
    refuses(serviceUrl, ['ftp://x.com', 'x.com/api', 'https://'], /not an address that begins with http/);
  });
});

test('the name or address of a machine comes without scheme, port and path', () => {
  const names = ['127.0.0.1', '0.0.0.0', '::', '::1', 'localhost', 'Callsheet.example.com', 'app-1'];
  expect(names.map((name) => hostName.parse(name))).toEqual(names.map((name) => name.toLowerCase()));
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

test('names of machines are read one by one, in lower case, and an error names the first that is malformed', () => {
  expect(hostNames.parse('Callsheet.example.com , app-1,app-1')).toEqual(['callsheet.example.com', 'app-1']);
  expect(errorOf(hostNames, 'app-1, a:80, b:80')).toBe(
    'a list with "a:80" in it, which is not the name or address of a machine',
  );
});
