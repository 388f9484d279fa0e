import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { changedFiles, forgetFiles, readFileOfSettings } from '../../src/config/files-read.ts';
import { errorsOf, file, load } from './loading.ts';

/** What a `.env` with this line sets, and that it was read. */
const read = (line: string, value: string) => {
  const [name] = line.split('=');
  return { [name!.trim()]: value, CALLSHEET_DOTENV: file('.env', `# of ours\n${line}\n`) };
};

test.each([
  ['SIDTOKEN=abcdefgh#ijkl', 'abcdefgh'],
  ['SIDTOKEN=#abcdefgh', ''],
  ['SMTP_URL=smtp://user:pa#word@mail.example.com', 'smtp://user:pa'],
  ['PGPASSWORD=secret#ofpostgres', 'secret'],
])('a # in an unquoted value of .env is the one error: %s', (line, value) => {
  const environment = read(line, value);
  const [name] = line.split('=');
  const errors = errorsOf({ ...environment, DIGEST_FROM: 'a@example.com' });
  expect(errors).toEqual([
    `${name} has a # in ${environment.CALLSHEET_DOTENV}, where its value ends: put the value in single quotes`,
  ]);
});

test('a # is found in the first line, after a byte order mark, too', () => {
  const CALLSHEET_DOTENV = file('.env', '\uFEFFSIDTOKEN=abcdefgh#ijkl\n');
  expect(errorsOf({ SIDTOKEN: 'abcdefgh', CALLSHEET_DOTENV })).toEqual([
    expect.stringMatching(/^SIDTOKEN has a # in/),
  ]);
});

test('a .env that changes while settings are read has changed: what was read of it first counts', () => {
  const environment = read('PAGE_LIMIT=50', '50');
  const dotenv = environment.CALLSHEET_DOTENV!;
  forgetFiles();
  readFileOfSettings(dotenv);
  writeFileSync(dotenv, 'PAGE_LIMIT=60\n');
  load(environment);
  expect(changedFiles()).toEqual([dotenv]);
});

test('a # after a space is warned of: elsewhere it is a part of the value', () => {
  const { warnings } = load(read('PAGE_LIMIT=50 # of a hundred', '50'));
  expect(warnings).toEqual([expect.stringMatching(/^PAGE_LIMIT has a # in .*, which is a comment here/)]);
});

test.each([
  ["SIDTOKEN='abcdefgh#ijkl' # mine", 'abcdefgh#ijkl'],
  ['SIDTOKEN=abcdefgh#ijkl', 'another-token-of-the-process'],
  ['SOMETHING=else#1', 'else'],
])('a # that changes no value of ours is none: %s', (line, value) => {
  const { warnings } = load(read(line, value));
  expect(warnings).toEqual([]);
});
