import { html } from 'hono/html';
import { chartId, type DigestMessage } from '../../model/digest.ts';
import type { Change, DigestContent, Item, Note, Row, Table, Tile } from '../content/content.ts';
import { chartColours } from './chart.ts';
import { box, layout, mailDocument, noteColours, style } from './document.ts';

/**
 * The digest as HTML for mail programs: tables, inline styles, nothing remote. Every text is escaped.
 *
 * @param chart address of the chart: `cid:…` in a message
 */
export function digestHtml(content: DigestContent, chart: string): string {
  const { name, locale, date, headline, pointer, tiles, compared, lastDays, tables, attention } = content;
  const closing = content.closing.map((line) => html`<p style="margin:0 0 8px">${line}</p>`);
  return mailDocument(
    locale,
    `${name}, ${date}`,
    preheader(content),
    html`<p class="quiet" style="${style.name}">${name}</p>
<h1 class="ink" style="${style.date}">${date}</h1>
<p class="ink" style="${style.headline}">${headline ?? ''}</p>
${pointer === null ? '' : html`<p class="pointer" style="${style.pointer}">${pointer}</p>`}
${content.notes.map(noteBox)}
${tiles.length === 0 ? '' : tileTable(tiles)}
${compared === null ? '' : html`<p class="quiet" style="${style.small}">${compared}</p>`}
${lastDays === null ? '' : chartPart(lastDays, chart)}
${tables.map(figureTable)}
${attention.length === 0 ? '' : attentionPart(content.attentionHeading, attention)}
${box('line quiet', style.closing, '28px 0 0', closing)}`,
  );
}

/** What an inbox shows beside the subject: what the subject lacks. */
function preheader({ notes, headline, tiles, pointer }: DigestContent): string {
  const [, attempts] = tiles;
  const changes = attempts?.changes.map(({ by, on }) => `${attempts.title} ${by} ${on}`) ?? [];
  return [...notes.map(({ title }) => title), headline, ...changes, pointer]
    .filter((part) => part !== null)
    .join(' · ');
}

function noteBox({ kind, ...note }: Note) {
  return box(`note-${kind}`, `${style.note};${noteColours[kind]}`, '0 0 16px', itemText(note));
}

function attentionPart(heading: string, items: readonly Item[]) {
  return html`<h2 class="ink" style="${style.heading}">${heading}</h2>
${items.map((item) => box('attention ink', style.attention, '0 0 10px', itemText(item)))}`;
}

function itemText({ title, lines }: Item) {
  return html`<strong>${title}</strong>${lines.map((line) => html`<br>${line}`)}`;
}

/** The first tile is as wide as the mail, two share a row, so they fit a phone; the last is a line. */
function tileTable([first, left, right, last]: readonly Tile[]) {
  const gap = html`<tr><td colspan="3" height="10" style="height:10px;font-size:0;line-height:0">&nbsp;</td></tr>`;
  return html`<table ${layout}>
<tr><td colspan="3" class="tile" style="${style.tile}">${tileCell(first!, style.firstFigure)}</td></tr>
${gap}
<tr>
<td width="49%" class="tile" style="${style.tile}">${tileCell(left!, style.figure)}</td>
<td width="2%" style="font-size:0;line-height:0">&nbsp;</td>
<td width="49%" class="tile" style="${style.tile}">${tileCell(right!, style.figure)}</td>
</tr>
${gap}
</table>
<p class="quiet" style="${style.small}">${smallTile(last!)}</p>`;
}

function smallTile({ title, figure, note, changes }: Tile) {
  const parts = [note, ...changes.map(({ by, on }) => `${by} ${on}`)].filter((part) => part !== null);
  return html`${title}: <strong class="ink" style="${style.by}">${figure}</strong>${parts.length === 0 ? '' : ` (${parts.join(', ')})`}`;
}

function tileCell({ title, figure, note, changes }: Tile, figureStyle: string) {
  return html`<p class="quiet" style="${style.tileTitle}">${title}</p>
<p class="ink figure" style="${figureStyle}">${figure}</p>
${note === null ? '' : html`<p class="quiet" style="${style.small}">${note}</p>`}
${changes.map(changeLine)}`;
}

function changeLine({ by, on }: Change) {
  return html`<p class="quiet" style="${style.small}"><strong class="ink" style="${style.by}">${by}</strong> ${on}</p>`;
}

/** The chart, its legend, and its numbers for whoever doesn't see it. */
function chartPart({ heading, columns, rows }: Table, address: string) {
  const numbers = rows.map(
    ({ title, under, cells }) => `${title}${under === null ? '' : ` (${under})`}: ${cells.join(', ')}`,
  );
  return html`<h2 class="ink" style="${style.heading}">${heading}</h2>
<p class="quiet" style="${style.legend}"><span style="color:${chartColours.attempts}">&#9632;</span> ${columns[1]!} &nbsp; <span style="color:${chartColours.connects}">&#9632;</span> ${columns[2]!}</p>
<img src="${address}" width="544" alt="${columns.slice(1).join(', ')}. ${numbers.join('; ')}." style="${style.chart}">`;
}

/** A table of figures by campaign, account or period. */
function figureTable({ heading, note, columns, rows }: Table) {
  const [about, ...numbers] = columns;
  const against = note === null ? '' : html`<p class="quiet" style="${style.tableNote}">${note}</p>`;
  return html`<h2 class="ink" style="${style.heading}">${heading}</h2>
${against}<table width="100%" cellpadding="0" cellspacing="0" border="0" style="${style.table}">
<tr><th scope="col" class="quiet" style="${style.head}">${about}</th>${numbers.map((column) => html`<th scope="col" class="quiet" style="${style.numberHead}">${column}</th>`)}</tr>
${rows.map(figureRow)}</table>`;
}

function figureRow({ title, under, cells, changes = [] }: Row) {
  return html`<tr><th scope="row" class="ink line" style="${style.rowTitle}"><bdi>${title}</bdi>${below(under)}</th>${cells.map((cell, column) => html`<td class="ink line" style="${style.cell}">${cell}${below(changes[column] ?? null)}</td>`)}</tr>
`;
}

const below = (text: string | null) =>
  text === null ? '' : html`<br><span class="quiet" style="${style.under}">${text}</span>`;

/** The page with its chart inside, since a browser has no message to take it from. */
export function withChart({ html, chart }: Pick<DigestMessage, 'html' | 'chart'>): string {
  if (chart === null) return html;
  return html.replace(`cid:${chartId}`, `data:image/png;base64,${Buffer.from(chart).toString('base64')}`);
}
