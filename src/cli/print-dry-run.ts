import type { DryStep } from '../job/dry-run.ts';
import { lineOf } from '../model/errors.ts';
import { digestName, periodName, periodOf } from '../model/period.ts';
import { type CampaignRecord, type Counts, countNames } from '../model/records.ts';
import type { CurrentDay, DayChange } from '../model/window.ts';
import { formatList } from '../support/english.ts';
import { printable } from './table.ts';

/** Describes a step of a dry run: each row that a run would write, or the recipients that it would mail. */
export function describeStep(step: DryStep): string[] {
  if (step.step === 'clients') {
    const { account, listed, appeared, changed, problem } = step;
    const incomplete = problem === null ? '' : `; the list is incomplete: ${problem}`;
    return [`clients of ${account}: ${listed} listed, ${appeared} new, ${changed} changed${incomplete}`];
  }
  if (step.step === 'failure') return [lineOf(step.failure)];
  if (step.step === 'digest') {
    const { digest, day, earlier } = step.mail;
    const others = earlier.map((each) => periodName(periodOf(digest.every, each.day)));
    const along = others.length === 0 ? '' : `, with ${formatList(others)}`;
    return [`digest ${digestName({ ...digest, day })}${along} to ${digest.to.join(', ')}`];
  }
  const { window, before, records, rejects, outcome, because, sign, change } = step;
  const head = `${window.day} ${window.account}:`;
  const quarantined = rejects > 0 ? `, ${rejects} to quarantine` : '';
  if (outcome === 'unreadable') return [`${head} not loaded: ${because}`];
  if (outcome === 'ignore') return [`${head} unchanged: ${because}`];
  const what = outcome === 'hold' ? `held: ${because}; if accepted: ` : '';
  const provisional = outcome === 'apply' && because !== null ? `; provisional: ${because}` : '';
  const answer = sign === null ? '' : `no list, but "${sign}", read as a day without campaigns: `;
  return [
    `${head} ${what}${answer}${totals(change)}${quarantined}${provisional}`,
    ...rowLines(change, before, records),
  ];
}

function totals(change: DayChange): string {
  const { appeared, updated, withdrawn, restatements, unchanged } = change;
  return (
    `${appeared.length} new, ${updated.length} changed, ${withdrawn.length} withdrawn, ` +
    `${restatements.length} of these restated, ${unchanged} unchanged`
  );
}

function rowLines(change: DayChange, before: CurrentDay, records: readonly CampaignRecord[]): string[] {
  const rows = new Map(before.rows.map((row) => [row.callsetId, row]));
  const restated = new Set(change.restatements.map(({ callsetId }) => callsetId));
  const names = new Map([...before.rows, ...records].map((record) => [record.callsetId, record.campaign]));
  const line = (what: string, id: number, figures: string) =>
    `  ${what.padEnd(9)}  ${id}  ${figures}  ${printable(names.get(id))}`;
  return [
    ...change.appeared.map((record) => line('new', record.callsetId, counts(record))),
    ...change.updated.map((record) => {
      const { callsetId: id } = record;
      return line(restated.has(id) ? 'restated' : 'changed', id, differences(rows.get(id)!, record));
    }),
    ...change.withdrawn.map((id) => line('withdrawn', id, counts(rows.get(id)!))),
  ];
}

const counts = (record: Counts) => countNames.map((name) => `${name} ${record[name] ?? '–'}`).join(', ');

function differences(before: Counts, after: Counts): string {
  const differing = countNames.filter((name) => before[name] !== after[name]);
  if (differing.length === 0) return 'the same counts';
  return differing.map((name) => `${name} ${before[name] ?? '–'} → ${after[name] ?? '–'}`).join(', ');
}
