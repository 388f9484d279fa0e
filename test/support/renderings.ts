import { expect } from 'vitest';
import { alertCodes } from '../../src/job/alerts/conditions/catalogue.ts';
import { type ActiveAlert, isUrgent, needsAction, toDoLine } from '../../src/model/alert.ts';
import { asTyped } from '../../src/support/commands.ts';
import { parseExposition } from '../server/exposition.ts';
import { readPages } from '../server/site.ts';
import { command } from './command.ts';
import type { World } from './world.ts';

/** Wrapped text or HTML as one line without tags. */
export const asOneLine = (text: string) =>
  text
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
    .replaceAll(/\s+/g, ' ');

/**
 * Reads the alerts of `status --json`, and expects `status`, its exit code, the page, its calendars and the metrics to agree
 * with them. It uses the machine's clock.
 */
export async function agreedAlerts(
  { databaseUrl }: Pick<World, 'databaseUrl'>,
  environment: World['environment'],
): Promise<ActiveAlert[]> {
  const machines = await command(['status', '--json'], environment);
  const { alerts } = JSON.parse(machines.stdout) as { alerts: ActiveAlert[] };
  const people = await command(['status'], environment);
  const [html, exposed] = await readPages(databaseUrl, ['/', '/metrics'], environment);
  expect([machines.code, people.code]).toEqual(alerts.some(isUrgent) ? [75, 75] : [0, 0]);
  expectAgreement(alerts, { html, status: people.stdout, metrics: parseExposition(exposed) });
  for (const { account, day, marks } of markedDays(html)) {
    const named = alerts.filter(({ items }) =>
      items.some(
        (item) =>
          item === account ||
          item.startsWith(`${account} ${day}`) ||
          item.startsWith(`${account} campaigns `),
      ),
    );
    expect(named, `${account} ${day} is ${marks.join(', ')}`).not.toEqual([]);
  }
  return alerts;
}

/**
 * Expects page and `status` to have each alert with its steps, mail and chat those that aren't notes, and all of them and the metrics to
 * say the same of how many are to do and to check.
 */
export function expectAgreement(
  alerts: readonly ActiveAlert[],
  surfaces: {
    readonly html: string;
    readonly status: string;
    readonly metrics: ReturnType<typeof parseExposition>;
    readonly mail?: string;
    readonly chat?: string;
  },
): void {
  const active = alerts.filter(needsAction);
  const headline = active.length === 0 ? 'All good' : toDoLine(alerts);
  expect(headlineOf(surfaces.html)).toContain(headline);
  expect(asOneLine(surfaces.status)).toContain(asOneLine(headline));
  const page = asOneLine(surfaces.html);
  const status = asOneLine(surfaces.status);
  for (const { title, steps, dismissed, kind } of alerts) {
    const told = kind === 'note' ? [] : [surfaces.mail, surfaces.chat].flatMap((text) => text ?? []);
    const everywhere = [status, page, ...told.map(asOneLine)];
    for (const surface of everywhere) expect(surface).toContain(asOneLine(title));
    for (const { command: words } of dismissed ? [] : steps) {
      if (words === null) continue;
      for (const surface of everywhere) expect(surface).toContain(asTyped(...words));
    }
  }
  const { samples } = surfaces.metrics.get('callsheet_active_alerts')!;
  const counts = samples.map(({ labels, value }) => `${labels.code} ${labels.kind} ${value}`);
  const expected = alertCodes.flatMap((code) =>
    ['to do', 'to check'].map(
      (kind) =>
        `${code} ${kind} ${active.filter((alert) => alert.code === code && alert.kind === kind).length}`,
    ),
  );
  expect(counts).toEqual(expected);
}

/** The heading of the page as text. */
export const headlineOf = (html: string): string =>
  asOneLine(/<h1>(.*?)<\/h1>/s.exec(html)![1]!)
    .replaceAll(' )', ')')
    .trim();

/** The days of the calendars that need an alert. */
function markedDays(html: string) {
  const cells = [...html.matchAll(/<span class="([^"]*)" data-day="([^"]+) (\d[\d-]+)"/g)];
  expect(cells, 'days of the calendars').not.toEqual([]);
  return cells
    .map(([, classes, account, day]) => ({
      marks: classes!.split(' '),
      account: account!,
      day: day!,
    }))
    .filter(({ marks }) => ['failed', 'missing', 'provisional', 'held'].some((mark) => marks.includes(mark)));
}
