import { html } from 'hono/html';
import { chartId, type DigestMessage } from '../../model/digest.ts';
import type { Block, ClosingLine, Item, Mail, Note, Problem, Row, Table, Tile } from '../blocks.ts';
import { chartColours, chartSize } from './chart.ts';
import { box, gap, type Html, layout, mailDocument, noteColours, problemColours, style } from './document.ts';

/**
 * A mail as HTML for mail programs: tables, inline styles, nothing remote, all text escaped.
 *
 * @param chart URL of the chart: `cid:…` in a message
 */
export function mailHtml({ locale, preheader, name, title, blocks }: Mail, chart = ''): string {
  const [first, ...rest] = blocks;
  // The sentence below the title belongs to it.
  const hasLead = first?.kind === 'line' && first.tone === 'lead';
  return mailDocument(
    locale,
    `${name}, ${title}`,
    preheader,
    html`<p class="quiet" style="${style.name}">${name}</p>
<h1 class="ink" style="${style.date}">${title}</h1>
${hasLead ? drawHtml(first, chart) : gap(16)}
${(hasLead ? rest : blocks).map((block) => drawHtml(block, chart))}`,
  );
}

const drawHtml = <Kind extends Block['kind']>(block: Extract<Block, { kind: Kind }>, chart: string): Html =>
  (drawn[block.kind as Kind] as (block: Extract<Block, { kind: Kind }>, chart: string) => Html)(block, chart);

const drawn: {
  readonly [Kind in Block['kind']]: (block: Extract<Block, { kind: Kind }>, chart: string) => Html;
} = {
  heading: ({ text }) => heading(text),
  line: ({ tone, text }) =>
    ({
      lead: html`<p class="ink" style="${style.headline}">${text}</p>${gap(16)}`,
      quiet: html`<p class="quiet" style="${style.aside}">${text}</p>`,
    })[tone],
  note: ({ tone, ...note }) =>
    html`${box(`note-${tone}`, `${style.note};${noteColours[tone]}`, titled(note))}${gap(10)}`,
  item: (item) => html`${box('attention ink', style.attention, titled(item))}${gap(10)}`,
  tiles: ({ tiles }) => tileTable(tiles),
  chart: ({ table }, chart) => chartPart(table, chart),
  table: ({ table }) => figureTable(table),
  button: ({ text, address }) => button(text, address),
  problem: problemPart,
  closing: ({ lines }) => html`${gap(16)}${box('line quiet', style.closing, lines.map(closingLine))}`,
};

const heading = (text: Html) =>
  html`<h2 class="ink" style="${style.heading};overflow-wrap:anywhere">${text}</h2>`;

function titled({ title, lines }: Pick<Note | Item, 'title' | 'lines'>) {
  return html`<strong>${title}</strong>${lines.map((line) => html`<br>${line}`)}`;
}

/** Three tiles share a row. */
function tileTable(tiles: readonly [Tile, Tile, Tile]) {
  const cells = tiles.map(
    (tile) => html`<td width="32%" class="tile" style="${style.tile}">${tileCell(tile)}</td>`,
  );
  const [left, middle, right] = cells;
  const between = html`<td width="2%"></td>`;
  return html`<table ${layout}>
<tr>${left}${between}${middle}${between}${right}</tr>
</table>
`;
}

function tileCell({ title, figure, note, change }: Tile) {
  return html`<p class="quiet" style="${style.tileTitle}">${title}</p>
<p class="ink figure" style="${style.figure}">${figure}</p>
${change === null ? '' : html`<p class="ink" style="${style.change}">${change}</p>`}
${note === null ? '' : html`<p class="quiet" style="${style.small}">${note}</p>`}`;
}

/** A cell with its own background, as wide as its text. All of it is clickable, except in Outlook. */
function button(text: string, address: string) {
  return html`${gap(16)}<table role="presentation" cellpadding="0" cellspacing="0" border="0"><tr><td style="${style.button}"><a href="${address}" style="${style.buttonLink}">${text}</a></td></tr></table>`;
}

function chartPart(table: Table, address: string) {
  const { columns, rows } = table;
  const numbers = rows.map(
    ({ title, under, cells }) => `${title}${under === null ? '' : ` (${under})`}: ${cells.join(', ')}`,
  );
  return html`${heading(table.heading)}
<p class="quiet" style="${style.legend}">${legend(table)}</p>
<p style="${style.picture}"><img src="${address}" width="${chartSize.width}" height="${chartSize.height}" alt="${columns.slice(1).join(', ')}. ${numbers.join('; ')}." style="${style.chart}"></p>`;
}

