import { digestCsv, takeCsv } from '../../digest/render/csv.ts';
import { languageOf } from '../../digest/words/languages.ts';
import type { CsvAttachment, DigestDefinition } from '../../model/digest.ts';
import { daysOf, type Period } from '../../model/period.ts';
import type { Transaction } from '../../warehouse/db/database.ts';
import { readDigestAccounts } from '../../warehouse/queries/figures.ts';
import { digestRowPages, readCsvColumns } from '../../warehouse/queries/figures-rows.ts';

/** All campaigns of all days of these periods as CSV, page by page. */
export async function* csvOf(
  snapshot: Transaction,
  { accounts, extraFields, csv }: DigestDefinition,
  periods: readonly Period[],
): AsyncGenerator<Buffer> {
  const known = await readDigestAccounts(snapshot, accounts);
  const columns = await readCsvColumns(snapshot, known, periods.flatMap(daysOf), extraFields);
  async function* pages() {
    for (const period of periods) yield* digestRowPages(snapshot, known, period);
  }
  yield* digestCsv(pages(), columns, csv);
}

/** The CSV as a message takes it. */
export async function attachedCsv(
  snapshot: Transaction,
  digest: DigestDefinition,
  periods: readonly Period[],
  maxBytes: number,
): Promise<CsvAttachment> {
  const { words } = languageOf(digest.locale);
  return await takeCsv(csvOf(snapshot, digest, periods), maxBytes, words.csv.cut, digest.csv);
}
