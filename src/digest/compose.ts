import { type CsvAttachment, chartId, type DigestFigures, type DigestMessage } from '../model/digest.ts';
import { capitalize } from '../support/english.ts';
import type { Block, Mail } from './blocks.ts';
import { attentionNotes, lastingLine } from './content/attention.ts';
import { chartBlocks, chartDays } from './content/days.ts';
import { type Facts, factsOf } from './content/facts.ts';
import { insightLine } from './content/insight.ts';
import { closingLines, emptyLine, markOf, notes } from './content/notes.ts';
import { periodWords } from './content/period-words.ts';
import { subject } from './content/subject.ts';
import { earlierBlocks, figureTables, toDateLine } from './content/tables.ts';
import { tileBlocks } from './content/tiles.ts';
import { hasFigures } from './content/totals.ts';
import { createFormat, type Format } from './format.ts';
import { drawChart } from './render/chart.ts';
import { mailHtml } from './render/html.ts';
import { mailText } from './render/text.ts';

/** Turns figures into the message. The same figures always make the same message. */
export async function composeDigest(figures: DigestFigures, csv: CsvAttachment): Promise<DigestMessage> {
  const format = createFormat(figures.locale, figures.timeZone, figures.day);
  const mail = buildDigest(factsOf(figures), csv, format);
  const hasChart = mail.blocks.some(({ kind }) => kind === 'chart');
  return {
    name: figures.name,
    subject: mail.subject,
    text: mailText(mail),
    html: mailHtml(mail, `cid:${chartId}`),
    chart: hasChart ? await drawChart(chartDays(figures), format) : null,
    csv: csv.content,
    csvName: `${fileName(figures)}.csv`,
  };
}

/** Puts the facts into words, from top to bottom. Without calls, only the headline and the news. */
export function buildDigest(facts: Facts, csv: CsvAttachment, format: Format): Mail {
  const empty = emptyLine(facts, format);
  const headline = empty ?? insightLine(facts, format);
  const isEmpty = empty !== null || !facts.accounts.some(hasFigures);
  const unlessEmpty = (draw: (facts: Facts, format: Format) => readonly Block[]) =>
    isEmpty ? [] : draw(facts, format);
  const lead = headline === null ? [] : [{ kind: 'line', tone: 'lead', text: headline } as const];
  // A note that figures are missing or provisional comes before the headline.
  const isMarked = empty === null && markOf(facts, format) !== null;
  const blocks: readonly Block[] = [
    ...(isMarked ? [] : lead),
    ...notes(facts, format),
    ...(isMarked ? lead : []),
    ...attentionNotes(facts, format),
    ...unlessEmpty(tileBlocks),
    ...dashboardButton(facts, format),
    ...unlessEmpty(chartBlocks),
    ...unlessEmpty(toDateLine),
    ...earlierBlocks(facts, format),
    ...unlessEmpty(figureTables),
    ...lastingLine(facts, format),
    { kind: 'closing', lines: closingLines(facts, csv, format).map((text) => ({ text })) },
  ];
  return {
    locale: format.locale,
    subject: subject(facts, format),
    preheader: preheaderOf(blocks),
    name: facts.name,
    title: capitalize(periodWords(facts.period, format).long),
    blocks,
  };
}

/**
 * Fills in `DIGEST_LINK`: the day, the first and last day, and the names of the accounts, separated by commas. The values
 * are URL-encoded. The link of a digest over all accounts has no `{account}`.
 */
function dashboardButton({ link, period, accounts }: DigestFigures, { words }: Format): Block[] {
  if (link === null) return [];
  const values = {
    day: period.to,
    from: period.from,
    to: period.to,
    account: accounts.map(({ account }) => account).join(','),
  };
  const address = link.replaceAll(/\{(day|from|to|account)\}/g, (_, name: keyof typeof values) =>
    encodeURIComponent(values[name]),
  );
  return [{ kind: 'button', text: words.openDashboard, address }];
}

/** The preheader adds to the subject: titles of notes, the headline, and what needs attention. */
function preheaderOf(blocks: readonly Block[]): string {
  const textOf = (block: Block): string[] => {
    if (block.kind === 'line') return block.tone === 'lead' ? [block.text] : [];
    if (block.kind !== 'note') return [];
    return block.tone === 'attention' ? [...block.lines] : [block.title];
  };
  return blocks.flatMap(textOf).join(' · ');
}

/** `campaigns-2026-11-19`, `…-2026-11-16-week`, `…-2026-11-month`: a file name for every file system. */
export function fileName({ name, period }: Pick<DigestFigures, 'name' | 'period'>): string {
  const { every, from } = period;
  const ending = { day: from, week: `${from}-week`, month: `${from.slice(0, 7)}-month` }[every];
  return `${name.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '-')}-${ending}`;
}
