import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { jsons, numbers, texts } from '../../src/warehouse/db/array-literal.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';

let database: TestDatabase;
let client: pg.Client;

beforeAll(async () => {
  database = await createDatabase();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
});

afterAll(async () => {
  await client.end();
  await database.drop();
});

async function readBack(type: string, literal: string): Promise<unknown> {
  const { rows } = await client.query(`select to_json($1::${type}[]) as read`, [literal]);
  return rows[0].read;
}

// Postgres holds any character but U+0000.
const text = fc
  .oneof(fc.string({ unit: 'grapheme' }), fc.string({ unit: fc.constantFrom(...'"\\{},\n\t aNUL') }))
  .filter((each) => !each.includes('\0'));

describe('an array', () => {
  it('of texts is read by Postgres as it was, whatever characters are in it', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.option(fc.oneof(text, fc.constantFrom('', 'NULL', 'null', '\\', '"'))), { minLength: 1 }),
        async (values) => {
          expect(await readBack('text', texts(values))).toEqual(values);
        },
      ),
    );
  });

  it('of numbers is read as it was, up to 2^53', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.option(fc.maxSafeInteger()), { minLength: 1 }), async (values) => {
        expect(await readBack('bigint', numbers(values))).toEqual(values);
      }),
    );
  });

  it('of decimal texts keeps every digit', async () => {
    const told = ['0.10', '-12345678901234567890.123456789', null, '7'];
    const { rows } = await client.query('select $1::numeric[]::text[] as read', [numbers(told)]);
    expect(rows[0].read).toEqual(told);
  });

  it('of values as JSON is read as it was', async () => {
    const value = fc.dictionary(text, fc.oneof(text, fc.integer(), fc.boolean(), fc.constant(null)));
    await fc.assert(
      fc.asyncProperty(fc.array(value, { minLength: 1 }), async (values) => {
        // Compared by Postgres: Node 26.10 misreads a key like "a\n" after an object with the key "a\\".
        const { rows } = await client.query('select to_jsonb($1::jsonb[]) = $2::jsonb as same', [
          jsons(values),
          JSON.stringify(values),
        ]);
        expect(rows[0].same).toBe(true);
      }),
    );
  });

  it('without elements is empty', async () => {
    expect(await readBack('text', texts([]))).toEqual([]);
    expect(await readBack('bigint', numbers([]))).toEqual([]);
  });
});
