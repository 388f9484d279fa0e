import { afterEach, expect, it } from 'vitest';
import { type ActiveAlert, needsAction } from '../../../src/model/alert.ts';
import { addDays } from '../../../src/model/day.ts';
import { parseExposition } from '../../server/exposition.ts';
import { readPages } from '../../server/site.ts';
import { command } from '../../support/command.ts';
import { runNight } from '../../support/nights.ts';
import { asOneLine } from '../../support/renderings.ts';
import { runInProgress } from '../../support/run-in-progress.ts';
import { openWorld, type World } from '../../support/world.ts';

let world: World;
afterEach(() => world.close());

// `status` and page use the clock of this machine.
const today = Temporal.Now.plainDateISO('UTC').toString();

it('a run that is running changes nothing of what the last one left, and is shown beside it', async () => {
  world = await openWorld();
  const environment = {
    ...world.environment,
    SMTP_URL: 'smtp://127.0.0.1:1',
    DIGEST_FROM: 'callsheet@example.com',
    DIGEST_TO: 'ana@example.com',
  };
  await runNight(world, addDays(today, -1), environment);
  await runNight(world, today, environment);
  const left = await readSurfaces(environment);
  expect(left.alerts.map(({ key }) => key)).toContain('MAIL_FAILED/connection');
  expect(left).toMatchObject({ code: 75, running: null, gauge: 0 });
  expect(left.status).not.toContain('Running since');

  const other = await runInProgress(world.databaseUrl);
  const during = await readSurfaces(environment);
  await other.release();
  expect(during).toMatchObject({ code: 75, running: { command: 'run' }, gauge: 1 });
  const inBrief = (alerts: readonly ActiveAlert[]) => alerts.map(({ key, title }) => [key, title]);
  expect(inBrief(during.alerts)).toEqual(inBrief(left.alerts));
  const runsIn = (alerts: readonly ActiveAlert[]) =>
    alerts.flatMap(({ steps }) => steps).filter((step) => step.command?.join() === 'run');
  expect(runsIn(left.alerts).map(({ text }) => text)).toEqual(['Then, to send it']);
  expect(runsIn(during.alerts).map(({ text }) => text)).toEqual([
    'Once the current run has ended, if this alert is still active',
  ]);
  expect(during.metrics).toEqual(left.metrics);
  expect(during.headline).toBe(left.headline);
  expect(during.status).toMatch(
    /^1 to check: mail server can't be used \(ana@example\.com\)\nRunning since \d{4}-/,
  );
  expect(during.page).toContain('Running since');
  expect(during.page).toContain('The current run tries again.');
});

async function readSurfaces(environment: World['environment']) {
  const machines = await command(['status', '--json'], environment);
  const people = await command(['status'], environment);
  const [html, exposed] = await readPages(world.databaseUrl, ['/', '/metrics'], environment);
  const { alerts, running } = JSON.parse(machines.stdout) as {
    alerts: ActiveAlert[];
    running: { command: string } | null;
  };
  const scraped = parseExposition(exposed);
  return {
    code: people.code,
    alerts: alerts.filter(needsAction),
    running,
    status: people.stdout,
    page: asOneLine(html),
    headline: /<h1>(.*?)<\/h1>/s.exec(html)![1],
    metrics: scraped.get('callsheet_active_alerts')!.samples,
    gauge: scraped.get('callsheet_run_running')!.samples[0]!.value,
  };
}
