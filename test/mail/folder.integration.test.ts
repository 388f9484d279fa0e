import { execFile } from 'node:child_process';
import { mkdtempDisposable, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

it('a message that the full folder has no space for fails, and leaves no part of itself behind', async () => {
  await using folder = await mkdtempDisposable(path.join(tmpdir(), 'callsheet-outbox-'));
  const code = `
    import { createFolderMailer } from './src/mail/folder.ts';
    const message = { from: '', recipient: 'a@x.com', mime: 'x'.repeat(1_000_000), name: 'campaigns-2026-03-02' };
    console.log(JSON.stringify(await createFolderMailer(${JSON.stringify(folder.path)}).send(message)));
  `;
  // No file may be longer than this: like a full disk, the limit stops a write in its middle.
  const limited = 'ulimit -f 64 && exec "$0" --input-type=module --eval "$1"';
  const { stdout } = await promisify(execFile)('sh', ['-c', limited, process.execPath, code]);
  expect(JSON.parse(stdout)).toMatchObject({
    state: 'failed',
    reply: expect.stringMatching(
      /^OUTBOX_DIR \(\/.+\) can't be written: the file would be larger than this process may write \(EFBIG\)$/,
    ),
  });
  expect(await readdir(folder.path)).toEqual([]);
});
