import PostalMime from 'postal-mime';
import { afterEach, describe, expect, it } from 'vitest';
import type { AlertCode } from '../../src/model/alert.ts';
import { addDays } from '../../src/model/day.ts';
import { generateDataset } from '../../src/simulator/dataset.ts';
import { changing as changingEnvelope, type Middleware } from '../../src/simulator/middleware.ts';
import { errorResponse } from '../../src/simulator/service.ts';
import { readServed } from '../server/site.ts';
import { callsheet } from '../support/callsheet.ts';
import { changing } from '../support/changing.ts';
import { runNight } from '../support/nights.ts';
import { startSmtpServer, type TestSmtpServer } from '../support/smtp-server.ts';
import { openWorld, type World } from '../support/world.ts';

let world: World;
let smtp: TestSmtpServer;
afterEach(async () => {
  await smtp.close();
  await world.close();
});

/**
 * How the service lists clients: as the document says, with an error, with one page more on the second half, or with one
 * client less there.
 */
type Listing = 'all' | 'down' | 'growing' | 'shrinking' | 'few';

const token = generateDataset().accounts.find((each) => each.name === 'valley')!.token;
const settings = () => ({
  ACCOUNTS_FILE: '',
  SIDTOKEN: token,
  ACCOUNT_NAME: 'valley',
  PAGE_LIMIT: '40',
  RETRIES: '0',
  SMTP_URL: smtp.url,
  DIGEST_FROM: 'Callsheet <callsheet@example.com>',
  ALERT_TO: 'ops@example.com',
});

/** The days are those of this machine: `status` and page look at all of them up to yesterday. */
const today = Temporal.Now.plainDateISO('UTC').toString();
const ago = (days: number) => addDays(today, -days);

/** A service whose client list a test can change between two nights; its campaigns are always fine. */
async function openService() {
  const { changes, dataset } = changing();
  let listing: Listing = 'all';
  const growing = changingEnvelope((envelope) =>
    Number(envelope.page) > 2 ? { ...envelope, pages: Number(envelope.pages) + 1 } : envelope,
  );
  const intercept: Middleware = (request, next) => {
    if (request.operation !== 'getClients') return undefined;
    if (listing === 'down') return errorResponse(503, 'Down for maintenance.');
    if (listing === 'shrinking')
      changes.clients = (list) => list.slice(Number(request.params.get('page')) > 2 ? 1 : 0);
    return listing === 'growing' ? growing(request, next) : undefined;
  };
  smtp = await startSmtpServer();
  world = await openWorld({ dataset, intercept });
  return (next: Listing) => {
    listing = next;
    changes.clients = (list) => (next === 'few' ? list.slice(0, 20) : list);
  };
}

/** What a night says of the client list, wherever somebody may look. */
async function nightOf(day: string) {
  const before = smtp.received.length;
  const { exitCode, stats } = await runNight(world, day, settings());
  const environment = { ...world.environment, ...settings() };
  const status = await callsheet(['status', '--json'], environment);
  const text = await callsheet(['status'], environment);
  const [account] = (JSON.parse(status.stdout) as { accounts: { walk: Record<string, unknown> }[] }).accounts;
  const [html, metrics] = await readServed(world.databaseUrl, ['/', '/metrics']);
  const page = html.replaceAll('&#39;', "'");
  const alerts = smtp.received.slice(before).filter(({ to }) => to[0] === 'ops@example.com');
  const mails = await Promise.all(alerts.map(({ raw }) => PostalMime.parse(raw)));
  expect(text.code).toBe(status.code);
  return {
    exitCode,
    stats,
    walk: account!.walk,
    status: status.code,
    statusText: text.stdout,
    headline: /<h1>(.*?)<\/h1>/.exec(page)![1]!.replaceAll(/<.*?>/g, ''),
    page,
    metrics: [...metrics.matchAll(/callsheet_active_alerts\{code="(\w+)"\} [^0]/g)].map(([, code]) => code),
    walkedAt: /callsheet_last_complete_walk_timestamp_seconds\{.*\} (\S+)/.exec(metrics)?.[1],
    // Besides those that say that all is clear again.
    alerts: mails.map((mail) => mail.text!).filter((text) => !text.startsWith('Nothing needs')),
  };
}

type Night = Awaited<ReturnType<typeof nightOf>>;

/** Everybody says that all is well with the client list. */
function expectFine(night: Night, exitCode = 0): void {
  const { status, metrics, alerts, headline } = night;
  expect({ exitCode: night.exitCode, status, metrics, alerts }).toEqual({
    exitCode,
    status: 0,
    metrics: [],
    alerts: [],
  });
  expect(headline).toMatch(/^All good/);
}

