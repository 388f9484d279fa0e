import fc from 'fast-check';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { tableOf } from '../../../src/warehouse/db/expressions.ts';
import { openTestWarehouse } from '../../support/test-warehouse.ts';

const { warehouse } = await openTestWarehouse(1);

/** The values as Postgres reads them, as text where they have no type in JavaScript. */
async function readBack(type: string, values: readonly unknown[], as = type): Promise<unknown[]> {
  const table = tableOf(values, 't', { value: [type, (value) => value] });
  const { rows } = await sql<{ value: unknown }>`
    select value::${sql.raw(as)} as value from ${table}
  `.execute(warehouse);
  return rows.map(({ value }) => value);
}

// Postgres holds any character but U+0000.
const text = fc
  .oneof(fc.string({ unit: 'grapheme' }), fc.string({ unit: fc.constantFrom(...'"\\{},\n\t aNUL') }))
  .filter((each) => !each.includes('\0'));

describe('tableOf', () => {
  it('hands texts to Postgres as they are, whatever characters are in them', async () => {
    const values = fc.array(fc.option(fc.oneof(text, fc.constantFrom('', 'NULL', 'null', '\\', '"'))), {
      minLength: 1,
    });
    await fc.assert(
      fc.asyncProperty(values, async (texts) => {
        expect(await readBack('text', texts)).toEqual(texts);
      }),
    );
  });

  it('keeps every digit of decimal texts', async () => {
    const reported = ['0.10', '-12345678901234567890.123456789', null, '7'];
    expect(await readBack('numeric', reported, 'text')).toEqual(reported);
    expect(await readBack('numeric', [])).toEqual([]);
  });
});
