import { digestCsv, takeCsv } from '../../digest/render/csv.ts';
import { languageOf } from '../../digest/words/languages.ts';
import type { CsvAttachment, DigestDefinition } from '../../model/digest.ts';
import { daysOf, periodOf } from '../../model/period.ts';
import type { Transaction } from '../../warehouse/db/database.ts';
import { readDigestAccounts } from '../../warehouse/queries/figures.ts';
import { digestRowPages, readCsvColumns } from '../../warehouse/queries/figures-rows.ts';
import type { DuePeriod } from './due.ts';

/** A period by its last day, and its accounts. */
type CsvPeriod = Pick<DuePeriod, 'day' | 'accounts'>;

/** All campaigns of all days of these periods as CSV, page by page. */
export async function* csvOf(
  snapshot: Transaction,
  { every, accounts, extraFields, csv }: DigestDefinition,
  periods: readonly CsvPeriod[],
): AsyncGenerator<Buffer> {
  const known = await readDigestAccounts(snapshot, accounts);
  const days = periods.flatMap(({ day }) => daysOf(periodOf(every, day)));
  const columns = await readCsvColumns(snapshot, known, days, extraFields);
  async function* pages() {
    for (const { day, accounts } of periods) {
      const own = new Set(accounts.map(({ account }) => account));
      yield* digestRowPages(
        snapshot,
        known.filter(({ name }) => own.has(name)),
        periodOf(every, day),
      );
    }
  }
  yield* digestCsv(pages(), columns, csv);
}

/** The CSV as a message takes it. */
export async function attachedCsv(
  snapshot: Transaction,
  digest: DigestDefinition,
  periods: readonly CsvPeriod[],
  maxBytes: number,
): Promise<CsvAttachment> {
  const { words } = languageOf(digest.locale);
  return await takeCsv(csvOf(snapshot, digest, periods), maxBytes, words.csv.cut, digest.csv);
}
