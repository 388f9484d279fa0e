import { html } from 'hono/html';
import type { Row, Table, Tile } from '../content/content.ts';
import { style } from './html-style.ts';

/** The tiles, two by two: so they fit a phone without a layout of its own. */
export function tileTable(tiles: readonly Tile[]) {
  const pairs = tiles.flatMap((tile, index) => (index % 2 === 0 ? [[tile, tiles[index + 1]]] : []));
  return html`<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0">
${pairs.map(
  ([left, right]) => html`<tr>
<td width="49%" class="tile" style="${style.tile}">${tileCell(left!)}</td>
<td width="2%" style="font-size:0;line-height:0">&nbsp;</td>
<td width="49%" class="tile" style="${style.tile}">${right === undefined ? '' : tileCell(right)}</td>
</tr>
<tr><td colspan="3" height="10" style="height:10px;font-size:0;line-height:0">&nbsp;</td></tr>
`,
)}</table>`;
}

function tileCell({ title, figure, note, changes }: Tile) {
  return html`<p class="quiet" style="${style.tileTitle}">${title}</p>
<p class="ink figure" style="${style.figure}">${figure}</p>
${note === null ? '' : html`<p class="quiet" style="${style.tileNote}">${note}</p>`}
${changes.map(({ by, on }) => html`<p class="quiet" style="${style.tileNote}"><strong class="ink" style="${style.by}">${by}</strong> ${on}</p>`)}`;
}

/** A table of figures by campaign or account. */
export function figureTable({ heading, columns, rows }: Table) {
  const [about, ...numbers] = columns;
  return html`<h2 class="ink" style="${style.heading}">${heading}</h2>
<table width="100%" cellpadding="0" cellspacing="0" border="0" style="${style.table}">
<tr><th scope="col" class="quiet" style="${style.head}">${about}</th>${numbers.map((column) => html`<th scope="col" class="quiet" style="${style.numberHead}">${column}</th>`)}</tr>
${rows.map(figureRow)}</table>`;
}

function figureRow({ title, under, cells }: Row) {
  const below = under === null ? '' : html`<br><span class="quiet" style="${style.under}">${under}</span>`;
  return html`<tr><th scope="row" class="ink line" style="${style.rowTitle}"><bdi>${title}</bdi>${below}</th>${cells.map((cell) => html`<td class="ink line" style="${style.cell}">${cell}</td>`)}</tr>
`;
}
