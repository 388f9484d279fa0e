import { afterEach, expect, it } from 'vitest';
import { type ActiveAlert, needsAction } from '../../../src/model/alert.ts';
import { addDays } from '../../../src/model/day.ts';
import type { Middleware } from '../../../src/simulator/middleware.ts';
import { errorResponse } from '../../../src/simulator/service.ts';
import { callsheet } from '../../support/callsheet.ts';
import { changing } from '../../support/changing.ts';
import { runNight } from '../../support/nights.ts';
import { agreedAlerts } from '../../support/renderings.ts';
import { startSmtpServer } from '../../support/smtp-server.ts';
import { startWatchdog } from '../../support/watchdog.ts';
import { openWorld, type World } from '../../support/world.ts';

/* The short form of stories.slow.test.ts: two bad nights in one, and what somebody types then. */

let world: World;
afterEach(() => world.close());

// The days are those of this machine: `status` and page look at all of them up to yesterday.
const today = Temporal.Now.plainDateISO('UTC').toString();
const ago = (days: number) => addDays(today, -days);

it('the first command of each alert, typed as it is printed, ends or explains it; then all clear arrives', async () => {
  const { changes, dataset } = changing();
  let isDown = true;
  const intercept: Middleware = ({ account, operation }) =>
    isDown && account === 'valley' && operation === 'campaignSummary'
      ? errorResponse(503, 'Down for maintenance.')
      : undefined;
  world = await openWorld({ dataset, intercept });
  await using chat = await startWatchdog();
  const smtp = await startSmtpServer({
    onRecipient: (address) => (address === 'gone@example.com' ? '550 mailbox unavailable' : null),
  });
  const environment = {
    ...world.environment,
    SMTP_URL: smtp.url,
    DIGEST_FROM: 'Callsheet <callsheet@example.com>',
    DIGEST_TO: 'ana@example.com',
    ALERT_TO: 'ops@example.com',
    ALERT_WEBHOOK_URL: chat.url,
    INSTALLATION: 'here',
    RETRIES: '0',
  };
  await runNight(world, ago(1), environment);
  changes.campaigns = (list, account, day) => {
    if (account === 'north' && day === ago(2)) return [];
    if (account === 'coast' && day === ago(1)) return list.with(0, { ...list[0]!, busies: -1 });
    return list;
  };
  const recipients = { DIGEST_TO: 'ana@example.com,gone@example.com' };
  await runNight(world, today, { ...environment, ...recipients });

  const night = (await agreedAlerts(world, { ...environment, ...recipients })).filter(needsAction);
  expect(night.map(({ key }) => key)).toEqual([
    'MAIL_REFUSED/550',
    'SERVICE_UNAVAILABLE/503',
    'RESPONSE_HELD',
    'RECORDS_QUARANTINED',
  ]);
  const posted = JSON.parse(chat.pings.at(-1)!.body).text as string;
  expect(posted).toMatch(
    /^\[callsheet here\] 4 to do: mail refused \(gone@example\.com\); service unavailable/,
  );
  for (const { title } of night) expect(posted).toContain(title);

  // What was wrong at the service is over, and the address is corrected: that is the step before each command.
  isDown = false;
  changes.campaigns = (list) => list;
  const typed = async ({ steps }: ActiveAlert, nth = 0) => {
    const { command } = steps.filter((step) => step.command !== null)[nth]!;
    const { code, stdout } = await callsheet(command!, environment);
    return { command: command!.join(' '), code, stdout };
  };
  const [refused, outage, held, unreadable] = night as [ActiveAlert, ActiveAlert, ActiveAlert, ActiveAlert];
  expect(await typed(held)).toMatchObject({
    command: `run --day ${ago(2)} --account north --dry-run`,
    code: 0,
  });
  expect((await typed(held, 1)).command).toBe(`accept --day ${ago(2)} --account north`);
  expect(await typed(unreadable)).toMatchObject({
    command: `run --day ${ago(1)} --account coast`,
    code: 0,
  });
  expect((await typed(refused)).stdout).toContain(`Dismissed, until it affects more: ${refused.title}`);
  expect(await typed(outage)).toMatchObject({ command: 'run', code: 0 });
  expect((await agreedAlerts(world, environment)).filter(needsAction)).toEqual([]);
  const last = JSON.parse(chat.pings.at(-1)!.body).text as string;
  expect(last).toMatch(/^\[callsheet here\] all clear\n/);
  await smtp.close();
});
