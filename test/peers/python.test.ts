import { globSync } from 'node:fs';
import { expect, it } from 'vitest';
import { blocksOf, readDocument, root } from '../support/documents.ts';
import { peers, runPeer } from '../support/peers.ts';

it('Python can parse each block of Python in the documents', async () => {
  const documents = globSync('docs/**/*.md', { cwd: root });
  const blocks = documents.flatMap((document) => blocksOf(readDocument(document), 'python'));
  expect(blocks).not.toEqual([]);
  for (const block of blocks) {
    const parsed = await runPeer(peers.python3, ['-c', 'import ast, sys; ast.parse(sys.argv[1])', block]);
    expect(parsed).toMatchObject({ code: 0 });
  }
});
