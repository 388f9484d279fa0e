import { stringify } from 'csv-stringify/sync';
import type { DigestRow } from '../model/digest.ts';
import { rate } from './format.ts';

const columns = [
  'account',
  'client_id',
  'day',
  'callset_id',
  'campaign',
  'attempts',
  'busies',
  'connects',
  'live_answers',
  'connect_rate',
  'live_answer_rate',
] as const;

/**
 * The rows of a digest as CSV for spreadsheets: UTF-8 with BOM, CRLF, texts quoted, formula cells defused.
 * An empty cell is a count that the service didn't tell, or a rate with nothing to divide by.
 */
export function digestCsv(rows: readonly DigestRow[]): string {
  return stringify(rows.map(toCells), {
    header: true,
    columns: [...columns],
    bom: true,
    record_delimiter: 'windows',
    quoted_string: true,
    escape_formulas: true,
    cast: { string: defuse },
  });
}

/** csv-stringify defuses a formula at the start of a cell; a spreadsheet also finds it behind white space. */
export function defuse(cell: string): string {
  return /^\s+[=+\-@＝＋－＠]|^\n/u.test(cell) ? `'${cell}` : cell;
}

function toCells(row: DigestRow): Record<(typeof columns)[number], string | number | null> {
  return {
    account: row.account,
    client_id: row.clientId,
    day: row.day,
    callset_id: row.callsetId,
    campaign: row.campaign,
    attempts: row.attempts,
    busies: row.busies,
    connects: row.connects,
    live_answers: row.liveAnswers,
    connect_rate: rate(row.connects, row.attempts),
    live_answer_rate: rate(row.liveAnswers, row.attempts),
  };
}
