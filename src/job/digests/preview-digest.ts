import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { composeDigest, fileName } from '../../digest/compose.ts';
import { withChart } from '../../digest/render/html.ts';
import { packCsv } from '../../digest/render/pack-csv.ts';
import { addressed, toMime } from '../../mail/message.ts';
import type { DigestDefinition } from '../../model/digest.ts';
import type { Period } from '../../model/period.ts';
import { inSnapshot } from '../../warehouse/db/transaction.ts';
import type { AppContext } from '../run/app-context.ts';
import { plainOccasion, readFigures } from './compose-digest.ts';
import { balancesOf, csvFile, csvOf, packBalances } from './digest-csv.ts';

/** Other users of the machine can't read clients' figures. */
const ownersAlone = { mode: 0o600 };

/** The parts of a preview, by file ending; a digest may lack the last. */
const endings = ['.eml', '.html', '.txt', '.csv', '-balances.csv'];

/**
 * Writes a digest as `.html`, `.txt`, `.csv` and `.eml`, and the CSV of low balances if it has one, without
 * sending it; returns the paths. Only their owner can read the files. Those of an earlier preview are replaced
 * once all are written.
 */
export async function previewDigest(
  app: AppContext,
  digest: DigestDefinition,
  period: Period,
  directory: string,
): Promise<string[]> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const name = fileName({ name: digest.name, period });
  // A folder of its own: two previews at once don't mix their files.
  const draft = await mkdtemp(path.join(directory, '.preview-'));
  try {
    await writePreview(app, digest, period, path.join(draft, name));
    const written = new Set(await readdir(draft));
    const files = endings.map((ending) => `${name}${ending}`);
    for (const file of files) {
      const final = path.join(directory, file);
      if (written.has(file)) await rename(path.join(draft, file), final);
      else await rm(final, { force: true });
    }
    return files.filter((file) => written.has(file)).map((file) => path.join(directory, file));
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** Writes each part to `start` plus its ending. */
async function writePreview(
  { warehouse, config }: AppContext,
  digest: DigestDefinition,
  period: Period,
  start: string,
): Promise<void> {
  const file = (ending: string) => `${start}${ending}`;
  // A CSV of any size is written without holding it in memory.
  const { maxAttachmentBytes } = config.mail;
  const { figures, hasBalances } = await inSnapshot(warehouse, '5min', async (snapshot) => {
    const figures = await readFigures(snapshot, digest, period, plainOccasion);
    await pipeline(await csvOf(snapshot, digest, figures), createWriteStream(file('.csv'), ownersAlone));
    const balances = await balancesOf(snapshot, digest, figures);
    if (balances !== null) await pipeline(balances, createWriteStream(file('-balances.csv'), ownersAlone));
    return { figures, hasBalances: balances !== null };
  });
  const csv = await packCsv(createReadStream(file('.csv')), csvFile(digest, period), maxAttachmentBytes);
  const written = hasBalances ? createReadStream(file('-balances.csv')) : null;
  const balances = await packBalances(written, digest, period, maxAttachmentBytes);
  const message = await composeDigest(figures, csv, balances);
  // Dated by the last day: the same warehouse always gives the same bytes.
  const mime = await toMime(message, config.mail, new Date(`${period.to}T00:00:00Z`));
  await writeFile(file('.eml'), addressed(mime, [digest.to[0]!], '<preview@localhost>'), ownersAlone);
  await writeFile(file('.html'), withChart(message), ownersAlone);
  await writeFile(file('.txt'), message.text, ownersAlone);
}
