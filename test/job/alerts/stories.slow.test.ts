import { mkdir, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import PostalMime from 'postal-mime';
import { expect, it } from 'vitest';
import { describeStatus } from '../../../src/cli/print-status.ts';
import { readAlerts } from '../../../src/job/alerts/read-alerts.ts';
import { liveNight, type Night, withClock } from '../../../src/job/demo/live-night.ts';
import { type ActiveAlert, needsAction } from '../../../src/model/alert.ts';
import { addDays } from '../../../src/model/day.ts';
import { takeSamples } from '../../../src/server/metrics.ts';
import { readOverview } from '../../../src/server/page/overview.ts';
import { overviewPage } from '../../../src/server/page/page.ts';
import { generateDataset } from '../../../src/simulator/dataset.ts';
import { stories } from '../../../src/simulator/stories.ts';
import { playStory, type Story } from '../../../src/simulator/story.ts';
import { dismissAlert } from '../../../src/warehouse/outbox/alerts.ts';
import { lastRuns } from '../../../src/warehouse/queries/run-history.ts';
import { accountStatuses, unsentMail } from '../../../src/warehouse/queries/status.ts';
import { never } from '../../support/nights.ts';
import { asOneLine } from '../../support/renderings.ts';
import { startWatchdog } from '../../support/watchdog.ts';
import { openWorld } from '../../support/world.ts';

const firstNight = '2026-03-09';

/** A night as each of its readers sees it. */
type Seen = {
  readonly night: number;
  readonly active: readonly ActiveAlert[];
  readonly mails: readonly { readonly subject: string; readonly text: string; readonly html: string }[];
  readonly posts: readonly string[];
  readonly status: string;
  readonly page: string;
  readonly codes: readonly string[];
};

/** Lives through a story, and three good nights behind it. */
async function live(story: Story): Promise<Seen[]> {
  const nights = [...story.nights, [], [], []];
  const base = generateDataset(1, undefined, story.accounts);
  const played = playStory({ ...story, nights }, firstNight, base);
  const world = await openWorld({ dataset: played.dataset, intercept: played.intercept });
  await using chat = await startWatchdog();
  const seen: Seen[] = [];
  try {
    for (const [number, events] of nights.entries()) {
      const date = addDays(firstNight, number);
      const outbox = path.join(world.folder, date);
      await mkdir(outbox);
      const night: Night = {
        environment: {
          ...world.environment,
          DIGEST_TO: 'manager@example.com',
          ALERT_TO: 'ops@example.com',
          ALERT_WEBHOOK_URL: chat.url,
          INSTALLATION: 'here',
          RETRIES: '0',
          LOG_LEVEL: 'silent',
          OUTBOX_DIR: outbox,
        },
        databaseUrl: world.databaseUrl,
        startsAt: `${date}T06:30:00Z`,
        events,
      };
      const before = chat.pings.length;
      await liveNight(
        night,
        (outside) => played.turnTo(number, outside),
        () => {},
        never,
      );
      const posts = chat.pings.slice(before).map(({ body }) => (JSON.parse(body) as { text: string }).text);
      const evening = { ...night, startsAt: `${date}T20:00:00Z` };
      seen.push({ ...(await look(evening)), night: number, mails: await alertMails(outbox), posts });
      if (number === story.nights.length - 1) await dismissRefused(evening);
    }
    return seen;
  } finally {
    await world.close();
  }
}

/** What the first command of the alert does. */
async function dismissRefused(night: Night): Promise<void> {
  await withClock(night, async (app) => {
    const alerts = await readAlerts(app.warehouse, app);
    for (const alert of alerts) if (alert.code === 'MAIL_REFUSED') await dismissAlert(app.warehouse, alert);
  });
}

async function look(night: Night): Promise<Pick<Seen, 'active' | 'status' | 'page' | 'codes'>> {
  return await withClock(night, async (app, clock) => {
    const { warehouse } = app;
    const time = { now: clock(), timeZone: 'UTC', nextRun: null, installation: 'here' };
    const alerts = await readAlerts(warehouse, app);
    const status = {
      timeZone: 'UTC',
      alerts,
      accounts: await accountStatuses(warehouse),
      runs: await lastRuns(warehouse, 5),
      unsent: await unsentMail(warehouse),
    };
    const samples = await takeSamples(warehouse, app);
    return {
      active: alerts.filter(needsAction),
      status: describeStatus(status, 80),
      page: await overviewPage(await readOverview(warehouse, time, app)),
      codes: samples
        .filter(({ name }) => name === 'callsheet_active_alerts')
        .flatMap(({ labels, value }) => Array<string>(value).fill(labels.code!)),
    };
  });
}

async function alertMails(outbox: string): Promise<Seen['mails']> {
  const files = (await readdir(outbox)).filter((name) => /^alert-.*\.eml$/.test(name)).sort();
  const mails = files.map(async (file) => await PostalMime.parse(await readFile(path.join(outbox, file))));
  return (await Promise.all(mails)).map(({ subject, text, html }) => {
    return { subject: subject!, text: text!.replaceAll('\r\n', '\n').trimEnd(), html: html! };
  });
}

/** Every reader names the same causes. */
function expectAgreement({ night, active, mails, posts, status, page, codes }: Seen): void {
  expect([night, [...codes].sort()]).toEqual([night, active.map(({ code }) => code).sort()]);
  const [text, html] = [asOneLine(status), asOneLine(page)];
  const sent = asOneLine([...mails.map((mail) => mail.text), ...posts].join(' '));
  for (const { title, steps } of active) {
    expect([night, text]).toEqual([night, expect.stringContaining(title)]);
    expect([night, html]).toEqual([night, expect.stringContaining(title)]);
    expect([night, sent]).toEqual([night, expect.stringContaining(title)]);
    expect([night, title, steps.length]).not.toEqual([night, title, 0]);
  }
}

it('one outage of forty accounts is one alert, of one screen, and then all clear', async () => {
  const seen = await live(stories['one-outage']!);
  // A night without a run, or one that was killed, tells nobody anything.
  for (const each of seen) expectAgreement(each);
  const outage = seen[2]!;
  expect(outage.active.map(({ key }) => key)).toEqual([expect.stringMatching(/^SERVICE_UNAVAILABLE\//)]);
  expect(outage.mails.map(({ subject }) => subject)).toEqual([
    '[callsheet here] 1 to do: service unavailable (40 accounts)',
  ]);
  expect(outage.mails[0]!.text.split('\n').length).toBeLessThan(15);
  expect(outage.mails[0]!.text).toMatch(/40 accounts: .* and 35 more/);
  expect(outage.posts).toEqual([`${outage.mails[0]!.subject}\n\n${outage.mails[0]!.text}\n`]);
  expect(seen[3]!.mails.map(({ subject }) => subject)).toEqual(['[callsheet here] all clear']);
  expect(seen.flatMap(({ mails }) => mails)).toHaveLength(2);
});

it('after a bad fortnight, whose readers agree every night, all is clear once a refused mail is dismissed', async () => {
  const seen = await live(stories['bad-fortnight']!);
  const quiet = stories['bad-fortnight']!.nights.map((events) =>
    events.some(({ event }) => event === 'no run' || event === 'killed'),
  );
  for (const each of seen) if (!quiet[each.night]) expectAgreement(each);
  const subjects = seen.flatMap(({ mails }) => mails).map(({ subject }) => subject);
  expect(Math.max(...seen.map(({ active }) => active.length))).toBeLessThanOrEqual(4);
  expect(subjects.at(-1)).toBe('[callsheet here] all clear');
  expect(seen.at(-1)!.active).toEqual([]);
});
