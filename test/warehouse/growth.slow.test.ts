import { expect, inject, it } from 'vitest';
import { type Work, worksOf } from '../../bench/history.ts';
import { useServer } from '../../bench/server.ts';

/*
 * Two months and three years of twelve accounts, each with a digest. What a night, the page or a command reads is what is new or
 * shown. Rows and buffers are counted, not time.
 */

const accounts = 12;
// With fewer, the pages that a table of clients happens to have decide whether Postgres reads all of it.
const clients = 40;
const [few, many] = [60, 1_095];

/** The beginnings of statements that read more, and why they may. */
const known = {
  'with starts as materialized':
    'campaigns are few: Postgres reads all of them where look-ups of changed days cost more',
};

/**
 * Statements of the second work that read more rows and more buffers than in the first one. Of a small table Postgres may read all
 * rows where it looks up a few of a large one: those are more buffers, or more rows, but not both.
 *
 * @param times how much more they may read
 */
function grown(one: Work, other: Work, times: number): string[] {
  return other.plans.flatMap(({ statement, buffers, rows }) => {
    const before = one.plans.find((plan) => plan.statement === statement) ?? { buffers: 0, rows: 0 };
    const isMore =
      buffers > 1.5 * times * before.buffers + 20 && rows > 1.5 * times * before.rows + 10 * accounts;
    const text = statement
      .replace(/^Query Text: /, '')
      .replaceAll(/\s+/g, ' ')
      .trim();
    if (!isMore || Object.keys(known).some((beginning) => text.startsWith(beginning))) return [];
    return `${other.what}: ${before.buffers} → ${buffers} buffers, ${before.rows} → ${rows} rows: ${text.slice(0, 200)}`;
  });
}

it('no statement of a night, the page, a scrape or a command reads more after three years than after two months', async () => {
  const server = await useServer(inject('postgresAdminUrl'));
  try {
    const read = (days: number) => server.withDatabase((url) => worksOf(url, accounts, days, clients));
    const [before, after] = [await read(few), await read(many)];
    expect(after.map(({ what }) => what)).toEqual(before.map(({ what }) => what));
    for (const { what, plans } of before) expect(plans.length, what).toBeGreaterThan(3);
    const found = after.flatMap((other, index) => {
      // What somebody asks is theirs; `forget` reads what it erases.
      if (other.what === 'fifty questions') return [];
      return grown(before[index]!, other, other.what === '`forget`' ? many / few : 1);
    });
    expect(found).toEqual([]);
  } finally {
    await server.stop();
  }
});
