import { parseEnv } from 'node:util';
import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { readEnvironment, settingLine } from '../../src/config/environment.ts';

afterEach(() => void vi.unstubAllEnvs());

describe('a variable', () => {
  test.each([
    ['loses the quotes that docker run leaves around it, one pair', `'30 6 * * *'`, '30 6 * * *'],
    ['loses double ones, too', '"30 6 * * *"', '30 6 * * *'],
    ['loses them whatever is within', '"pa$wo`rd\\"', 'pa$wo`rd\\'],
    ['loses white space around them and within', ' " a b " \r\n', 'a b'],
    ['keeps quotes around a part of it', '"Callsheet, Inc." <a@b.c>', '"Callsheet, Inc." <a@b.c>'],
    ['keeps quotes that only one end has', `'abc`, `'abc`],
    ['keeps those of two quoted words', `'a' and 'b'`, `'a' and 'b'`],
    ['is empty between quotes', "''", ''],
  ])('%s', (_, value, read) => {
    vi.stubEnv('NAME', value);
    expect(readEnvironment().NAME).toBe(read);
  });
});

test('a line of .env has quotes if it needs some, and is read as it was meant', () => {
  expect(settingLine('RETRIES', '4')).toBe('RETRIES=4');
  expect(settingLine('SCHEDULE', '30 6 * * *')).toBe("SCHEDULE='30 6 * * *'");
  fc.assert(
    fc.property(fc.stringMatching(/^[ -&(-~]{0,20}$/), (value) => {
      const line = settingLine('NAME', value);
      expect(parseEnv(line)).toEqual({ NAME: value });
      vi.stubEnv('NAME', line.slice('NAME='.length));
      expect(readEnvironment().NAME).toBe(value.trim());
    }),
  );
});
