import PostalMime from 'postal-mime';
import { afterEach, expect, it } from 'vitest';
import { type ActiveAlert, needsAction, toDoLine } from '../../../src/model/alert.ts';
import { addDays } from '../../../src/model/day.ts';
import type { Middleware } from '../../../src/simulator/middleware.ts';
import { errorResponse } from '../../../src/simulator/service.ts';
import { formatDate } from '../../../src/support/english.ts';
import { callsheet } from '../../support/callsheet.ts';
import { changing } from '../../support/changing.ts';
import { command } from '../../support/command.ts';
import { runNight } from '../../support/nights.ts';
import { agreedAlerts } from '../../support/renderings.ts';
import { startSmtpServer, type TestSmtpServer } from '../../support/smtp-server.ts';
import { startWatchdog } from '../../support/watchdog.ts';
import { openWorld, type World } from '../../support/world.ts';

let world: World;
let smtp: TestSmtpServer;
afterEach(async () => {
  await smtp.close();
  await world.close();
});

// The days are those of this machine: `status` and page look at all of them up to yesterday.
const today = Temporal.Now.plainDateISO('UTC').toString();
const ago = (days: number) => addDays(today, -days);

/** The newest mail to ops, as the webhook would post it. */
async function newestMail(): Promise<string> {
  const own = smtp.received.filter(({ to }) => to[0] === 'ops@example.com');
  const { subject, text } = await PostalMime.parse(own.at(-1)!.raw);
  return `${subject}\n\n${text!.replaceAll('\r\n', '\n').trimEnd()}\n`;
}

it('a bad night reads alike in mail, webhook, watchdog, log, status, page and metrics; the first command of each alert ends it', async () => {
  const { changes, dataset } = changing();
  let isDown = false;
  const intercept: Middleware = ({ account, operation }) =>
    isDown && account === 'valley' && operation === 'campaignSummary'
      ? errorResponse(503, 'Down for maintenance.')
      : undefined;
  world = await openWorld({ dataset, intercept });
  await using chat = await startWatchdog();
  await using watchdog = await startWatchdog();
  smtp = await startSmtpServer({
    onRecipient: (address) => (address === 'gone@example.com' ? '550 No such user' : null),
  });
  const environment = {
    ...world.environment,
    SMTP_URL: smtp.url,
    DIGEST_FROM: 'Callsheet <callsheet@example.com>',
    DIGEST_TO: 'ana@example.com',
    ALERT_TO: 'ops@example.com',
    ALERT_WEBHOOK_URL: chat.url,
    HEALTHCHECK_URL: watchdog.url,
    INSTALLATION: 'here',
    RETRIES: '0',
  };
  const posted = () => (JSON.parse(chat.pings.at(-1)!.body) as { text: string }).text;
  await runNight(world, ago(1), environment);
  isDown = true;
  changes.campaigns = (list, account, day) => {
    if (account === 'north' && day === ago(2)) return [];
    if (account === 'coast' && day === ago(1))
      return list.with(0, { ...list[0]!, campaign: 'half of \ud83d' });
    return list;
  };
  const badNight = { ...environment, DIGEST_TO: 'ana@example.com,gone@example.com' };
  const { code, stderr } = await callsheet(['run'], badNight);

  const active = (await agreedAlerts(world, badNight)).filter(needsAction);
  expect(active.map(({ key }) => key)).toEqual([
    'MAIL_REFUSED',
    'SERVICE_UNAVAILABLE/503',
    'RESPONSE_HELD/emptied',
    'RECORDS_QUARANTINED',
  ]);
  const mail = await newestMail();
  expect(mail).toMatch(
    /^\[callsheet here\] 4 to do: mail refused \(gone@example\.com\); service unavailable/,
  );
  for (const { title, explanation } of active)
    expect(mail).toContain(`${title}\n  ${explanation.replace(/^Since [^.]*\. /, '')}`);
  expect(posted()).toBe(mail);
  const { path, body } = watchdog.pings.at(-1)!;
  expect(path).toBe(`/${code}`);
  expect(body.replaceAll(`Since ${formatDate(today, today)}. `, '')).toBe(mail);
  const logged = stderr
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { msg: string }).msg);
  expect(logged.filter((line) => line.startsWith('alert: '))).toEqual(
    active.map(({ title }) => `alert: ${title}`),
  );
  expect(logged.at(-1)).toContain(`; ${toDoLine(active.map(({ subject }) => subject))}`);

  // What was wrong at the service is over, and the address is corrected: that is the step before each command.
  isDown = false;
  changes.campaigns = (list) => list;
  const typed = async ({ steps }: ActiveAlert, nth = 0, settings = environment) => {
    const { command: words } = steps.filter((step) => step.command !== null)[nth]!;
    const ended = await command(words!, settings);
    expect([words, ended.stderr]).toEqual([words, '']);
    return { line: words!.join(' '), ...ended };
  };
  const [refused, outage, held, unreadable] = active as [ActiveAlert, ActiveAlert, ActiveAlert, ActiveAlert];
  expect((await typed(held)).line).toBe(`accept --day ${ago(2)} --account north`);
  expect(await typed(unreadable)).toMatchObject({
    line: `run --day ${ago(1)} --account coast`,
    code: 0,
  });
  expect((await typed(refused, 2, badNight)).stdout).toContain(
    `Dismissed until it affects more: ${refused.title}`,
  );
  expect(await typed(outage)).toMatchObject({ line: 'run', code: 0 });
  expect((await agreedAlerts(world, environment)).filter(needsAction)).toEqual([]);
  expect(await newestMail()).toMatch(/^\[callsheet here\] all clear\n/);
  expect(posted()).toBe(await newestMail());
});
