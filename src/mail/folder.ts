import { existsSync, statSync } from 'node:fs';
import { access, constants, link, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createPrivateFolder, whyUnwritable } from '../support/folder.ts';
import type { Mailer } from './mailer.ts';

/** Writes messages to a folder if no SMTP server is set: each is a `.eml` that only its owner can read. */
export function createFolderMailer(directory: string): Mailer {
  return {
    reach: async () => null,
    async send({ name, recipient, mime }) {
      const stem = path.join(directory, `${name}-${recipient.replaceAll(/[^\w.@+-]/g, '_')}`);
      try {
        await createPrivateFolder(directory);
        return { state: 'written', reply: await writeAside(stem, mime), step: null, code: null };
      } catch (error) {
        const reason = whyUnwritable(error) ?? (error as Error).message;
        const reply = `OUTBOX_DIR (${path.resolve(directory)}) can't be written: ${reason}`;
        return { state: 'failed', reply, step: 'folder', code: null };
      }
    },
    async verify() {
      const nearest = nearestExisting(directory);
      if (!statSync(nearest).isDirectory()) throw new Error(`${nearest} is not a folder`);
      await access(nearest, constants.W_OK);
      return `messages are written to ${directory}`;
    },
    close: () => {},
  };
}

/** Links the complete file into place: nobody reads half a message, and no message replaces another. */
async function writeAside(stem: string, mime: string): Promise<string> {
  const part = `${stem}.${process.pid}.part`;
  try {
    await writeFile(part, mime, { mode: 0o600 });
    for (let copy = 1; ; copy++) {
      const file = copy === 1 ? `${stem}.eml` : `${stem}-${copy}.eml`;
      try {
        await link(part, file);
        return file;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      }
    }
  } finally {
    // A full folder may hold a part, or nothing.
    await rm(part, { force: true });
  }
}

/** The path or, if it doesn't exist yet, its nearest parent that does. */
function nearestExisting(directory: string): string {
  const folder = path.resolve(directory);
  return existsSync(folder) ? folder : nearestExisting(path.dirname(folder));
}
