import { html } from 'hono/html';
import { type CountName, type Counts, countNames } from '../../model/records.ts';
import { formatCount, formatCountOf } from '../../support/english.ts';
import type { QuarantinedRecord } from '../../warehouse/queries/quarantine.ts';
import type { RestatedRow } from '../../warehouse/queries/restatements.ts';
import { formatInstant, type PageTime, quiet } from './elements.ts';
import { timesOf } from './lists.ts';

/** What the service reported otherwise after the day was finished, from → to; nothing where it reported nothing else. */
export function restatements(restated: readonly RestatedRow[], time: PageTime) {
  const [first] = restated;
  if (first === undefined) return '';
  const rest = first.restatements - restated.length;
  return html`<section><h2>Restated</h2><ul class="list">${restated.map((row) => restatedItem(row, time))}</ul>
${rest === 0 ? '' : quiet(`And ${formatCountOf(rest, 'earlier restatement')}.`)}</section>`;
}

const reasons = {
  changed: 'other counts',
  withdrawn: 'no longer listed',
  returned: 'listed again',
} as const satisfies Record<RestatedRow['reason'], string>;

function restatedItem(row: RestatedRow, { timeZone }: PageTime) {
  const { callsetId, campaign, reason, restatedAt } = row;
  return html`<li><strong>${campaign ?? 'Campaign without a name'}</strong> <span class="quiet">${reasons[reason]}, ${formatInstant(restatedAt, timeZone)} · callset ${callsetId}</span>
<span class="changes">${countNames.filter((name) => differs(row, name)).map((name) => changeItem(row, name))}</span></li>
`;
}

const differs = ({ before, after }: RestatedRow, name: CountName) =>
  (before?.[name] ?? null) !== (after?.[name] ?? null);

const words = {
  attempts: 'attempts',
  busies: 'busies',
  connects: 'connects',
  liveAnswers: 'live answers',
} as const satisfies Record<CountName, string>;

function changeItem({ before, after }: RestatedRow, name: CountName) {
  return html`<span>${words[name]} ${describe(before, name)} → <b>${describe(after, name)}</b></span> `;
}

function describe(counts: Counts | null, name: CountName): string {
  if (counts === null) return 'not listed';
  const count = counts[name];
  return count === null ? 'not reported' : formatCount(count);
}

/** Records of the day that couldn't be read; nothing where all could. */
export function missingRecords(records: readonly QuarantinedRecord[], time: PageTime) {
  const [first] = records;
  if (first === undefined) return '';
  const rest = first.records - records.length;
  return html`<section><h2>Missing from the counts</h2>
<p>${formatCountOf(first.records, 'record')} of the last response couldn’t be read: what ${first.records === 1 ? 'it says' : 'they say'} is in quarantine, and in no figure.</p>
<ul class="list">${records.map((record) => recordItem(record, time))}</ul>
${rest === 0 ? '' : quiet(`And ${formatCountOf(rest, 'more record')}.`)}</section>`;
}

function recordItem(record: QuarantinedRecord, { timeZone }: PageTime) {
  return html`<li><strong>${record.reason}</strong> <span class="quiet">${timesOf(record, timeZone)}</span>
<code class="payload">${record.payload}</code></li>
`;
}
