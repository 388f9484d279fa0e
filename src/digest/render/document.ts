import { html, raw } from 'hono/html';

/*
 * The layout of every mail. Light colours are inline, because some mail programs ignore style sheets; dark ones are in the
 * style sheet. Tables do all the layout, because Outlook renders with Word.
 */

const font = "font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";
const ink = 'color:#18202b';
const quiet = 'color:#566070';
const numbers = 'font-variant-numeric:tabular-nums';

export const style = {
  // Not tiny or background-coloured text: spam filters penalize that.
  preheader: 'display:none;max-height:0;overflow:hidden;mso-hide:all',
  page: 'margin:0;padding:0;background-color:#eef1f5',
  card: 'width:100%;max-width:600px;background-color:#ffffff;border-radius:12px',
  inside: `padding:24px 28px;text-align:left;${font};${ink}`,
  name: `margin:0;font-size:14px;line-height:20px;${quiet}`,
  date: `margin:2px 0 0;font-size:24px;line-height:30px;font-weight:700;${ink}`,
  headline: `margin:6px 0 0;font-size:16px;line-height:24px;word-break:break-word;${ink}`,
  note: 'padding:12px 14px;border-radius:8px;font-size:14px;line-height:21px;word-break:break-word',
  tile: 'padding:10px 12px 10px;background-color:#f4f6f9;border-radius:10px;vertical-align:top',
  tileTitle: `margin:0;font-size:13px;line-height:18px;${quiet}`,
  figure: `margin:2px 0;font-size:26px;line-height:32px;font-weight:700;overflow-wrap:anywhere;${numbers};${ink}`,
  change: `margin:0;font-size:14px;line-height:19px;font-weight:600;${numbers};${ink}`,
  small: `margin:0;font-size:13px;line-height:19px;${quiet}`,
  aside: `margin:6px 0 0;font-size:13px;line-height:19px;word-break:break-word;${quiet}`,
  heading: `margin:12px 0 4px;font-size:17px;line-height:24px;font-weight:700;${ink}`,
  button: 'background-color:#1f5fd0;border-radius:8px;mso-padding-alt:11px 20px',
  buttonLink: `display:block;padding:11px 20px;font-size:15px;line-height:20px;font-weight:600;text-decoration:none;color:#ffffff`,
  legend: `margin:0 0 4px;font-size:13px;line-height:18px;${quiet}`,
  sign: 'font-size:9px;line-height:12px;border-radius:2px',
  // With an exact line height, Outlook crops the picture to one line.
  picture: 'margin:0;mso-line-height-rule:at-least',
  chart: 'display:block;width:100%;max-width:544px;height:auto;border:0',
  table: `width:100%;border-collapse:collapse;${numbers}`,
  head: `padding:0 0 6px;text-align:left;vertical-align:bottom;width:99%;font-size:12px;line-height:16px;font-weight:400;${quiet}`,
  numberHead: `padding:0 0 6px 10px;text-align:right;vertical-align:bottom;font-size:12px;line-height:16px;font-weight:400;${quiet}`,
  rowTitle: `padding:3px 0;border-top:1px solid #e2e6eb;text-align:left;font-size:14px;line-height:20px;font-weight:400;vertical-align:top;word-break:break-word;overflow-wrap:anywhere;${ink}`,
  under: `font-size:12px;line-height:16px;${quiet}`,
  cell: `padding:3px 0 3px 10px;border-top:1px solid #e2e6eb;text-align:right;font-size:14px;line-height:20px;vertical-align:top;white-space:nowrap;${ink}`,
  attention: `padding:2px 0 2px 12px;border-left:3px solid #d9901a;font-size:14px;line-height:21px;word-break:break-word;${ink}`,
  problemBox: 'padding:2px 0 2px 14px',
  problem: `margin:0 0 4px;font-size:16px;line-height:22px;font-weight:700;overflow-wrap:anywhere;${ink}`,
  cause: `margin:0;font-size:14px;line-height:21px;overflow-wrap:anywhere;${ink}`,
  names: `margin:4px 0 0;font-size:14px;line-height:20px;overflow-wrap:anywhere;${quiet}`,
  step: `margin:8px 0 0;font-size:14px;line-height:21px;overflow-wrap:anywhere;${ink}`,
  command: `padding:8px 12px;background-color:#f4f6f9;border-radius:8px;font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:13px;line-height:20px;overflow-wrap:anywhere;${ink}`,
  closing: `padding-top:14px;border-top:1px solid #e2e6eb;font-size:12px;line-height:18px;word-break:break-word;${quiet}`,
} as const;

