import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createFolderMailer } from '../../src/mail/folder.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'callsheet-outbox-'));
});
afterEach(() => rm(folder, { recursive: true }));

const never = new AbortController().signal;
const message = (recipient: string, mime: string) => ({
  from: 'a@example.com',
  recipient,
  mime,
  name: 'campaigns-2026-03-02',
});

it('writes every message to a file of its own, whoever it is for, which its owner alone can read', async () => {
  const outbox = path.join(folder, 'outbox');
  const mailer = createFolderMailer(outbox);
  expect(await mailer.reach(never)).toBeNull();
  const replies = [];
  for (const recipient of ['a+b@x.com', 'a/b@x.com', 'a_b@x.com', 'a+b@x.com', 'a+b@x.com'])
    replies.push(await mailer.send(message(recipient, recipient), never));
  const written = [
    ['campaigns-2026-03-02-a+b@x.com.eml', 'a+b@x.com'],
    ['campaigns-2026-03-02-a_b@x.com.eml', 'a/b@x.com'],
    ['campaigns-2026-03-02-a_b@x.com-2.eml', 'a_b@x.com'],
    ['campaigns-2026-03-02-a+b@x.com-2.eml', 'a+b@x.com'],
    ['campaigns-2026-03-02-a+b@x.com-3.eml', 'a+b@x.com'],
  ].map(([name, content]) => [path.join(outbox, name!), content] as const);
  expect(replies).toEqual(written.map(([reply]) => ({ state: 'written', reply, step: null, code: null })));
  expect(await readdir(outbox)).toHaveLength(written.length);
  for (const [file, content] of written) expect(await readFile(file, 'utf8')).toBe(content);
  const modes = await Promise.all(
    [outbox, written[0]![0]].map(async (each) => (await stat(each)).mode & 0o777),
  );
  expect(modes).toEqual([0o700, 0o600]);
});

it('says what is wrong with a folder, and creates none to find out', async () => {
  const mailer = createFolderMailer(path.join(folder, 'not', 'there'));
  expect(await mailer.verify()).toMatch(/written to .*not.there/);
  expect(await readdir(folder)).toEqual([]);
  await writeFile(path.join(folder, 'file'), '');
  const outcome = await createFolderMailer(path.join(folder, 'file', 'outbox')).send(
    message('a@x.com', ''),
    never,
  );
  expect(outcome).toEqual({
    state: 'failed',
    reply: expect.stringMatching(/^OUTBOX_DIR \(\/.+\) can't be written: it is not a folder \(ENOTDIR\)$/),
    step: 'folder',
    code: null,
  });
});
