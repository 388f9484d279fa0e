import { type CsvAttachment, chartId, type DigestFigures, type DigestMessage } from '../model/digest.ts';
import { capitalize } from '../support/english.ts';
import { attentionItems, attentionPointer } from './content/attention.ts';
import type { DigestContent, Table } from './content/content.ts';
import { dashboardLink } from './content/dashboard-link.ts';
import { earlierTable } from './content/earlier.ts';
import { insightLine } from './content/insight.ts';
import { closingLines, emptyLine, notes } from './content/notes.ts';
import { periodWords } from './content/period-words.ts';
import { subject } from './content/subject.ts';
import {
  accountTable,
  campaignTable,
  lastDaysTable,
  lowestRatesTable,
  moversTable,
} from './content/tables.ts';
import { comparedNote, tiles } from './content/tiles.ts';
import { toDateTable } from './content/to-date.ts';
import { lastDays } from './content/totals.ts';
import { createFormat, type Format } from './format.ts';
import { drawChart } from './render/chart.ts';
import { digestHtml } from './render/html.ts';
import { digestText } from './render/text.ts';

/**
 * Turns figures into the message. The same figures always make the same message.
 *
 * @param balances all low balances as CSV, if the mail doesn't list them all
 */
export async function composeDigest(
  figures: DigestFigures,
  csv: CsvAttachment,
  balances: CsvAttachment | null = null,
): Promise<DigestMessage> {
  const format = createFormat(figures.locale, figures.timeZone, figures.day);
  const content = buildContent(figures, csv, balances);
  const name = fileName(figures);
  const ending = ({ kind }: CsvAttachment) => (kind === 'zip' ? 'zip' : 'csv');
  return {
    name: figures.name,
    subject: subject(figures, format),
    text: digestText(content),
    html: digestHtml(content, `cid:${chartId}`),
    chart: content.lastDays === null ? null : await drawChart(lastDays(figures), format),
    csv,
    csvName: `${name}.${ending(csv)}`,
    balances: balances === null ? null : { csv: balances, csvName: `${name}-balances.${ending(balances)}` },
  };
}

/** Puts the figures into words, for text and HTML alike. Without calls, only the headline and the news. */
export function buildContent(
  figures: DigestFigures,
  csv: CsvAttachment,
  balances: CsvAttachment | null = null,
): DigestContent {
  const format = createFormat(figures.locale, figures.timeZone, figures.day);
  const attached = balances !== null && balances.kind !== 'too large';
  const attention = attentionItems(figures, attached, format);
  const empty = emptyLine(figures, format);
  const isEmpty = empty !== null;
  return {
    name: figures.name,
    locale: format.locale,
    date: capitalize(periodWords(figures.period, format).long),
    headline: empty ?? insightLine(figures, format),
    pointer: attentionPointer(attention, format),
    notes: notes(figures, format),
    tiles: isEmpty ? [] : tiles(figures, format),
    compared: isEmpty ? null : comparedNote(figures, format),
    link: dashboardLink(figures, format),
    lastDays: isEmpty ? null : lastDaysTable(figures, format),
    tables: [earlierTable(figures, format), ...(isEmpty ? [] : tables(figures, format))].filter(
      (table) => table !== null,
    ),
    attentionHeading: format.words.attention.heading,
    attention,
    closing: closingLines(figures, csv, format),
  };
}

function tables(figures: DigestFigures, format: Format): (Table | null)[] {
  return [
    toDateTable(figures, format),
    moversTable(figures, format),
    accountTable(figures, format),
    campaignTable(figures, format),
    lowestRatesTable(figures, format),
  ];
}

/** `campaigns-2026-11-19`, `…-2026-11-16-week`, `…-2026-11-month`: a file name for every file system. */
export function fileName({ name, period }: Pick<DigestFigures, 'name' | 'period'>): string {
  const { every, from } = period;
  const ending = { day: from, week: `${from}-week`, month: `${from.slice(0, 7)}-month` }[every];
  return `${name.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '-')}-${ending}`;
}
