import { html } from 'hono/html';
import type { AlertSince } from '../../model/alert.ts';
import { npmCommand } from '../../support/commands.ts';

/** Tells the operator what needs a person: what happened, why, and what to type. */
export async function composeAlert(
  alerts: readonly AlertSince[],
): Promise<{ readonly subject: string; readonly text: string; readonly html: string }> {
  const more = alerts.length > 1 ? ` and ${alerts.length - 1} more` : '';
  return {
    subject: `Callsheet needs you: ${shortened(alerts[0]!.what)}${more}`,
    text: alertText(alerts),
    html: await alertHtml(alerts),
  };
}

const shortened = (line: string) => (line.length > 120 ? `${line.slice(0, 119)}…` : line);

const since = ({ sinceRunDate }: AlertSince) =>
  sinceRunDate === null ? '' : `Since the night of ${sinceRunDate}. `;

function alertText(alerts: readonly AlertSince[]): string {
  const parts = alerts.map((alert) =>
    [alert.what, `  ${since(alert)}${alert.cause}`, `  To type:  ${alert.command}`].join('\n'),
  );
  return `${[introduction(alerts.length), ...parts, closing].join('\n\n')}\n`;
}

const introduction = (count: number) =>
  count === 1 ? 'Something needs a person.' : `${count} things need a person.`;

const closing = `In the image, type callsheet instead of npm start --. The whole state: ${npmCommand('status')}`;

const quiet = 'color:#5b6470';
const mono =
  'font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:13px;line-height:1.5;overflow-wrap:anywhere';

async function alertHtml(alerts: readonly AlertSince[]): Promise<string> {
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>Callsheet needs you</title>
<style>
@media (prefers-color-scheme: dark) {
  .page { background: #14181d !important; }
  .card { background: #1e242b !important; color: #e8ebef !important; }
  .quiet { color: #a3adb8 !important; }
  .command { background: #2b333c !important; color: #e8ebef !important; }
}
</style>
</head>
<body class="page" style="margin:0;padding:0;background:#f4f5f7">
<table role="presentation" class="page" width="100%" cellpadding="0" cellspacing="0" style="background:#f4f5f7"><tr><td align="center" style="padding:24px 12px">
<table role="presentation" class="card" width="600" cellpadding="0" cellspacing="0" style="max-width:600px;width:100%;background:#ffffff;border-radius:8px;color:#1c2430;font-family:-apple-system,Segoe UI,Roboto,Helvetica,Arial,sans-serif"><tr><td style="padding:28px">
<p class="quiet" style="margin:0;font-size:14px;${quiet}">Callsheet</p>
<h1 style="margin:4px 0 24px;font-size:22px;line-height:1.3">${introduction(alerts.length)}</h1>
${alerts.map(
  (
    alert,
  ) => html`<h2 style="margin:0 0 4px;font-size:16px;line-height:1.4;overflow-wrap:anywhere">${alert.what}</h2>
<p style="margin:0 0 8px;font-size:14px;line-height:1.5;overflow-wrap:anywhere"><strong>${since(alert)}</strong>${alert.cause}</p>
<div class="command" style="margin:0 0 24px;padding:8px 12px;background:#eef0f3;border-radius:6px;${mono}">${alert.command}</div>
`,
)}<p class="quiet" style="margin:0;font-size:13px;line-height:1.5;${quiet}">${closing}</p>
</td></tr></table>
</td></tr></table>
</body>
</html>
`;
  return (await page).toString();
}
