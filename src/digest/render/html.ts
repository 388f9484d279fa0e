import { html } from 'hono/html';
import { chartId, type DigestMessage } from '../../model/digest.ts';
import {
  type AttentionPart,
  type Change,
  changeText,
  type DigestContent,
  hasAttention,
  type Item,
  type Link,
  type Note,
  type Row,
  type Table,
  type Tile,
} from '../content/content.ts';
import { chartColours, chartSize } from './chart.ts';
import { box, gap, layout, mailDocument, noteColours, style } from './document.ts';

/**
 * Renders the digest as HTML for mail programs: tables, inline styles, nothing remote, all text escaped.
 *
 * @param chart URL of the chart: `cid:…` in a message
 */
export function digestHtml(content: DigestContent, chart: string): string {
  const { name, locale, date, headline, pointer, tiles, compared, link } = content;
  const { lastDays, tables, attention, campaigns } = content;
  const closing = content.closing.map((line) => html`<p style="margin:0 0 4px">${line}</p>`);
  return mailDocument(
    locale,
    `${name}, ${date}`,
    preheader(content),
    html`<p class="quiet" style="${style.name}">${name}</p>
<h1 class="ink" style="${style.date}">${date}</h1>
${headline === null ? '' : html`<p class="ink" style="${style.headline}">${headline}</p>`}
${gap(16)}
${content.notes.map(noteBox)}
${pointer === null ? '' : html`<p class="pointer" style="${style.pointer}">${pointer}</p>${gap(16)}`}
${tiles.length === 0 ? '' : tileTable(tiles)}
${compared === null ? '' : html`<p class="quiet" style="${style.small}">${compared}</p>`}
${link === null ? '' : button(link)}
${lastDays === null ? '' : chartPart(lastDays, chart)}
${tables.map((table) => figureTable(table, 'ink line'))}
${hasAttention(attention) ? attentionPart(attention) : ''}
${campaigns.map((table) => figureTable(table, 'ink line title'))}
${gap(16)}
${box('line quiet', style.closing, closing)}`,
  );
}

/** The text that an inbox shows after the subject: it adds what the subject lacks. */
function preheader({ notes, headline, tiles, pointer }: DigestContent): string {
  const [rate] = tiles;
  const change = rate?.change ? `${rate.title} ${changeText(rate.change)}` : null;
  return [...notes.map(({ title }) => title), headline, change, pointer]
    .filter((part) => part !== null)
    .join(' · ');
}

function noteBox({ kind, ...note }: Note) {
  return html`${box(`note-${kind}`, `${style.note};${noteColours[kind]}`, itemText(note))}${gap(10)}`;
}

function attentionPart({ heading, items, ongoing }: AttentionPart) {
  return html`<h2 class="ink" style="${style.heading}">${heading}</h2>
${items.map((item) => html`${box('attention ink', style.attention, itemText(item))}${gap(10)}`)}
${ongoing.map((line) => html`<p class="quiet" style="${style.small};word-break:break-word">${line}</p>`)}`;
}

function itemText({ title, lines }: Item) {
  return html`<strong>${title}</strong>${lines.map((line) => html`<br>${line}`)}`;
}

/** The first tile is as wide as the mail, two share a row: they fit a phone. */
function tileTable([first, left, right]: readonly Tile[]) {
  return html`<table ${layout}>
<tr><td colspan="3" class="tile" style="${style.tile}">${tileCell(first!, style.firstFigure)}</td></tr>
<tr><td colspan="3">${gap(10)}</td></tr>
<tr>
<td width="49%" class="tile" style="${style.tile}">${tileCell(left!, style.figure)}</td>
<td width="2%"></td>
<td width="49%" class="tile" style="${style.tile}">${tileCell(right!, style.figure)}</td>
</tr>
</table>
${gap(10)}`;
}

function tileCell({ title, figure, note, change }: Tile, figureStyle: string) {
  return html`<p class="quiet" style="${style.tileTitle}">${title}</p>
<p class="ink figure" style="${figureStyle}">${figure}</p>
${note === null ? '' : html`<p class="quiet" style="${style.small}">${note}</p>`}
${change === null ? '' : changeLine(change)}`;
}

function changeLine({ change, comparedWith }: Change) {
  return html`<p class="quiet" style="${style.small}"><strong class="ink" style="${style.change}">${change}</strong> ${comparedWith}</p>`;
}

/** A cell with its own background, as wide as its text. All of it is clickable, except in Outlook. */
function button({ text, address }: Link) {
  return html`${gap(16)}<table role="presentation" cellpadding="0" cellspacing="0" border="0"><tr><td style="${style.button}"><a href="${address}" style="${style.buttonLink}">${text}</a></td></tr></table>`;
}

function chartPart(table: Table, address: string) {
  const { heading, columns, rows } = table;
  const numbers = rows.map(
    ({ title, under, cells }) => `${title}${under === null ? '' : ` (${under})`}: ${cells.join(', ')}`,
  );
  return html`<h2 class="ink" style="${style.heading}">${heading}</h2>
<p class="quiet" style="${style.legend}">${legend(table)}</p>
<p style="${style.picture}"><img src="${address}" width="${chartSize.width}" height="${chartSize.height}" alt="${columns.slice(1).join(', ')}. ${numbers.join('; ')}." style="${style.chart}"></p>`;
}

/** The colours of the columns, and the hatching if a day is incomplete. */
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

/**
 * A table of figures by campaign, account or period; attributes align it in mail programs without styles.
 *
 * @param titleClasses with `title`, a phone cuts the titles of rows to one line
 */
function figureTable({ heading, note, columns, rows }: Table, titleClasses: string) {
  const [about, ...numbers] = columns;
  const against = note === null ? '' : html`<p class="quiet" style="${style.tableNote}">${note}</p>`;
  return html`<h2 class="ink" style="${style.heading}">${heading}</h2>
${against}<table width="100%" cellpadding="0" cellspacing="0" border="0" style="${style.table}">
<tr><th scope="col" align="left" class="quiet" style="${style.head}">${about}</th>${numbers.map((column) => html`<th scope="col" align="right" class="quiet number" style="${style.numberHead}">${column}</th>`)}</tr>
${rows.map((row) => figureRow(row, titleClasses))}</table>`;
}

function figureRow({ title, under, cells, changes = [] }: Row, titleClasses: string) {
  return html`<tr><th scope="row" align="left" class="${titleClasses}" style="${style.rowTitle}"><bdi>${title}</bdi>${beside(under)}</th>${cells.map((cell, column) => html`<td align="right" class="ink line number" style="${style.cell}">${cell}${below(changes[column] ?? null)}</td>`)}</tr>
`;
}

const beside = (text: string | null) =>
  text === null ? '' : html`&nbsp; <span class="quiet" style="${style.under}">${text}</span>`;

/** Only two numbers may break: a unit stays with its number. */
const below = (text: string | null) =>
  text === null
    ? ''
    : html`<br><span class="quiet" style="${style.under}${text.includes('→') ? ';white-space:normal' : ''}">${text}</span>`;

/** Embeds the chart in the page: a browser has no message to take it from. */
export function withChart({ html, chart }: Pick<DigestMessage, 'html' | 'chart'>): string {
  if (chart === null) return html;
  return html.replace(`cid:${chartId}`, `data:image/png;base64,${Buffer.from(chart).toString('base64')}`);
}
