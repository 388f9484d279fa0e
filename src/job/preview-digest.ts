import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { composeDigest, fileName } from '../digest/compose.ts';
import { addressed, toMime } from '../mail/message.ts';
import type { Day } from '../model/day.ts';
import type { DigestDefinition } from '../model/digest.ts';
import { readFigures } from './digest-figures.ts';
import type { Parts } from './parts.ts';

/** Writes a digest as `.html`, `.txt`, `.csv` and `.eml` without sending it; gives the paths. */
export async function previewDigest(
  parts: Pick<Parts, 'warehouse' | 'config'>,
  digest: DigestDefinition,
  day: Day,
  directory: string,
): Promise<string[]> {
  const message = await composeDigest(await readFigures(parts.warehouse, digest, day, []));
  // Dated by the day itself, so that the same warehouse gives the same bytes.
  const mime = await toMime(message, parts.config.mail, new Date(`${day}T00:00:00Z`));
  const files = {
    eml: addressed(mime, digest.to[0]!, '<preview@localhost>'),
    html: message.html,
    txt: message.text,
    csv: message.csv,
  };
  await mkdir(directory, { recursive: true });
  const written: string[] = [];
  for (const [ending, content] of Object.entries(files)) {
    const file = path.join(directory, `${fileName({ name: digest.name, day })}.${ending}`);
    await writeFile(file, content);
    written.push(file);
  }
  return written;
}
