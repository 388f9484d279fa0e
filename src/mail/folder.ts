import { access, constants, mkdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Mailer } from './send.ts';

/** Writes each message as `.eml` into a folder, where no SMTP server is set. */
export function createFolderMailer(directory: string): Mailer {
  return {
    async send({ name, recipient, mime }) {
      const file = path.join(directory, `${name}-${recipient.replaceAll(/[^\w.@-]/g, '_')}.eml`);
      try {
        await mkdir(directory, { recursive: true });
        // Renamed into place, so that no reader meets half a message.
        await writeFile(`${file}.part`, mime);
        await rename(`${file}.part`, file);
        return { state: 'written', reply: file };
      } catch (error) {
        return { state: 'failed', reply: `OUTBOX_DIR can't be written: ${(error as Error).message}` };
      }
    },
    async verify() {
      await mkdir(directory, { recursive: true });
      await access(directory, constants.W_OK);
      return `messages are written to ${directory}`;
    },
    close: () => {},
  };
}
