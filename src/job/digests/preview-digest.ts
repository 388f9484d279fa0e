import { createWriteStream } from 'node:fs';
import { mkdtempDisposable, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileName } from '../../digest/compose.ts';
import { withChart } from '../../digest/render/html.ts';
import { addressed } from '../../mail/message.ts';
import type { DigestDefinition, DigestState } from '../../model/digest.ts';
import { Failure } from '../../model/errors.ts';
import type { Period } from '../../model/period.ts';
import { createPrivateFolder, whyUnwritable } from '../../support/folder.ts';
import { inSnapshot } from '../../warehouse/db/transaction.ts';
import { warehouseFailure } from '../../warehouse/failures.ts';
import { readDigestStates } from '../../warehouse/outbox/periods.ts';
import type { AppContext } from '../run/app-context.ts';
import { composeFromWarehouse, csvOf } from './compose-digest.ts';
import { envelopeOf } from './deliver-digests.ts';
import { requestedPeriod } from './read-due.ts';

/** Other users of the machine can't read clients' figures. */
const ownersAlone = { mode: 0o600 };

/** The parts of a preview, by file ending. */
const endings = ['.eml', '.html', '.txt', '.csv'];

/**
 * Writes a digest as `.html`, `.txt`, `.csv` and `.eml`, without sending it; returns the paths. Only their owner can read the files. Those of an earlier preview are replaced
 * once all are written. Throws a Failure if the folder can't be written.
 */
export async function previewDigest(
  app: AppContext,
  digest: DigestDefinition,
  period: Period,
  directory: string,
): Promise<string[]> {
  const { warehouse } = app;
  const name = fileName({ name: digest.name, period });
  const files = endings.map((ending) => `${name}${ending}`);
  try {
    await createPrivateFolder(directory);
    // A folder of its own: two previews at once don't mix their files.
    await using draft = await mkdtempDisposable(path.join(directory, '.preview-'));
    const file = (ending: string) => path.join(draft.path, `${name}${ending}`);
    const requested = await requestedPeriod(warehouse, digest, period);
    // The CSV is whole, of any size.
    await inSnapshot(warehouse, '5min', async (snapshot) => {
      await pipeline(csvOf(snapshot, digest, [requested]), createWriteStream(file('.csv'), ownersAlone));
    });
    const [{ mailedAt }] = (await readDigestStates(warehouse, [digest])) as [DigestState];
    const occasion = { ...requested, before: null, earlier: [], mailedAt };
    const { message, mime } = await composeFromWarehouse(app, digest, period, occasion);
    const envelope = envelopeOf(
      app.config,
      { name: digest.name, recipient: digest.to[0]!, messageId: '<preview@localhost>' },
      // Dated by the last day: the same warehouse always gives the same bytes.
      Temporal.Instant.from(`${period.to}T00:00:00Z`),
    );
    await writeFile(file('.eml'), addressed(mime, envelope), ownersAlone);
    await writeFile(file('.html'), withChart(message), ownersAlone);
    await writeFile(file('.txt'), message.text, ownersAlone);
    for (const file of files) await rename(path.join(draft.path, file), path.join(directory, file));
  } catch (error) {
    const reason = warehouseFailure(error) === null ? whyUnwritable(error) : null;
    if (reason === null) throw error;
    throw new Failure(
      'INVALID_ARGUMENTS',
      `the preview can't be written to ${path.resolve(directory)}: ${reason}`,
      { advice: 'name another folder with --preview, or make room there' },
    );
  }
  return files.map((file) => path.join(directory, file));
}
