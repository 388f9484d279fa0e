import { type CsvAttachment, chartId, type DigestFigures, type DigestMessage } from '../model/digest.ts';
import { buildContent } from './content/build-content.ts';
import { lastDays } from './content/compare.ts';
import { subject } from './content/headline.ts';
import { fileName } from './content/names.ts';
import { formatter } from './format.ts';
import { drawChart } from './render/chart.ts';
import { digestHtml } from './render/html.ts';
import { digestText } from './render/text.ts';

/** Turns figures into what the reader gets. Pure: the same figures give the same message. */
export async function composeDigest(figures: DigestFigures, csv: CsvAttachment): Promise<DigestMessage> {
  const content = buildContent(figures, csv);
  const format = formatter(figures.locale, figures.timeZone);
  return {
    name: figures.name,
    subject: subject(figures),
    text: digestText(content),
    html: digestHtml(content, `cid:${chartId}`),
    chart: content.lastDays === null ? null : await drawChart(lastDays(figures), format),
    csv,
    csvName: `${fileName(figures)}.csv${csv.kind === 'gzip' ? '.gz' : ''}`,
  };
}