export const noteColours = {
  warning: 'background-color:#fff3d6;color:#5c3d00',
  change: 'background-color:#e4edfd;color:#173a75',
  attention: 'background-color:#fdf0e0;color:#6b3b00',
} as const;

/** Those of the operator's page. */
export const problemColours = { error: '#b3261e', warning: '#f2b632' } as const;

const styleSheet = raw(`<style>
:root { color-scheme: light dark; supported-color-schemes: light dark; }
body { -webkit-text-size-adjust: 100%; }
th.line .quiet { display: inline-block; }
a[x-apple-data-detectors] { color: inherit !important; text-decoration: none !important; }
@media (max-width: 480px) {
  .around { padding: 0 !important; }
  .card { border-radius: 0 !important; }
  .inside { padding: 16px !important; }
  .tile { padding: 8px 8px !important; }
  .tile .quiet { font-size: 12px !important; }
  .figure { font-size: 20px !important; line-height: 26px !important; }
  .wide { display: none !important; }
  th.line { line-height: 18px !important; }
  .title { max-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
  th.title .quiet { display: block; overflow: hidden; text-overflow: ellipsis; }
  .number { padding-left: 8px !important; font-size: 13px !important; line-height: 18px !important; }
  .number.quiet { font-size: 11px !important; }
}
@media (prefers-color-scheme: dark) {
  .page { background-color: #0e1217 !important; }
  .card { background-color: #181e26 !important; }
  .tile { background-color: #222a34 !important; }
  .ink { color: #edf1f6 !important; }
  .quiet { color: #a6b0bd !important; }
  .line { border-top-color: #323c48 !important; }
  .note-warning { background-color: #3f3010 !important; color: #ffe2a6 !important; }
  .note-change { background-color: #1c3157 !important; color: #d3e3ff !important; }
  .note-attention { background-color: #44290c !important; color: #ffd9b0 !important; }
}
</style>`);

/*
 * For Outlook alone: pictures keep their pixel size on scaled screens, tables get no space around them, the font isn't
 * Times, and line heights are exact instead of minimal.
 */
const outlookHead = raw(`<!--[if mso]>
<xml><o:OfficeDocumentSettings><o:AllowPNG/><o:PixelsPerInch>96</o:PixelsPerInch></o:OfficeDocumentSettings></xml>
<style>
table { mso-table-lspace: 0pt; mso-table-rspace: 0pt; }
td, th, p, h1, h2, a { font-family: 'Segoe UI', Arial, sans-serif; mso-line-height-rule: exactly; }
</style>
<![endif]-->`);

/** Content of an element: text, which is escaped, or markup. */
export type Html = Parameters<typeof html>[1];

export const layout = raw('role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0"');

/** A cell with its own border or background: Outlook draws neither around a paragraph. */
export function box(classes: string, css: string, content: Html) {
  return html`<table ${layout}><tr><td class="${classes}" style="${css}">
${content}
</td></tr></table>`;
}

/** Vertical space around a table, in pixels: Outlook ignores its margins. */
export function gap(height: number) {
  return html`<div style="height:${height}px;font-size:${height}px;line-height:${height}px;mso-line-height-rule:exactly">&nbsp;</div>`;
}

// A table of fixed width for Outlook, which ignores max-width.
const outlookStart = raw(
  '<!--[if mso]><table role="presentation" width="600" cellpadding="0" cellspacing="0" border="0"><tr><td><![endif]-->',
);
const outlookEnd = raw('<!--[if mso]></td></tr></table><![endif]-->');

/**
 * Wraps the content in a complete HTML document.
 *
 * @param language BCP 47 tag
 * @param preheader text that an inbox shows after the subject
 */
export function mailDocument(language: string, title: string, preheader: string, content: Html): string {
  const page = html`<!doctype html>
<html lang="${language}" xmlns:o="urn:schemas-microsoft-com:office:office">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="x-apple-disable-message-reformatting">
<meta name="format-detection" content="telephone=no, date=no, address=no, email=no, url=no">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${title}</title>
${outlookHead}
${styleSheet}
</head>
<body class="page" style="${style.page}">
<div role="main">
<div style="${style.preheader}">${preheader}</div>
<table ${layout} class="page" style="${style.page}"><tr><td align="center" class="around" style="padding:16px 12px">
${outlookStart}
<table ${layout} class="card" style="${style.card}"><tr><td class="inside ink" style="${style.inside}">
${content}
</td></tr></table>
${outlookEnd}
</td></tr></table>
</div>
</body>
</html>
`;
  return page.toString();
}
