import { type CsvAttachment, chartId, type DigestFigures, type DigestMessage } from '../model/digest.ts';
import { capitalize } from '../support/english.ts';
import { attentionPart, attentionPointer } from './content/attention.ts';
import type { DigestContent } from './content/content.ts';
import { dashboardLink } from './content/dashboard-link.ts';
import { earlierTable } from './content/earlier.ts';
import { type Facts, factsOf } from './content/facts.ts';
import { insightLine } from './content/insight.ts';
import { closingLines, emptyLine, notes } from './content/notes.ts';
import { periodWords } from './content/period-words.ts';
import { subject } from './content/subject.ts';
import {
  accountTable,
  campaignTable,
  extremeRatesTable,
  lastDaysTable,
  moversTable,
} from './content/tables.ts';
import { comparedNote, tiles } from './content/tiles.ts';
import { toDateTable } from './content/to-date.ts';
import { createFormat, type Format } from './format.ts';
import { drawChart } from './render/chart.ts';
import { digestHtml } from './render/html.ts';
import { digestText } from './render/text.ts';

/** Turns figures into the message. The same figures always make the same message. */
export async function composeDigest(figures: DigestFigures, csv: CsvAttachment): Promise<DigestMessage> {
  const format = createFormat(figures.locale, figures.timeZone, figures.day);
  const facts = factsOf(figures);
  const content = buildContent(facts, csv, format);
  return {
    name: figures.name,
    subject: content.subject,
    text: digestText(content),
    html: digestHtml(content, `cid:${chartId}`),
    chart: content.lastDays === null ? null : await drawChart(facts.days, format),
    csv: csv.content,
    csvName: `${fileName(figures)}.csv`,
  };
}

/** Puts the facts into words, for text and HTML alike. Without calls, only the headline and the news. */
export function buildContent(facts: Facts, csv: CsvAttachment, format: Format): DigestContent {
  const attention = attentionPart(facts, format);
  const empty = emptyLine(facts, format);
  const isEmpty = empty !== null;
  return {
    name: facts.name,
    subject: subject(facts, format),
    locale: format.locale,
    date: capitalize(periodWords(facts.period, format).long),
    headline: empty ?? insightLine(facts, format),
    pointer: attentionPointer(attention.items, format),
    notes: notes(facts, format),
    tiles: isEmpty ? [] : tiles(facts, format),
    compared: isEmpty ? null : comparedNote(facts, format),
    link: dashboardLink(facts, format),
    lastDays: isEmpty ? null : lastDaysTable(facts, format),
    tables: [
      earlierTable(facts, format),
      ...(isEmpty
        ? []
        : [toDateTable(facts, format), moversTable(facts, format), accountTable(facts, format)]),
    ].filter((table) => table !== null),
    attention,
    campaigns: isEmpty
      ? []
      : [campaignTable(facts, format), extremeRatesTable(facts, format)].filter((table) => table !== null),
    closing: closingLines(facts, csv, format),
  };
}

/** `campaigns-2026-11-19`, `…-2026-11-16-week`, `…-2026-11-month`: a file name for every file system. */
export function fileName({ name, period }: Pick<DigestFigures, 'name' | 'period'>): string {
  const { every, from } = period;
  const ending = { day: from, week: `${from}-week`, month: `${from.slice(0, 7)}-month` }[every];
  return `${name.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '-')}-${ending}`;
}
