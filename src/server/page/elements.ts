import { html } from 'hono/html';
import manifest from '../../../package.json' with { type: 'json' };
import type { CommandWords } from '../../model/alert.ts';
import { asTyped } from '../../support/commands.ts';
import { capitalize, formatDay } from '../../support/english.ts';

type Html = ReturnType<typeof html>;

/** The time of the request, the time zone of the page, the next scheduled time, and whose page it is. */
export type PageTime = {
  readonly now: Temporal.Instant;
  readonly timeZone: string;
  readonly nextRun: Temporal.Instant | null;
  /** The text if nothing is scheduled. */
  readonly unscheduled?: string | undefined;
  /** The value of `INSTALLATION`. */
  readonly installation: string;
};

/** Lays out a page. It loads only the style sheet and the icon, and has no script. Each address in it is relative: a proxy may serve it under a path. */
export async function layout(
  title: string,
  { now, timeZone, installation }: PageTime,
  content: Html,
): Promise<string> {
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Callsheet</title>
<link rel="stylesheet" href="style.css">
<link rel="icon" href="icon.svg">
</head>
<body>
<header><a href=".">Callsheet</a> <p>As of ${formatInstant(now, timeZone)} ${timeZone}</p></header>
<main>
${content}
</main>
<footer><p>Callsheet ${manifest.version} on ${installation}. Times are in ${timeZone}. A day is a calendar day in its account’s time zone.</p></footer>
</body>
</html>
`;
  return (await page).toString();
}

export const quiet = (text: string) => html`<p class="quiet">${text}</p>`;

/** A command to type. It wraps between words, not at the hyphens of a day. */
export function commandBlock(command: CommandWords) {
  const words = asTyped(...command)
    .split(' ')
    .map((word) => html`<span>${word}</span> `);
  return html`<code class="command">${words}</code>`;
}

/** `Thu 19 Nov, 06:30` in `zone`. A string is a timestamp as Postgres writes it. */
export function formatInstant(instant: Temporal.Instant | string, zone: string): string {
  const local = Temporal.Instant.from(instant).toZonedDateTimeISO(zone);
  return `${formatDay(local.toPlainDate().toString())}, ${formatTime(instant, zone)}`;
}

/** `06:30` in `zone`. */
export function formatTime(instant: Temporal.Instant | string, zone: string): string {
  return Temporal.Instant.from(instant).toZonedDateTimeISO(zone).toPlainTime().toString().slice(0, 5);
}

/** Adds a capital and a full stop. */
export const asSentence = (text: string): string => `${capitalize(text)}.`;
