import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { Command } from 'commander';
import PostalMime from 'postal-mime';
import { addStatus } from '../../src/cli/commands/status.ts';
import { createLiveLine } from '../../src/cli/progress/live-line.ts';
import type { RunReport } from '../../src/job/run/run.ts';
import { type ActiveAlert, needsAction } from '../../src/model/alert.ts';
import { createRedactor } from '../../src/support/redaction.ts';
import { parseExposition } from '../server/exposition.ts';
import { readServed } from '../server/site.ts';
import { never } from './nights.ts';
import { asOneLine } from './renderings.ts';
import type { World } from './world.ts';

/** Alerts that a run with exit code 0 may leave: they are no errors of the run. */
const withoutError = ['RESPONSE_HELD', 'RESPONSE_SUSPICIOUS', 'RECORDS_QUARANTINED', 'CLIENTS_MISSING'];

/**
 * Finds contradictions between `status` (exit code, JSON and text), the page, `/metrics`, the alert mail and the exit code
 * of a run. Call it right after a full run of today that writes its alerts to the world's outbox: all of these show every
 * day up to yesterday, by the database's clock.
 */
export async function contradictions(
  world: Pick<World, 'environment' | 'databaseUrl' | 'outbox'>,
  report: RunReport,
): Promise<string[]> {
  const [html, exposed] = await readServed(world.databaseUrl, ['/', '/metrics']);
  const metrics = parseExposition(exposed);
  const json = await runStatus(world.environment, '--json');
  const text = await runStatus(world.environment);
  const { alerts } = JSON.parse(json.printed) as { alerts: ActiveAlert[] };
  const active = alerts.filter(needsAction);
  const codes = new Map(
    metrics.get('callsheet_active_alerts')!.samples.map(({ labels, value }) => [labels.code!, value]),
  );
  const mail = await readAlert(world, report);
  // The other mail says that all is clear again.
  const isAlert = mail !== null && !mail.startsWith('Nothing needs');
  const page = asOneLine(html);
  const rules: readonly (readonly [boolean, string])[] = [
    [json.code === text.code, `status ends with ${text.code}, and with --json with ${json.code}`],
    [(text.code === 75) === active.length > 0, `status ends with ${text.code} with ${keysOf(active)}`],
    [
      /class="status good"/.test(html) === (active.length === 0),
      `the page is ${/class="status (\w+)/.exec(html)?.[1]} with ${keysOf(active)}`,
    ],
    [isAlert === active.length > 0, `alert mail: ${isAlert}, with ${keysOf(active)}`],
    [
      report.exitCode === 0 || active.length > 0,
      `the run ends with ${report.exitCode}, and nothing is active`,
    ],
    [
      report.exitCode !== 0 || active.every(({ code }) => withoutError.includes(code)),
      `the run ends with 0, with ${keysOf(active)}`,
    ],
    [
      metrics.get('callsheet_last_run_exit_code')?.samples[0]?.value === report.exitCode,
      `the run ends with ${report.exitCode}, by its metric it doesn't`,
    ],
    ...active.flatMap(({ key, title, code }): (readonly [boolean, string])[] => [
      [squeezed(text.printed).includes(title), `status lacks ${key}`],
      [page.includes(title), `the page lacks ${key}`],
      [mail?.includes(title) === true, `the alert mail lacks ${key}`],
      [(codes.get(code) ?? 0) > 0, `metrics lack ${code}`],
    ]),
    ...[...codes].map(
      ([code, value]) =>
        [
          active.filter((alert) => alert.code === code).length === value,
          `metrics have ${code} ${value} times`,
        ] as const,
    ),
    ...markedDays(html).map(
      ({ account, day, marks }) =>
        [
          alerts.some((alert) => alert.affects.some((item) => item.startsWith(`${account} ${day}`))),
          `${account} ${day} is ${marks.join(', ')}, and has no alert`,
        ] as const,
    ),
  ];
  return rules.filter(([holds]) => !holds).map(([, contradiction]) => contradiction);
}

const keysOf = (alerts: readonly ActiveAlert[]) => `[${alerts.map(({ key }) => key).join(', ')}]`;

/** The days of the calendar that need an alert. A suspicious day needs one only while it is settling. */
function markedDays(html: string) {
  return [...html.matchAll(/<a class="([^"]*)" href="\/days\/([\d-]+)\/([^"]+)"/g)]
    .map(([, classes, day, account]) => ({
      marks: classes!.split(' '),
      day: day!,
      account: decodeURIComponent(account!),
    }))
    .filter(({ marks }) => {
      if (marks.includes('suspicious') && marks.includes('settling')) return true;
      return ['failed', 'missing', 'provisional', 'held'].some((mark) => marks.includes(mark));
    });
}

const squeezed = (text: string) => text.replaceAll(/\s+/g, ' ');

/** Runs `status` in this process: seventy processes would take too long. */
async function runStatus(environment: World['environment'], ...options: string[]) {
  let code = 0;
  const printed: string[] = [];
  const program = new Command().exitOverride();
  addStatus(program, {
    command: 'status',
    environment: { ...environment, LOG_LEVEL: 'silent' },
    signal: never,
    redactor: createRedactor(),
    columns: 80,
    live: createLiveLine(process.stderr),
    print: (text) => printed.push(text),
    end: (ended) => {
      code = ended;
    },
  });
  await program.parseAsync(['status', ...options], { from: 'user' });
  return { code, printed: printed.join('\n') };
}

async function readAlert({ outbox }: Pick<World, 'outbox'>, { stats }: RunReport): Promise<string | null> {
  if (stats.alerts.sent === 0) return null;
  const files = (await readdir(outbox)).filter((file) => /^alert-.*\.eml$/.test(file));
  const times = await Promise.all(files.map(async (file) => (await stat(path.join(outbox, file))).mtimeMs));
  const latest = files[times.indexOf(Math.max(...times))]!;
  const { text } = await PostalMime.parse(await readFile(path.join(outbox, latest)));
  return squeezed(text!);
}
