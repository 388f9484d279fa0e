import { globSync } from 'node:fs';
import { expect, it } from 'vitest';
import { byTheRules } from '../bi/questions.ts';
import { loadStory } from '../bi/story.ts';
import { blocksOf, readDocument, root } from '../support/documents.ts';
import { findPeer, peers, runPeer } from '../support/peers.ts';

const documents = globSync('docs/**/*.md', { cwd: root });
const blocks = documents.flatMap((document) => blocksOf(readDocument(document), 'python'));

it('pandas gives the rates of the documented example as decimals', async () => {
  const [block, ...others] = blocks;
  expect(others).toEqual([]);
  const story = await loadStory();
  try {
    const url = Object.assign(new URL(story.url), { protocol: 'postgresql+psycopg2:' });
    const documented = 'postgresql+psycopg2://bi@db.example.com/callsheet';
    expect(block).toContain(documented);
    const program = `${block!.replace(documented, url.href)}
for account, rate in rates.items(): print(account, type(rate).__name__, round(rate, 4))`;
    const zone = { PGTZ: 'UTC' };
    const { code, output } = await runPeer({ program: findPeer(peers.python3)! }, ['-c', program], zone);
    const truth = byTheRules[2]!({ zone: 'UTC', today: Temporal.Now.plainDateISO('UTC') });
    expect({ code, output }).toEqual({
      code: 0,
      output: truth.map(([account, rate]) => `${account} Decimal ${rate}\n`).join(''),
    });
  } finally {
    await story.close();
  }
});
