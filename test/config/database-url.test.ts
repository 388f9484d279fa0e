import { describe, expect, it } from 'vitest';
import { databaseUrl, databaseUrlWarnings } from '../../src/config/database-url.ts';
import { errorOf } from '../../src/config/formats.ts';
import { isReadableOnTheWay, sslModeOf } from '../../src/support/database-url.ts';
import { file, load } from './loading.ts';

const base = 'postgres://callsheet:password@db.example.com/callsheet';
const errorWith = (parameters: string) => errorOf(databaseUrl, `${base}?${parameters}`);
const warningsOf = (address: string) => databaseUrlWarnings('DATABASE_URL', address);

describe('a parameter of a database address', () => {
  it.each([
    ['sslMode=require', 'sslMode', 'sslmode'],
    ['ssl_mode=verify-full', 'ssl_mode', 'sslmode'],
    ['sslmod=require', 'sslmod', 'sslmode'],
    ['SSLMODE=require', 'SSLMODE', 'sslmode'],
    ['sslrootcrt=/ca.pem', 'sslrootcrt', 'sslrootcert'],
    ['channelbinding=require', 'channelbinding', 'channel_binding'],
    ['Host=/run', 'Host', 'host'],
    ['applicationname=x', 'applicationname', 'application_name'],
    ['passwd=x', 'passwd', 'password'],
    ['servicefil=x', 'servicefil', 'servicefile'],
    ['keepalive_idle=1', 'keepalive_idle', 'keepalives_idle'],
    ['sslcompresion=1', 'sslcompresion', 'sslcompression'],
    ['ssl_crldir=/crl', 'ssl_crldir', 'sslcrldir'],
    ['sslminprotocol_version=x', 'sslminprotocol_version', 'ssl_min_protocol_version'],
    ['target_session_attr=any', 'target_session_attr', 'target_session_attrs'],
    ['load_balance_host=random', 'load_balance_host', 'load_balance_hosts'],
  ])('that is nearly one of libpq, %s, is an error that names what was meant', (parameters, name, meant) => {
    expect(errorWith(parameters)).toBe(`an address with a parameter ${name}: did you mean ${meant}?`);
  });

  it.each([
    'sslmode=require&channel_binding=require',
    'sslmode=verify-full&sslrootcert=system',
    'ssl=true',
    'sslmode=require&connect_timeout=10&keepalives=1&target_session_attrs=read-write',
    'sslmode=require&pgbouncer=true',
    'application_name=callsheet&options=-c%20work_mem%3D64MB&sslmode=require',
  ])('that hosted providers hand out is taken: %s', (parameters) => {
    expect(errorWith(parameters)).toBeNull();
  });

  it.each([
    ['sslmode=on', 'sslmode'],
    ['ssl=1', 'ssl'],
    ['channel_binding=yes', 'channel_binding'],
  ])('with a value that libpq does not know, %s, is an error', (parameters, name) => {
    expect(errorWith(parameters)).toContain(`an address whose ${name} is not one of `);
  });

  it('that names a certificate’s file is an error where there is none', () => {
    const there = file('ca.pem', 'x');
    for (const name of ['sslrootcert', 'sslcert', 'sslkey']) {
      expect(errorWith(`${name}=${there}`)).toBeNull();
      expect(errorWith(`${name}=${there}.gone`)).toBe(
        `an address whose ${name} names no file (${there}.gone)`,
      );
    }
    expect(errorWith('application_name=/no/file')).toBeNull();
  });

  it('of few letters has to be written as it is, and one of more has a letter or two more to be wrong', () => {
    const known = (parameters: string) => errorWith(parameters) === null;
    expect(['hosts=x', 'ssll=x', 'opt=x', 'sslky=x'].map(known)).toEqual([true, true, true, false]);
    expect(['sslmod=x', 'sslmo=x'].map(known)).toEqual([false, true]);
    expect(['keepaliv=1', 'keepal=1'].map(known)).toEqual([false, true]);
  });

  it('that has no effect here is warned of', () => {
    expect(warningsOf(`${base}?sslmode=require&channel_binding=require`)).toEqual([]);
    expect(warningsOf(`${base}?sslmode=require&connect_timeout=10&keepalives=1`)).toEqual([
      'DATABASE_URL: parameters connect_timeout and keepalives without effect',
    ]);
  });
});

describe('an address of another machine without TLS', () => {
  it.each(['', '?sslmode=disable', '?sslmode=allow', '?host=10.0.0.7'])('is warned of: %s', (parameters) => {
    expect(warningsOf(`${base}${parameters}`)).toEqual([
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
    `${base}?ssl=true`,
    `${base}?sslrootcert=/ca.pem`,
  ])('is none that stays on this machine, or has TLS: %s', (address) => {
    expect(isReadableOnTheWay(new URL(address))).toBe(false);
  });

  it('is one by a name that only looks like this machine', () => {
    expect(isReadableOnTheWay(new URL('postgres://a:b@127.evil.example.com/c'))).toBe(true);
  });
});

it('warnings of both addresses are among those that each command logs and doctor lists', () => {
  const readable = { DATABASE_URL: base, MIGRATE_DATABASE_URL: `${base}?sslmode=disable` };
  expect(load(readable).warnings).toEqual([
    expect.stringMatching(/^DATABASE_URL leads to another machine/),
    expect.stringMatching(/^MIGRATE_DATABASE_URL leads to another machine/),
  ]);
});

it('a certificate without sslmode means verify-full, for nobody names one to go without', () => {
  expect(sslModeOf(new URL(`${base}?sslrootcert=/ca.pem`))).toBe('verify-full');
  expect(sslModeOf(new URL(base))).toBeNull();
});
