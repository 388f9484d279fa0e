import { html } from 'hono/html';
import { chartId, type DigestMessage } from '../../model/digest.ts';
import type { Change, DigestContent, Item, Link, Note, Row, Table, Tile } from '../content/content.ts';
import { chartSize } from './chart.ts';
import { chartColours } from './chart-options.ts';
import { box, gap, layout, mailDocument, noteColours, style } from './document.ts';

/**
 * The digest as HTML for mail programs: tables, inline styles, nothing remote. Every text is escaped.
 *
 * @param chart address of the chart: `cid:…` in a message
 */
export function digestHtml(content: DigestContent, chart: string): string {
  const { name, date, pointer, compared, link, lastDays, campaigns, accounts, attention } = content;
  const closing = content.closing.map((line) => html`<p style="margin:0 0 8px">${line}</p>`);
  return mailDocument(
    `${name}, ${date}`,
    preheader(content),
    html`<p class="quiet" style="${style.name}">${name}</p>
<h1 class="ink" style="${style.date}">${date}</h1>
<p class="ink" style="${style.headline}">${content.headline}</p>
${pointer === null ? '' : html`<p class="pointer" style="${style.pointer}">${pointer}</p>`}
${gap(20)}
${content.notes.map(noteBox)}
${tileTable(content.tiles)}
${compared === null ? '' : html`<p class="quiet" style="${style.small}">${compared}</p>`}
${link === null ? '' : button(link)}
${lastDays === null ? '' : chartPart(lastDays, chart)}
${campaigns === null ? '' : figureTable(campaigns)}
${accounts === null ? '' : figureTable(accounts)}
${attention.length === 0 ? '' : attentionPart(attention)}
${gap(28)}
${box('line quiet', style.closing, closing)}`,
  );
}

/** What an inbox shows beside the subject: what the subject lacks. */
function preheader({ notes, tiles, pointer }: DigestContent): string {
  const changes = tiles[0]!.changes.map(({ by, on }) => `${by} ${on}`);
  return [...notes.map(({ title }) => title), ...changes, pointer]
    .filter((part) => part !== null)
    .join(' · ');
}

function noteBox({ kind, ...note }: Note) {
  return html`${box(`note-${kind}`, `${style.note};${noteColours[kind]}`, itemText(note))}${gap(16)}`;
}

function attentionPart(items: readonly Item[]) {
  return html`<h2 class="ink" style="${style.heading}">Needs attention</h2>
${items.map((item) => html`${box('attention ink', style.attention, itemText(item))}${gap(10)}`)}`;
}

function itemText({ title, lines }: Item) {
  return html`<strong>${title}</strong>${lines.map((line) => html`<br>${line}`)}`;
}

/** The tiles, two by two: so they fit a phone without a layout of its own. */
function tileTable(tiles: readonly Tile[]) {
  const pairs = tiles.flatMap((tile, index) => (index % 2 === 0 ? [[tile, tiles[index + 1]]] : []));
  return html`<table ${layout}>
${pairs.map(
  ([left, right]) => html`<tr>
<td width="49%" class="tile" style="${style.tile}">${tileCell(left!)}</td>
<td width="2%"></td>
<td width="49%" class="tile" style="${style.tile}">${right === undefined ? '' : tileCell(right)}</td>
</tr>
<tr><td colspan="3">${gap(10)}</td></tr>
`,
)}</table>`;
}

function tileCell({ title, figure, note, changes }: Tile) {
  return html`<p class="quiet" style="${style.tileTitle}">${title}</p>
<p class="ink figure" style="${style.figure}">${figure}</p>
${note === null ? '' : html`<p class="quiet" style="${style.small}">${note}</p>`}
${changes.map(changeLine)}`;
}

function changeLine({ by, on }: Change) {
  return html`<p class="quiet" style="${style.small}"><strong class="ink" style="${style.by}">${by}</strong> ${on}</p>`;
}

/** A cell with a ground of its own: as wide as its text, and all of it to be clicked but in Outlook. */
function button({ text, address }: Link) {
  return html`${gap(16)}<table role="presentation" cellpadding="0" cellspacing="0" border="0"><tr><td style="${style.button}"><a href="${address}" style="${style.buttonLink}">${text}</a></td></tr></table>`;
}

/** The chart, its legend, and its numbers for whoever doesn't see it. */
function chartPart(table: Table, address: string) {
  const { heading, columns, rows } = table;
  const numbers = rows.map(
    ({ title, under, cells }) => `${title}${under === null ? '' : ` (${under})`}: ${cells.join(', ')}`,
  );
  return html`<h2 class="ink" style="${style.heading}">${heading}</h2>
<p class="quiet" style="${style.legend}">${legend(table)}</p>
<img src="${address}" width="${chartSize.width}" height="${chartSize.height}" alt="${columns.slice(1).join(', ')} by day. ${numbers.join('; ')}." style="${style.chart}">`;
}

/** The signs of the columns; and what is hatched, where a day isn't wholly loaded. */
function legend({ columns: [, attempts, connects, rate], rows }: Table) {
  const lacking = [...new Set(rows.map(({ under }) => under))].filter((lack) => lack !== null);
  const entries = [
    legendEntry(chartColours.attempts, '■', attempts!),
    legendEntry(chartColours.connects, '■', connects!),
    legendEntry(chartColours.rate, '●', rate!),
    ...(lacking.length === 0 ? [] : [legendEntry(chartColours.lacking, '▨', lacking.join(', '))]),
  ];
  return entries.map((entry, index) => (index === 0 ? entry : html` &nbsp; ${entry}`));
}

const legendEntry = (colour: string, sign: string, text: string) =>
  html`<span style="color:${colour}">${sign}</span>&nbsp;${text}`;

/** A table of figures by campaign or account; aligned by attributes, too, for programs without styles. */
function figureTable({ heading, columns, rows }: Table) {
  const [about, ...numbers] = columns;
  return html`<h2 class="ink" style="${style.heading}">${heading}</h2>
<table width="100%" cellpadding="0" cellspacing="0" border="0" style="${style.table}">
<tr><th scope="col" align="left" class="quiet" style="${style.head}">${about}</th>${numbers.map((column) => html`<th scope="col" align="right" class="quiet" style="${style.numberHead}">${column}</th>`)}</tr>
${rows.map(figureRow)}</table>`;
}

function figureRow({ title, under, cells }: Row) {
  const below = under === null ? '' : html`<br><span class="quiet" style="${style.under}">${under}</span>`;
  return html`<tr><th scope="row" align="left" class="ink line" style="${style.rowTitle}"><bdi>${title}</bdi>${below}</th>${cells.map((cell) => html`<td align="right" class="ink line" style="${style.cell}">${cell}</td>`)}</tr>
`;
}

/** The page with its chart inside, since a browser has no message to take it from. */
export function withChart({ html, chart }: Pick<DigestMessage, 'html' | 'chart'>): string {
  if (chart === null) return html;
  return html.replace(`cid:${chartId}`, `data:image/png;base64,${Buffer.from(chart).toString('base64')}`);
}
