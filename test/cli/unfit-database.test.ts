import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { examineDatabase } from '../../src/warehouse/schema/examine.ts';
import { ownDatabase } from '../../src/warehouse/schema/migrate.ts';
import { command } from '../support/command.ts';
import { createDatabase, queryAt } from '../support/database.ts';

/** Creates a database with `createdb`'s options, as SQL. */
async function create(name: string, options: string): Promise<string> {
  const admin = inject('postgresAdminUrl');
  await queryAt(admin, `create database ${name} template template0 locale 'C' ${options}`);
  onTestFinished(async () => void (await queryAt(admin, `drop database ${name} with (force)`)));
  return Object.assign(new URL(admin), { pathname: name }).href;
}

const relations = (url: string) =>
  queryAt(
    url,
    `select nspname, relname from pg_namespace n left join pg_class c on relnamespace = n.oid
     where nspname in ('warehouse', 'etl') order by 1, 2`,
  );

/** `migrate` and `doctor` say the same. */
async function expectRefused(url: string, message: string, advice: RegExp): Promise<void> {
  const ended = await command(['migrate'], { DATABASE_URL: url });
  expect(ended).toMatchObject({ code: 78, stdout: '' });
  expect(ended.stderr).toMatch(/^callsheet: .*\n$/);
  expect(ended.stderr).toContain(`callsheet: ${message}: `);
  expect(ended.stderr).toMatch(advice);
  const finding = (await examineDatabase(url)).find(({ subject }) => subject === 'schema');
  expect(finding).toMatchObject({ status: 'error', exitCode: 78, message });
  expect(`${(finding as { advice: string }).advice}\n`).toMatch(advice);
}

describe('migrate refuses with 78, and leaves nothing behind, a database', () => {
  it('with another encoding than UTF8, until one is created as it says', async () => {
    const url = await create('latin', `encoding 'LATIN1'`);
    await expectRefused(
      url,
      'the database latin has the encoding LATIN1, which lacks characters that names may have',
      / createdb --locale=C --encoding=UTF8 --template=template0 callsheet; and name it in DATABASE_URL\n/,
    );
    expect(await relations(url)).toEqual([]);
    const right = await create('as_it_says', `encoding 'UTF8'`);
    expect(await command(['migrate'], { DATABASE_URL: right })).toMatchObject({ code: 0 });
  });

  it.each([
    ['warehouse', 'create schema warehouse; create table warehouse.stock (); create schema etl'],
    ['etl', 'create schema etl; create table etl.runs ()'],
    ['etl', 'create schema etl; create table etl.migrations (id integer)'],
    // As earlier versions left it.
    [
      'warehouse',
      `create schema warehouse; create schema etl;
       create table etl.migrations (name text, timestamp text); create table etl.migrations_lock ()`,
    ],
  ])('in which somebody else has a schema %s: %s', async (schema, others) => {
    const database = await createDatabase();
    onTestFinished(database.drop);
    await queryAt(database.url, others);
    const before = await relations(database.url);
    const name = new URL(database.url).pathname.slice(1);
    await expectRefused(
      database.url,
      `the database ${name} has a schema ${schema} that isn't Callsheet's`,
      /give Callsheet a database of its own, .*: createdb --locale=C .* callsheet; and name it in DATABASE_URL\n/,
    );
    expect(await relations(database.url)).toEqual(before);
  });

  it('and does not propose the name that this one has', () => {
    expect(ownDatabase('callsheet')).toMatch(/template0 callsheet_warehouse;/);
  });
});

describe('migrate takes a database', () => {
  it.each([
    ['whose administrator has created the schema etl', 'create schema etl'],
    [
      'in which another migrate was killed when it began',
      `create schema etl; create table etl.migrations (name varchar(255) primary key, timestamp varchar(255) not null)`,
    ],
  ])('%s', async (_, others) => {
    const database = await createDatabase();
    onTestFinished(database.drop);
    await queryAt(database.url, others);
    expect(await command(['migrate'], { DATABASE_URL: database.url })).toMatchObject({ code: 0 });
  });
});
