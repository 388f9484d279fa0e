import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fileErrors, meantValue, writingError, writtenLine } from '../../src/config/written.ts';
import { errorsOf, file, load, onlyErrorOf } from './loading.ts';

describe('a variable', () => {
  test.each([
    ['has the quotes of its file taken off, one pair', `'30 6 * * *'`, '30 6 * * *'],
    ['the double ones, too', '"30 6 * * *"', '30 6 * * *'],
    ['and white space within and around them', ' " a b " \r\n', 'a b'],
    ['keeps quotes around a part of it', '"Callsheet, Inc." <a@b.c>', '"Callsheet, Inc." <a@b.c>'],
    ['keeps quotes that only one end has', `'abc`, `'abc`],
    ['keeps those of two quoted words', `'a' and 'b'`, `'a' and 'b'`],
    ['is empty between quotes', "''", ''],
  ])('%s', (_, value, meant) => {
    expect(meantValue(value)).toBe(meant);
  });

  test('in quotes gives the same settings, or is not set', () => {
    const { config, secrets } = load({
      SCHEDULE: `'0 5 * * *'`,
      SIDTOKEN: `"token-in-quotes"`,
      TIME_ZONE: `''`,
      LOOKBACK_DAYS: '2 \n',
    });
    expect([config.schedule, secrets.token('main'), config.planning.timeZone]).toEqual([
      '0 5 * * *',
      'token-in-quotes',
      'UTC',
    ]);
    expect(config.planning.lookbackDays).toBe(2);
  });

  test('of people and files may hold a #, though no comment', () => {
    const named = { DIGEST_FROM: "'Team #1 <team@example.com>'", OUTBOX_DIR: "'mail# of /srv'" };
    expect(load(named).config.mail.from).toBe('Team #1 <team@example.com>');
    const token = { SIDTOKEN: '', SIDTOKEN_FILE: file('token #1', 'token-in-a-file') };
    expect(load(token).secrets.token('main')).toBe('token-in-a-file');
    expect(onlyErrorOf({ OUTBOX_DIR: 'outbox # where mail goes' })).toMatch(/^OUTBOX_DIR has a comment/);
  });

  test('with a comment behind its value, or with what double quotes may change, is an error that says how to write it', () => {
    expect(onlyErrorOf({ RETRIES: '4 # as ever' })).toBe(
      'RETRIES has a comment behind its value: write the comment on a line of its own; for example RETRIES=4',
    );
    expect(errorsOf({ SIDTOKEN: '"secret$token"' })).toEqual([
      `SIDTOKEN is in double quotes with $ in it: write it in single quotes; for example SIDTOKEN='<SID_TOKEN>'`,
    ]);
    expect(onlyErrorOf({ TIME_ZONE: 'UTC #1' })).toBe(
      'TIME_ZONE has a comment behind its value: write the comment on a line of its own; for example TIME_ZONE=Europe/Madrid',
    );
    expect(errorsOf({ SOMETHING_ELSE: '"$" # of others' })).toEqual([]);
  });
});

test.each([
  ['"a$b" ', 'is in double quotes with $ in it: write it in single quotes'],
  ['"Callsheet" <a$b@example.com>', null],
  ['Callsheet $ "a"', null],
  ['"Callsheet, Inc."', null],
  ['token# ', null],
  ['token#1', null],
  ['4# as ever', 'has a comment behind its value: write the comment on a line of its own'],
])('what a variable holds, %j, may not be what was meant: %j', (value, error) => {
  expect(writingError(value)).toBe(error);
});

test.each([
  ['plain', 'NAME=plain'],
  ['two words', "NAME='two words'"],
  ['a#b', "NAME='a#b'"],
  [String.raw`C:\new`, String.raw`NAME='C:\new'`],
  ["O'Brien", `NAME="O'Brien"`],
  ["O'Brien $", null],
  [`"O'Brien"`, null],
  ['a #b', null],
  ['a# b', null],
  ['a\nb', null],
])('%j is written for all readers as %j', (value, line) => {
  expect(writtenLine('NAME', value)).toBe(line);
});

test('what is written for a file is read as it was meant, and has no fault', () => {
  const values = fc.string({ unit: 'grapheme', maxLength: 30 }).map((value) => value.trim());
  fc.assert(
    fc.property(fc.oneof(values, fc.stringMatching(/^[ab #$'"\\`=]{0,8}$/)), (value) => {
      const line = writtenLine('NAME', value);
      if (line === null) return;
      expect(fileErrors(line)).toEqual([]);
      const written = line.slice('NAME='.length);
      expect([writingError(written), meantValue(written)]).toEqual([null, value.trim()]);
    }),
  );
});

describe('a file of settings', () => {
  test.each([
    ['export NAME=a', 'line 1: write NAME=… without export'],
    ['export  NAME=a', 'line 1: write NAME=… without export'],
    ['NAME = a', 'line 1: write NAME=… without spaces around the ='],
    ['NAME =a', 'line 1: write NAME=… without spaces around the ='],
    ['NAME= a', 'line 1: write NAME=… without spaces around the ='],
    ['some.name=a', 'line 1: is not NAME=VALUE'],
    [
      '\n# comment\nNAME=a#b',
      `line 3: NAME has # in its value, which some readers of the file take otherwise: write NAME='…', in single quotes`,
    ],
    [
      'NAME="a$b"',
      `line 1: NAME has $ in its value, which some readers of the file take otherwise: write NAME='…', in single quotes`,
    ],
    [
      "NAME='a' # why",
      "line 1: NAME has ' in its value, which some readers of the file take otherwise: write a comment on a line of its own",
    ],
    [
      "NAME=O'Brien",
      "line 1: NAME has ' in its value, which some readers of the file take otherwise: write it in double quotes, or a secret into a file of its own",
    ],
    [
      "NAME='C:\\'",
      String.raw`line 1: NAME has \ in its value, which some readers of the file take otherwise: leave it out at the end`,
    ],
    ['NAME', 'line 1: is not NAME=VALUE'],
    ['\uFEFFNAME=a', 'begins with a byte order mark: save it as UTF-8 without one'],
  ])('that begins %j is refused, with what to write', (text, error) => {
    expect(fileErrors(text)).toEqual([error]);
  });

  test('may hold lines of others, whatever they look like', () => {
    const text =
      'KEY="-----BEGIN\nMII$\n-----END"\nexport POSTGRES_PASSWORD=pa$$word\nsome.name = 1\nDIGEST_TO=a$b\nexport  DIGEST_FROM=c\n';
    expect(fileErrors(text, (name) => name.startsWith('DIGEST_'))).toEqual([
      "line 6: DIGEST_TO has $ in its value, which some readers of the file take otherwise: write DIGEST_TO='…', in single quotes",
      'line 7: write DIGEST_FROM=… without export',
    ]);
  });

  test('may have comments, quotes, white space around and ends of lines of Windows', () => {
    const text = `# a\r\n\r\n  A=1  \r\nB='30 6 * * *'  \r\nC="O'Brien"\r\n D=30 6 * * *\nE=\nF='C:\\$new'`;
    expect(fileErrors(text)).toEqual([]);
  });
});
