import { html } from 'hono/html';
import { chartId, type DigestMessage } from '../../model/digest.ts';
import type { DigestContent, Item, Note, Table } from '../content/content.ts';
import { chartColours } from './chart.ts';
import { noteColours, outlookEnd, outlookStart, style, styleSheet } from './html-style.ts';
import { figureTable, tileTable } from './html-tables.ts';

/**
 * The digest as HTML for mail programs: tables, inline styles, nothing remote. Every text is escaped.
 *
 * @param chart address of the picture: `cid:…` in a message
 */
export function digestHtml(content: DigestContent, chart: string): string {
  const {
    name,
    date,
    headline,
    pointer,
    notes,
    tiles,
    compared,
    lastDays,
    campaigns,
    accounts,
    attention,
    closing,
  } = content;
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${name}, ${date}</title>
${styleSheet}
</head>
<body class="page" style="${style.page}">
<div role="main">
<div style="${style.preheader}">${preheader(content)}</div>
<table role="presentation" class="page" width="100%" cellpadding="0" cellspacing="0" border="0" style="${style.page}"><tr><td align="center" class="around" style="padding:24px 12px">
${outlookStart}
<table role="presentation" class="card" width="100%" cellpadding="0" cellspacing="0" border="0" style="${style.card}"><tr><td class="inside" style="${style.inside}">
<p class="quiet" style="${style.name}">${name}</p>
<h1 class="ink" style="${style.date}">${date}</h1>
<p class="ink" style="${style.headline}">${headline}</p>
${pointer === null ? '' : html`<p class="pointer" style="${style.pointer}">${pointer}</p>`}
${notes.map(noteBox)}
${tileTable(tiles)}
${compared === null ? '' : html`<p class="quiet" style="${style.small}">${compared}</p>`}
${lastDays === null ? '' : chartPart(lastDays, chart)}
${campaigns === null ? '' : figureTable(campaigns)}
${accounts === null ? '' : figureTable(accounts)}
${attention.length === 0 ? '' : attentionPart(attention)}
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="margin-top:28px"><tr><td class="line quiet" style="${style.closing}">
${closing.map((line) => html`<p style="margin:0 0 8px">${line}</p>`)}
</td></tr></table>
</td></tr></table>
${outlookEnd}
</td></tr></table>
</div>
</body>
</html>
`;
  return page.toString();
}

/** What an inbox shows beside the subject: what the subject lacks. */
function preheader({ notes, tiles, pointer }: DigestContent): string {
  const changes = tiles[0]!.changes.map(({ by, on }) => `${by} ${on}`);
  return [...notes.map(({ title }) => title), ...changes, ...(pointer === null ? [] : [pointer])].join(' · ');
}

function noteBox({ kind, title, lines }: Note) {
  const colours = noteColours[kind];
  return html`<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="margin:0 0 16px"><tr><td class="note-${kind}" style="${style.note};${colours}">
<strong>${title}</strong>${lines.map((line) => html`<br>${line}`)}
</td></tr></table>`;
}

/** The picture, its legend, and its numbers for whoever doesn't see it. */
function chartPart({ heading, columns, rows }: Table, address: string) {
  const numbers = rows.map(
    ({ title, under, cells }) => `${title}${under === null ? '' : ` (${under})`}: ${cells.join(', ')}`,
  );
  return html`<h2 class="ink" style="${style.heading}">${heading}</h2>
<p class="quiet" style="${style.legend}"><span style="color:${chartColours.attempts}">&#9632;</span> ${columns[1]!} &nbsp; <span style="color:${chartColours.connects}">&#9632;</span> ${columns[2]!}</p>
<img src="${address}" width="544" alt="${columns.slice(1).join(' and ')} by day. ${numbers.join('; ')}." style="${style.chart}">`;
}

function attentionPart(items: readonly Item[]) {
  return html`<h2 class="ink" style="${style.heading}">Needs attention</h2>
${items.map(
  ({
    title,
    lines,
  }) => html`<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="margin:0 0 10px"><tr><td class="attention ink" style="${style.attention}">
<strong>${title}</strong>${lines.map((line) => html`<br>${line}`)}
</td></tr></table>`,
)}`;
}

/** The page with its picture inside, for a browser has no message to take it from. */
export function withChart({ html, chart }: Pick<DigestMessage, 'html' | 'chart'>): string {
  if (chart === null) return html;
  return html.replace(`cid:${chartId}`, `data:image/png;base64,${Buffer.from(chart).toString('base64')}`);
}
