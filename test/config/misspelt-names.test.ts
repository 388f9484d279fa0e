import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { warnOfNames } from '../../src/config/misspelt-names.ts';
import { isWithinEdits } from '../../src/config/near-miss.ts';
import { file, load } from './loading.ts';

const warned = (...names: string[]) =>
  warnOfNames(Object.fromEntries(names.map((name) => [name, 'set'])), []);

describe('a variable', () => {
  test('that is a misspelt setting gives a warning with the right name', () => {
    const misspelt = {
      DIGSET_TO: 'DIGEST_TO',
      DIGEST_T0: 'DIGEST_TO',
      TIMEZONE: 'TIME_ZONE',
      SERVICE_BASEURL: 'SERVICE_BASE_URL',
      SID_TOKEN: 'SIDTOKEN',
      SIDTOKEN_FIEL: 'SIDTOKEN_FILE',
      ACOUNTS_FILE: 'ACCOUNTS_FILE',
      DATABASE_URI: 'DATABASE_URL',
      LOGLEVEL: 'LOG_LEVEL',
      CONCURENCY: 'CONCURRENCY',
      RETRIE: 'RETRIES',
      SMPT_URL: 'SMTP_URL',
    };
    for (const [name, meant] of Object.entries(misspelt)) {
      expect(warned(name)).toEqual([`${name} is not a setting of Callsheet: did you mean ${meant}?`]);
    }
  });

  test('that is not close to a setting gives none', () => {
    const names = [
      'PATH',
      'HOME',
      'NODE_ENV',
      'PWD',
      'USER',
      'SHELL',
      'LANG',
      'LC_ALL',
      'TZ',
      'TERM',
      'HOSTNAME',
    ];
    const container = [
      'KUBERNETES_SERVICE_HOST',
      'KUBERNETES_PORT',
      'DEBIAN_FRONTEND',
      'container',
      'INVOCATION_ID',
    ];
    const network = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'http_proxy', 'SSL_CERT_FILE', 'SSH_AUTH_SOCK'];
    const database = [
      'PGHOST',
      'PGPASSWORD',
      'POSTGRES_USER',
      'POSTGRES_PASSWORD',
      'POSTGRES_DB',
      'REDIS_URL',
    ];
    const node = [
      'NODE_OPTIONS',
      'NODE_PATH',
      'NODE_VERSION',
      'npm_config_cache',
      'npm_package_name',
      'CI',
      'EDITOR',
    ];
    expect(warned(...names, ...container, ...network, ...database, ...node)).toEqual([]);
  });

  test('that is a setting gives none, nor does the file of a secret', () => {
    expect(
      warned('SIDTOKEN', 'SIDTOKEN_FILE', 'DATABASE_URL_FILE', 'DIGEST_TO', 'DIGESTS_FILE', 'RETRIES'),
    ).toEqual([]);
  });

  test('that is misspelt but empty gives none', () => {
    expect(warnOfNames({ DIGSET_TO: '', TIMEZONE: undefined }, [])).toEqual([]);
  });

  test('that holds an account’s token gives none, however close to a setting', () => {
    const accounts = file(
      'accounts.yaml',
      '- {name: a, sidtoken_env: SIDTOKEN_1}\n- {name: b, sidtoken_env: SIDTOKEN2}',
    );
    const environment = {
      SIDTOKEN: '',
      ACCOUNTS_FILE: accounts,
      SIDTOKEN_1: 'token-of-the-one',
      SIDTOKEN2: 'token-of-the-other',
    };
    expect(load(environment).warnings).toEqual([]);
    expect(load({ ...environment, SIDTOKEN_3: 'z' }).warnings).toEqual([
      'SIDTOKEN_3 is not a setting of Callsheet: did you mean SIDTOKEN?',
    ]);
  });
});

describe('how far two names are apart', () => {
  const name = fc.array(fc.constantFrom('A', 'B', '_'), { maxLength: 7 }).map((letters) => letters.join(''));

  test('counts letters added, lost, replaced, and swapped with their neighbour', () => {
    const apart: readonly [one: string, other: string, edits: number][] = [
      ['DIGSET', 'DIGEST', 1],
      ['TIMEZONE', 'TIME_ZONE', 1],
      ['RETRYS', 'RETRIES', 2],
      ['', 'ABC', 3],
    ];
    for (const [one, other, edits] of apart) {
      expect(isWithinEdits(one, other, edits), one).toBe(true);
      expect(isWithinEdits(one, other, edits - 1), one).toBe(false);
    }
  });

  test('is nothing for the same name alone, the same both ways, and never more than the longer name', () => {
    fc.assert(
      fc.property(name, name, fc.nat({ max: 3 }), (one, other, edits) => {
        expect(isWithinEdits(one, other, 0)).toBe(one === other);
        expect(isWithinEdits(other, one, edits)).toBe(isWithinEdits(one, other, edits));
        if (isWithinEdits(one, other, edits))
          expect(Math.abs(one.length - other.length)).toBeLessThanOrEqual(edits);
        expect(isWithinEdits(one, other, Math.max(one.length, other.length))).toBe(true);
      }),
    );
  });

  test('is at most one edit for one mistake', () => {
    fc.assert(
      fc.property(
        name,
        fc.nat({ max: 6 }),
        fc.constantFrom('A', 'X', ''),
        fc.nat({ max: 1 }),
        (name, at, letter, lost) => {
          const mistaken = name.slice(0, at) + letter + name.slice(at + lost);
          expect(isWithinEdits(name, mistaken, 1)).toBe(true);
        },
      ),
    );
  });
});
