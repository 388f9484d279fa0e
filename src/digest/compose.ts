import { type CsvAttachment, chartId, type DigestFigures, type DigestMessage } from '../model/digest.ts';
import { attentionItems } from './content/attention.ts';
import type { DigestContent } from './content/content.ts';
import { dashboardLink } from './content/dashboard-link.ts';
import { closingLines, notes } from './content/notes.ts';
import { periodWords } from './content/period-words.ts';
import { accountTable, campaignTable, lastDaysTable } from './content/tables.ts';
import { comparedNote, tiles } from './content/tiles.ts';
import { hasFigures, lackingAccounts, lastDays, sumUp } from './content/totals.ts';
import { createFormat, type Format } from './format.ts';
import { drawChart } from './render/chart.ts';
import { digestHtml } from './render/html.ts';
import { digestText } from './render/text.ts';

/** Turns figures into what the reader gets. Pure: the same figures give the same message. */
export async function composeDigest(figures: DigestFigures, csv: CsvAttachment): Promise<DigestMessage> {
  const format = createFormat(figures.locale, figures.timeZone);
  const content = buildContent(figures, csv);
  return {
    name: figures.name,
    subject: subject(figures, format),
    text: digestText(content),
    html: digestHtml(content, `cid:${chartId}`),
    chart: content.lastDays === null ? null : await drawChart(lastDays(figures), format),
    csv,
    csvName: `${fileName(figures)}.${csv.kind === 'zip' ? 'zip' : 'csv'}`,
  };
}

/** Puts the figures into words: text and HTML show the same. */
export function buildContent(figures: DigestFigures, csv: CsvAttachment): DigestContent {
  const format = createFormat(figures.locale, figures.timeZone);
  const attention = attentionItems(figures, format);
  const points = format.countOf(attention.length, 'point');
  return {
    name: figures.name,
    date: periodWords(figures.period, format).long,
    headline: capitalized(headline(figures, format)),
    pointer: attention.length === 0 ? null : `Needs attention: ${points}, below.`,
    notes: notes(figures, format),
    tiles: tiles(figures, format),
    compared: comparedNote(figures),
    link: dashboardLink(figures),
    lastDays: lastDaysTable(figures, format),
    campaigns: campaignTable(figures, format),
    accounts: accountTable(figures, format),
    attention,
    closing: closingLines(figures, csv, format),
  };
}

/** `Campaigns, Thu 19 Nov: 12,480 attempts, 61% connected`, and whether it is corrected or incomplete. */
function subject(figures: DigestFigures, format: Format): string {
  const corrected = figures.before === null ? '' : 'Corrected: ';
  const incomplete = lackingAccounts(figures).length > 0 ? ' (incomplete)' : '';
  return `${corrected}${figures.name}, ${periodWords(figures.period, format).short}: ${headline(figures, format)}${incomplete}`;
}

function headline({ accounts }: DigestFigures, format: Format): string {
  const { attempts, campaigns, unreported, rates } = sumUp(accounts);
  if (!accounts.some(hasFigures)) return 'nothing loaded';
  if (attempts === null) return `${format.countOf(campaigns, 'campaign')}, attempts not reported`;
  if (attempts === 0n) return unreported.attempts > 0 ? 'no attempts reported' : 'no attempts';
  const connected = rates.connects;
  if (connected !== null) return `${format.count(attempts)} attempts, ${format.rate(connected)} connected`;
  return `${format.count(attempts)} attempts, connects not reported`;
}

const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** `campaigns-2026-11-19`, `…-2026-11-16-week`, `…-2026-11-month`: the name of a digest's files, safe on every file system. */
export function fileName({ name, period }: Pick<DigestFigures, 'name' | 'period'>): string {
  const { every, from } = period;
  const ending = { day: from, week: `${from}-week`, month: `${from.slice(0, 7)}-month` }[every];
  return `${name.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '-')}-${ending}`;
}
