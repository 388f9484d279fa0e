import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { composeDigest, fileName } from '../../digest/compose.ts';
import { withChart } from '../../digest/render/html.ts';
import { packCsv } from '../../digest/render/pack-csv.ts';
import { addressed, toMime } from '../../mail/message.ts';
import type { Day } from '../../model/day.ts';
import type { DigestDefinition } from '../../model/digest.ts';
import { inSnapshot } from '../../warehouse/db/transaction.ts';
import type { AppContext } from '../run/app-context.ts';
import { csvOf } from './compose-digest.ts';
import { readFigures } from './digest-figures.ts';

/** Writes a digest as `.html`, `.txt`, `.csv` and `.eml` without sending it; gives the paths. */
export async function previewDigest(
  { warehouse, config }: Pick<AppContext, 'warehouse' | 'config'>,
  digest: DigestDefinition,
  day: Day,
  directory: string,
): Promise<string[]> {
  await mkdir(directory, { recursive: true });
  const file = (ending: string) => path.join(directory, `${fileName({ name: digest.name, day })}.${ending}`);
  // Whole, however large, and without ever being whole in memory.
  const figures = await inSnapshot(warehouse, '5min', async (snapshot) => {
    await pipeline(await csvOf(snapshot, digest, day), createWriteStream(file('csv')));
    return await readFigures(snapshot, digest, day, { earlierDays: [], before: null });
  });
  const csv = await packCsv(createReadStream(file('csv')), config.mail.maxAttachmentBytes);
  const message = await composeDigest(figures, csv);
  // Dated by the day itself, so that the same warehouse gives the same bytes.
  const mime = await toMime(message, config.mail, new Date(`${day}T00:00:00Z`));
  await writeFile(file('eml'), addressed(mime, digest.to[0]!, '<preview@localhost>'));
  await writeFile(file('html'), withChart(message));
  await writeFile(file('txt'), message.text);
  return ['eml', 'html', 'txt', 'csv'].map(file);
}
