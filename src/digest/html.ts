import { html } from 'hono/html';
import type { AccountTotals, DigestFigures } from '../model/digest.ts';
import { formatCount, formatDay, formatRate, rate } from './format.ts';
import { notes } from './text.ts';
import { sumUp } from './totals.ts';

const font = 'font-family:-apple-system,Segoe UI,Roboto,Helvetica,Arial,sans-serif';
const quiet = 'color:#5b6470';
const cell =
  'padding:8px 12px 8px 0;text-align:right;border-top:1px solid #e3e6ea;font-variant-numeric:tabular-nums';

/** The digest as HTML for mail programs: tables, inline styles, nothing remote. Every text is escaped. */
export async function digestHtml(figures: DigestFigures): Promise<string> {
  const totals = sumUp(figures.accounts);
  const share = (part: number) => `${formatRate(rate(part, totals.attempts))} of attempts`;
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${figures.name}, ${formatDay(figures.day, 'long')}</title>
</head>
<body style="margin:0;padding:0;background:#f4f5f7">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0"><tr><td align="center" style="padding:24px 12px">
<table role="presentation" width="600" cellpadding="0" cellspacing="0" style="max-width:600px;width:100%;background:#ffffff;border-radius:8px"><tr><td style="padding:28px;${font};color:#1c2430">
<p style="margin:0;font-size:14px;${quiet}">${figures.name}</p>
<h1 style="margin:4px 0 20px;font-size:24px;line-height:1.25">${formatDay(figures.day, 'long')}</h1>
${notes(figures)
  .filter((note) => note !== '')
  .map(
    (note) =>
      html`<p style="margin:0 0 16px;padding:10px 14px;background:#fff5dc;border-radius:6px;font-size:14px">${note}</p>`,
  )}
<table role="presentation" width="100%" cellpadding="0" cellspacing="0"><tr>
${tile('Attempts', formatCount(totals.attempts), `${formatCount(totals.campaigns)} campaigns`)}
${tile('Connects', formatCount(totals.connects), share(totals.connects))}
</tr><tr>
${tile('Live answers', formatCount(totals.liveAnswers), share(totals.liveAnswers))}
${tile('Busies', formatCount(totals.busies), share(totals.busies))}
</tr></table>
${figures.accounts.length > 1 ? accountTable(figures.accounts) : ''}
<p style="margin:20px 0 0;font-size:13px;line-height:1.5;${quiet}">Every campaign of the day is in the attached CSV. All counts are as the service defines them.</p>
</td></tr></table>
</td></tr></table>
</body>
</html>
`;
  return (await page).toString();
}

function tile(title: string, figure: string, note: string) {
  return html`<td width="50%" style="padding:0 12px 20px 0;vertical-align:top">
<div style="font-size:13px;${quiet}">${title}</div>
<div style="font-size:28px;line-height:1.3;font-weight:600">${figure}</div>
<div style="font-size:13px;${quiet}">${note}</div>
</td>`;
}

function accountTable(accounts: readonly AccountTotals[]) {
  const head = `padding:0 12px 6px 0;text-align:right;font-size:13px;font-weight:400;${quiet}`;
  return html`<table width="100%" cellpadding="0" cellspacing="0" style="font-size:14px;border-collapse:collapse">
<tr><th scope="col" style="${head};text-align:left">Account</th><th scope="col" style="${head}">Attempts</th><th scope="col" style="${head}">Connected</th><th scope="col" style="${head}">Live answers</th><th scope="col" style="${head}">Campaigns</th></tr>
${accounts.map(
  (
    account,
  ) => html`<tr><td style="${cell};text-align:left">${account.label}</td><td style="${cell}">${formatCount(account.attempts)}</td><td style="${cell}">${formatRate(rate(account.connects, account.attempts))}</td><td style="${cell}">${formatCount(account.liveAnswers)}</td><td style="${cell}">${formatCount(account.campaigns)}</td></tr>
`,
)}</table>`;
}