/** The colours of the columns, and the hatching if a day is missing, incomplete or provisional. */
function legend({ columns: [, attempts, connects, rate], rows }: Table) {
  const lacking = [...new Set(rows.map(({ under }) => under))].filter((lack) => lack !== null);
  const entries = [
    legendEntry(chartColours.attempts, attempts!),
    legendEntry(chartColours.connects, connects!),
    legendEntry(chartColours.rate, rate!),
    ...(lacking.length === 0 ? [] : [html`▨&nbsp;${lacking.join(', ').replaceAll(' ', '\u00a0')}`]),
  ];
  return entries.map((entry, index) => (index === 0 ? entry : html` &nbsp; ${entry}`));
}

/** The colour is a background: Thunderbird's dark mode removes most text colours. */
const legendEntry = (colour: string, text: string) =>
  html`<span style="${style.sign};background-color:${colour}">&nbsp;&nbsp;&nbsp;</span>&nbsp;${text}`;

/** A table of figures by campaign, account or period; attributes align it in mail programs without styles. */
function figureTable({ columns, rows, titles, heading: title, wideColumns = 0 }: Table) {
  const [about, ...numbers] = columns;
  const titleClasses = titles === 'cut' ? 'ink line title' : 'ink line';
  const wideFrom = numbers.length - wideColumns;
  const classOf = (column: number) => (column < wideFrom ? 'number' : 'number wide');
  return html`${heading(title)}
<table width="100%" cellpadding="0" cellspacing="0" border="0" style="${style.table}">
<tr><th scope="col" align="left" class="quiet" style="${style.head}">${about}</th>${numbers.map((name, column) => html`<th scope="col" align="right" class="quiet ${classOf(column)}" style="${style.numberHead}">${name}</th>`)}</tr>
${rows.map((row) => figureRow(row, titleClasses, classOf))}</table>`;
}

function figureRow({ title, under, cells }: Row, titleClasses: string, classOf: (column: number) => string) {
  return html`<tr><th scope="row" align="left" class="${titleClasses}" style="${style.rowTitle}"><bdi>${title}</bdi>${nextToTitle(under)}</th>${cells.map((cell, column) => html`<td align="right" class="ink line ${classOf(column)}" style="${style.cell}">${cell}</td>`)}</tr>
`;
}

const nextToTitle = (text: string | null) =>
  text === null ? '' : html`&nbsp; <span class="quiet" style="${style.under}">${text}</span>`;

function problemPart({ tone, title, explanation, names, steps }: Problem) {
  const content = html`<p class="ink" style="${style.problem}">${withWholeDays(title)}</p>
<p class="ink" style="${style.cause}">${withWholeDays(explanation)}</p>
${names.map((line) => html`<p class="quiet" style="${style.names}">${withWholeDays(line)}</p>`)}
${steps.map(({ text, command }, index) => {
  const number = steps.length === 1 ? '' : `${index + 1}. `;
  return command === null
    ? html`<p class="ink" style="${style.step}">${number}${text}.</p>`
    : html`<p class="ink" style="${style.step}">${number}${text}:</p>
${gap(8)}${box('tile ink', style.command, command)}`;
})}`;
  return html`${box('ink', `${style.problemBox};border-left:4px solid ${problemColours[tone]}`, content)}${gap(18)}`;
}

/** Keeps each date on one line. */
const withWholeDays = (text: string) =>
  text
    .split(/(\b\d{1,2} (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\b(?: \d{4}\b)?)/)
    .map((part, index) => (index % 2 === 0 ? part : html`<span style="white-space:nowrap">${part}</span>`));

const closingLine = ({ text, address }: ClosingLine) =>
  html`<p style="margin:0 0 4px">${text}${
    address === undefined
      ? ''
      : html` <a class="quiet" style="color:#566070" href="${address}">${address}</a>`
  }</p>`;

/** Embeds the chart in the page: a browser has no message to take it from. */
export function withChart({ html, chart }: Pick<DigestMessage, 'html' | 'chart'>): string {
  if (chart === null) return html;
  return html.replace(`cid:${chartId}`, `data:image/png;base64,${Buffer.from(chart).toString('base64')}`);
}
