import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
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

it('writes every message to a file of its own, whoever it is for', async () => {
  const mailer = createFolderMailer(path.join(folder, 'outbox'));
  for (const recipient of ['a+b@x.com', 'a_b@x.com', 'a/b@x.com', 'a+b@x.com']) {
    expect(await mailer.send(message(recipient, recipient), never)).toMatchObject({ state: 'written' });
  }
  const files = await readdir(path.join(folder, 'outbox'));
  expect(files).toHaveLength(4);
  const contents = await Promise.all(
    files.map((file) => readFile(path.join(folder, 'outbox', file), 'utf8')),
  );
  expect(contents.sort()).toEqual(['a+b@x.com', 'a+b@x.com', 'a/b@x.com', 'a_b@x.com']);
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
  expect(outcome).toMatchObject({
    state: 'failed',
    reply: expect.stringMatching(/OUTBOX_DIR can't be written/),
  });
});