/** Everybody says that there is no complete walk, since when, and why. */
function expectIncomplete(night: Night, code: AlertCode, what: string, since: string, cause: string): void {
  expect({ exitCode: night.exitCode, status: night.status, metrics: night.metrics }).toEqual({
    exitCode: 75,
    status: 75,
    metrics: [code],
  });
  expect(night.headline).toMatch(/^1 to do: [^:;]* \(valley\)$/);
  expect(night.alerts).toHaveLength(1);
  for (const text of [night.alerts[0]!, night.statusText, night.page]) {
    // However wide the lines are.
    const line = text.replaceAll(/\s+/g, ' ');
    expect(line).toContain(what);
    expect(line).toContain(cause);
    expect(line.replaceAll(/<[^>]*>/g, '')).toContain('npm start -- run');
  }
  expect(night.walk).toMatchObject({ incompleteSince: since, reason: expect.stringContaining(cause) });
}

describe('run, status, page, metrics and alert say the same of a client list', () => {
  it('that could not be walked, from that night until the next complete walk', async () => {
    const list = await openService();
    const fine = await nightOf(ago(3));
    expect(fine.exitCode).toBe(0);
    expect(fine.walk).toMatchObject({ verdict: 'complete', completeRunDate: ago(3), incompleteSince: null });
    list('down');
    // Not even its first page came.
    expect((await nightOf(ago(2))).walk).toMatchObject({ verdict: 'incomplete', completeRunDate: ago(3) });
    await nightOf(ago(1));
    const last = await nightOf(today);
    const what = 'Service unavailable (status 503): valley, client list';
    const cause = 'service responded with status 503 on every attempt';
    expectIncomplete(last, 'SERVICE_UNAVAILABLE', what, ago(2), cause);
    expect(last.alerts[0]).toContain(`Client list stays as of ${ago(3)}.`);
    expect(last.alerts[0]).toContain(`Since ${ago(2)}.`);
    expect(last.walkedAt).toBe(fine.walkedAt);
    list('all');
    const healed = await nightOf(today);
    expectFine(healed);
    expect(Number(healed.walkedAt)).toBeGreaterThan(Number(fine.walkedAt));
    expect(await world.query('select alert from etl.alerts where resolved_run_date is null')).toEqual([]);
  });

  it('that changed during each walk, once the last complete one is seven run dates old', async () => {
    const list = await openService();
    await runNight(world, ago(8), settings());
    for (let days = 7; days > 1; days--) {
      list(days % 2 === 0 ? 'shrinking' : 'growing');
      const { exitCode, stats } = await runNight(world, ago(days), settings());
      expect({ exitCode, failures: stats.failures, alerts: stats.alerts }).toEqual({
        exitCode: 0,
        failures: [],
        alerts: { sent: 0, failed: 0 },
      });
    }
    expect(
      (await world.query(`select verdict, count(*)::int as n from etl.walks group by 1 order by 1`)).map(
        ({ verdict, n }) => [verdict, n],
      ),
    ).toEqual([
      ['changed', 6],
      ['complete', 1],
    ]);
    list('growing');
    const seventh = await nightOf(ago(1));
    expect(seventh.exitCode).toBe(75);
    const what = 'Walk incomplete: valley, client list';
    expectIncomplete(await nightOf(today), 'WALK_INCOMPLETE', what, ago(7), 'number of pages changed from');
    list('all');
    expectFine(await nightOf(today));
  });

  it('of which over half is missing, until a complete walk has it again; nobody is absent meanwhile', async () => {
    const list = await openService();
    const absent = () => world.query('select 1 from warehouse.clients where absent_since is not null');
    await runNight(world, ago(4), settings());
    list('few');
    for (const days of [3, 2]) await runNight(world, ago(days), settings());
    list('down');
    await runNight(world, ago(1), settings());
    list('few');
    const missing = await nightOf(today);
    expect(missing).toMatchObject({ exitCode: 0, status: 75, metrics: ['CLIENTS_MISSING'] });
    expect(missing.headline).toBe('1 to do: 180 clients missing (valley)');
    for (const text of [missing.alerts[0]!, missing.statusText, missing.page])
      expect(text).toContain('180 clients missing: valley');
    expect(await absent()).toEqual([]);
    list('all');
    expectFine(await nightOf(today));
    expect(await absent()).toEqual([]);
  });
});
