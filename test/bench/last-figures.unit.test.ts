import { mkdtempDisposable, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { writeFigures } from '../../bench/last-figures.ts';

const head = '| part | what | is | goal | measured |\n|---|---|---|---|---|';
const kept = '| W2 | a month | 2 × | ≤ 3 × | before |';

it('the bench replaces the rows of the measured part in its table, and leaves the others and the text', async () => {
  await using folder = await mkdtempDisposable(path.join(tmpdir(), 'callsheet-test-'));
  const file = path.join(folder.path, 'README.md');
  await writeFile(file, `# Bench\n\n${head}\n| W1 | a list | 9 × | | before |\n${kept}\n\nThe end.\n`);
  const measured = { what: 'ours ÷ theirs', value: 1.5, unit: '×', atMost: 1.45 } as const;
  const section = { title: 'A list', lines: [], targets: [measured] };
  await writeFigures(file, ['W1', 'W2'], { W1: [section] }, 'today');
  const row = '| W1 | A list: ours ÷ theirs | 1.50 × | ≤ 1.45 ×: missed | today |';
  expect(await readFile(file, 'utf8')).toBe(`# Bench\n\n${head}\n${row}\n${kept}\n\nThe end.\n`);
});
