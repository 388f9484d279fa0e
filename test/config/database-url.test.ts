import { describe, expect, it } from 'vitest';
import { databaseUrl } from '../../src/config/addresses.ts';
import { errorOf } from '../../src/config/formats.ts';
import { file, load } from './loading.ts';

const base = 'postgres://callsheet:password@db.example.com/callsheet';
const errorWith = (parameters: string) => errorOf(databaseUrl, `${base}?${parameters}`);

describe('a parameter of a database address', () => {
  it.each([
    'sslmode=require&channel_binding=prefer',
    'sslmode=verify-full&sslrootcert=system',
    'application_name=callsheet&options=-c%20work_mem%3D64MB&sslmode=require',
    'host=/var/run/postgresql',
  ])('that hosted providers and sockets need is taken: %s', (parameters) => {
    expect(errorWith(parameters)).toBeNull();
  });

  it.each(['sslMode', 'connect_timeout', 'target_session_attrs', 'pgbouncer', 'password'])(
    'that has no effect, %s, is an error that names it and what may stand there',
    (name) => {
      expect(errorWith(`sslmode=require&${name}=x`)).toBe(
        `an address with ${name} behind the ?, which isn't one of sslmode, sslrootcert, sslcert, sslkey, channel_binding, application_name, options, host`,
      );
    },
  );

  it('that is the rest of a password with a ? in it is not quoted', () => {
    const error = errorOf(databaseUrl, 'postgres://callsheet:12?open-sesame@db.example.com/callsheet');
    expect(error).toMatch(/^an address with something behind the \?, which isn't one of sslmode, /);
  });

  it.each([
    ['sslmode=on', 'sslmode'],
    ['sslmode=prefer', 'sslmode'],
    ['channel_binding=yes', 'channel_binding'],
    // pg can't be made to insist on it.
    ['channel_binding=require', 'channel_binding'],
  ])('with a value that can not be kept to, %s, is an error', (parameters, name) => {
    expect(errorWith(parameters)).toContain(`an address whose ${name} is not one of `);
  });

  it('that names a certificate’s file is an error where there is none', () => {
    const there = file('ca.pem', 'x');
    for (const name of ['sslrootcert', 'sslcert', 'sslkey']) {
      expect(errorWith(`${name}=${there}`)).toBeNull();
      expect(errorWith(`${name}=${there}.gone`)).toBe(
        `an address whose ${name} names ${there}.gone, which doesn't exist`,
      );
    }
    expect(errorWith('application_name=/no/file')).toBeNull();
  });
});

it('a database address has no fragment: it would be the rest of a name, or a comment', () => {
  expect(errorOf(databaseUrl, `${base}#1`)).toBe('an address with a # in it that should be %23');
});

describe('an address of another machine without TLS', () => {
  it.each(['', '?sslmode=disable', '?host=10.0.0.7'])('is warned of: %s', (parameters) => {
    expect(load({ DATABASE_URL: `${base}${parameters}` }).warnings).toEqual([
      expect.stringMatching(/^DATABASE_URL leads to another machine without TLS: .+ add sslmode=verify-full/),
    ]);
  });

  it.each([
    'postgres://a:b@127.0.0.1/c',
    'postgres://a:b@[::1]:5432/c',
    'postgres://a:b@localhost/c',
    'postgres:///c?host=/var/run/postgresql',
    'postgres://a:b@%2Fvar%2Frun%2Fpostgresql/c',
    `${base}?sslmode=require`,
    `${base}?sslrootcert=system`,
  ])('is none that stays on this machine, or has TLS: %s', (address) => {
    expect(load({ DATABASE_URL: address }).warnings).toEqual([]);
  });

  it('is one by a name that only looks like this machine', () => {
    expect(load({ DATABASE_URL: 'postgres://a:b@127.evil.example.com/c' }).warnings).toHaveLength(1);
  });
});

it('warnings of both addresses are among those that each command logs and doctor lists', () => {
  const readable = { DATABASE_URL: base, MIGRATE_DATABASE_URL: `${base}?sslmode=disable` };
  expect(load(readable).warnings).toEqual([
    expect.stringMatching(/^DATABASE_URL leads to another machine/),
    expect.stringMatching(/^MIGRATE_DATABASE_URL leads to another machine/),
  ]);
});
