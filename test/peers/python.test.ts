import { globSync } from 'node:fs';
import { expect, it } from 'vitest';
import { atNow, loadStory } from '../bi/story.ts';
import { blocksOf, readDocument, root } from '../support/documents.ts';
import { findPeer, peers, runPeer } from '../support/peers.ts';

const documents = globSync('docs/**/*.md', { cwd: root });
const blocks = documents.flatMap((document) => blocksOf(readDocument(document), 'python'));

/** Those of rule 3 in docs/analysts.md, without an account that has no attempts. */
const rates = { coast: '0.5321', delta: '0.5342', north: '0.5238', valley: '0.5136' };

it('pandas gives the rates of the documented example as decimals', async () => {
  const [block, ...others] = blocks;
  expect(others).toEqual([]);
  const story = await loadStory();
  try {
    await story.owner.query(
      `update etl.windows set connect_rate_connects = null, connect_rate_attempts = 0
       where account_id = (select account_id from warehouse.accounts where name = 'old')`,
    );
    const url = Object.assign(new URL(story.url), { protocol: 'postgresql+psycopg2:' });
    const documented = 'postgresql+psycopg2://bi@db.example.com/callsheet';
    expect(block).toContain(documented);
    const program = `${atNow(block!).replace(documented, url.href)}
for account, rate in rates.items(): print(account, type(rate).__name__, round(rate, 4))`;
    const zone = { PGTZ: 'UTC' };
    const { code, output } = await runPeer({ program: findPeer(peers.python3)! }, ['-c', program], zone);
    expect({ code, output }).toEqual({
      code: 0,
      output: Object.entries(rates)
        .map(([account, rate]) => `${account} Decimal ${rate}\n`)
        .join(''),
    });
  } finally {
    await story.close();
  }
});
