import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { connectionOptions } from '../../../src/warehouse/db/connection.ts';
import { scratchFolder } from '../../support/scratch.ts';

const base = 'postgres://callsheet@db.example.com/callsheet';

it('the parts of an address are decoded, and those it lacks are left to pg', () => {
  expect(
    connectionOptions('postgres://a%40b:p%2Fw%20d@[::1]:6432/call%20sheet?options=-c%20x%3D1'),
  ).toMatchObject({
    host: '::1',
    port: 6432,
    user: 'a@b',
    password: 'p/w d',
    database: 'call sheet',
    options: '-c x=1',
    application_name: 'callsheet',
  });
  const lacking = connectionOptions('postgres://?application_name=nightly');
  expect(lacking).toMatchObject({ host: '', user: '', password: '', application_name: 'nightly' });
  expect(Object.keys(lacking)).not.toContain('port');
  expect(Object.keys(lacking)).not.toContain('database');
});

it.each(['postgres:///callsheet?host=/run/postgresql', 'postgres://%2Frun%2Fpostgresql/callsheet'])(
  'a Unix socket is named by its folder: %s',
  (address) => {
    expect(connectionOptions(address)).toMatchObject({
      host: '/run/postgresql',
      database: 'callsheet',
    });
  },
);

it('sslmode is made explicit', async () => {
  const file = path.join(await scratchFolder('callsheet-certificates-'), 'ca.pem');
  await writeFile(file, 'PEM');
  const sslOf = (parameters: string) => connectionOptions(`${base}?${parameters}`).ssl;
  const anyName = { checkServerIdentity: expect.any(Function) };
  expect(sslOf('')).toBe(false);
  expect(sslOf('sslmode=disable')).toBe(false);
  expect(sslOf('sslmode=require')).toEqual({ rejectUnauthorized: false });
  expect(sslOf(`sslmode=require&sslrootcert=${file}`)).toEqual({ ca: 'PEM', ...anyName });
  expect(sslOf(`sslmode=verify-ca&sslrootcert=${file}`)).toEqual({ ca: 'PEM', ...anyName });
  expect(sslOf('sslmode=verify-full')).toEqual({});
  expect(sslOf('sslmode=require&sslrootcert=system')).toEqual({});
  expect(sslOf(`sslrootcert=${file}`)).toEqual({ ca: 'PEM' });
  expect(sslOf(`sslmode=verify-full&sslcert=${file}&sslkey=${file}`)).toEqual({ cert: 'PEM', key: 'PEM' });
});
