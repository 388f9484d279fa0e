/*
 * Arrays as Postgres reads them (its manual, 8.15.6). pg writes them, too, with two regular expressions for each
 * element: over a million rows that takes longer than the statement.
 */

/** Numbers, or what is written as one: decimal text that was checked. */
export function numbers(values: readonly (number | string | null)[]): string {
  return `{${values.map((value) => value ?? 'NULL').join()}}`;
}

export function texts(values: readonly (string | null)[]): string {
  return `{${values.map((value) => (value === null ? 'NULL' : quoted(value))).join()}}`;
}

/** Values as JSON, for `jsonb[]`. */
export function jsons(values: readonly object[]): string {
  return `{${values.map((value) => (isEmpty(value) ? '"{}"' : quoted(JSON.stringify(value)))).join()}}`;
}

const special = /["\\]/;

function quoted(text: string): string {
  return special.test(text) ? `"${text.replaceAll(/["\\]/g, '\\$&')}"` : `"${text}"`;
}

/** Most records have no further fields. */
function isEmpty(value: object): boolean {
  for (const _ in value) return false;
  return !Array.isArray(value);
}
