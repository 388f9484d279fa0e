import { expect, inject, it } from 'vitest';
import { type Work, worksOf } from '../../bench/history.ts';
import { useServer } from '../../bench/server.ts';

/*
 * Two months and three years of twelve accounts, each with a digest. What a night, the page or a command reads is what is new or
 * shown. Rows and buffers are counted, not time.
 */

const accounts = 12;
const [few, many] = [60, 1_095];

/** Statements that may read more, and why. */
const known: readonly (readonly [beginning: string, why: string])[] = [
  [
    'with starts as materialized',
    'of a small table of campaigns, Postgres reads all rows rather than some by index',
  ],
];

/** `forget` reads what it erases, which is as much as there are days. */
const erasing = '`forget`';

/** Statements of the second work that read more than in the first one. An index may be a level deeper. */
function grown(one: Work, other: Work, times = 1): string[] {
  return other.plans.flatMap(({ statement, buffers, rows }) => {
    const before = one.plans.find((plan) => plan.statement === statement) ?? { buffers: 0, rows: 0 };
    const isMore = buffers > 2 * times * before.buffers + 40 || rows > 1.5 * times * before.rows + 500;
    const text = statement
      .replace(/^Query Text: /, '')
      .replaceAll(/\s+/g, ' ')
      .trim();
    if (!isMore || known.some(([beginning]) => text.startsWith(beginning))) return [];
    return `${other.what}: ${before.buffers} → ${buffers} buffers, ${before.rows} → ${rows} rows: ${text.slice(0, 200)}`;
  });
}

it('no statement of a night, the page, a scrape or a command reads more after three years than after two months', async () => {
  const server = await useServer(inject('postgresAdminUrl'));
  try {
    const read = (days: number) => server.withDatabase((url) => worksOf(url, accounts, days));
    const [before, after] = [await read(few), await read(many)];
    expect(after.map(({ what }) => what)).toEqual(before.map(({ what }) => what));
    for (const { what, plans } of before) expect(plans.length, what).toBeGreaterThan(3);
    const works = after.map((work, index) => [before[index]!, work] as const);
    const found = works.flatMap(([one, other]) => {
      if (other.what === 'thirty questions') return [];
      return grown(one, other, other.what === erasing ? many / few : 1);
    });
    expect(found).toEqual([]);
  } finally {
    await server.stop();
  }
});
