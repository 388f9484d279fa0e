import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import PostalMime from 'postal-mime';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ActiveAlert, needsAction } from '../../src/model/alert.ts';
import { addDays } from '../../src/model/day.ts';
import type { Middleware } from '../../src/simulator/middleware.ts';
import { asTyped } from '../../src/support/commands.ts';
import { callsheet, startCallsheet } from '../support/callsheet.ts';
import { changing } from '../support/changing.ts';
import { runNight } from '../support/nights.ts';
import { agreedAlerts } from '../support/renderings.ts';
import { type Fate, type SmtpProxy, startSmtpProxy } from '../support/smtp-proxy.ts';
import { startSmtpServer, type TestSmtpServer } from '../support/smtp-server.ts';
import { openWorld, type World } from '../support/world.ts';

/** The days are those of this machine: `status` and page look at all of them up to yesterday. */
const today = Temporal.Now.plainDateISO('UTC').toString();
const ago = (days: number) => addDays(today, -days);

let world: World;
let smtp: TestSmtpServer;
let proxy: SmtpProxy;
let environment: World['environment'];
let tokenFile: string;
let onReply: (message: number) => Fate = () => 'pass';
let onRequest: () => void = () => {};
const refused = new Map<string, string>();
const { changes, dataset } = changing();
const tokenOf = (account: string) => dataset.accounts.find(({ name }) => name === account)!.token;

beforeAll(async () => {
  const intercept: Middleware = () => {
    onRequest();
    return undefined;
  };
  world = await openWorld({ dataset, intercept });
  smtp = await startSmtpServer({ plain: true, onRecipient: (address) => refused.get(address) ?? null });
  let replies = 0;
  proxy = await startSmtpProxy(smtp.port, (stage) => (stage === 'reply' ? onReply(++replies) : 'pass'));
  tokenFile = path.join(world.folder, 'valley token');
  await writeFile(tokenFile, tokenOf('valley'));
  await writeFile(
    world.environment.ACCOUNTS_FILE!,
    JSON.stringify([
      { name: 'coast', sidtoken: tokenOf('coast') },
      { name: 'north', sidtoken: tokenOf('north') },
      { name: 'valley', sidtoken_file: tokenFile },
    ]),
  );
  environment = {
    ...world.environment,
    SMTP_URL: proxy.url,
    DIGEST_FROM: 'Callsheet <callsheet@example.com>',
    DIGEST_TO: "ana@example.com,o'neil@example.com,cleo@example.com",
    ALERT_TO: 'ops@example.com',
    CATCH_UP_DAYS: '5',
    RETRIES: '0',
  };
});
afterAll(async () => {
  await proxy.close();
  await smtp.close();
  await world.close();
});

const alertMails = async () => {
  const own = smtp.received.filter(({ to }) => to[0] === 'ops@example.com');
  return await Promise.all(own.map(({ raw }) => PostalMime.parse(raw)));
};
const codesOf = (alerts: readonly ActiveAlert[]) => alerts.filter(needsAction).map(({ code }) => code);

/** Types each command of the alerts as it is printed; those that acknowledge are kept for what is left. */
async function typeCommands(alerts: readonly ActiveAlert[], isDismissal: boolean): Promise<void> {
  for (const { command } of alerts.filter(needsAction).flatMap(({ steps }) => steps)) {
    if (command === null || (command[0] === 'status') !== isDismissal) continue;
    const { code, stderr } = await callsheet(command, environment);
    // Looking at the state may show that more is to be done.
    expect([asTyped(...command), isDismissal ? 0 : code, stderr]).toEqual([
      asTyped(...command),
      0,
      expect.anything(),
    ]);
  }
}

it('a night with everything in it is green again once somebody did what its alerts say', async () => {
  // An old gap: the days between a backfill and the first night, of which runs catch up on the newer ones alone.
  const backfill = ['backfill', '--from', ago(12), '--to', ago(10)];
  expect(await callsheet(backfill, environment)).toMatchObject({ code: 0 });
  await runNight(world, ago(1), environment);

  // The night: the service empties a day and garbles a record, a token has expired, and mail goes wrong.
  changes.campaigns = (list, account, day) => {
    if (account === 'north' && day === ago(2)) return [];
    if (account === 'coast' && day === ago(1))
      return list.with(0, { ...list[0]!, busies: -1, attempts: 498 });
    return list;
  };
  await writeFile(tokenFile, 'an-expired-session-token');
  refused.set("o'neil@example.com", '550 No such user');
  onReply = (message) => (message === messagesBefore + 2 ? 'drop' : 'pass');
  const messagesBefore = smtp.received.length;
  expect(await callsheet(['run'], environment)).toMatchObject({ code: 77 });
  onReply = () => 'pass';

  const expected = [
    'TOKEN_REFUSED',
    'DAYS_NOT_LOADED',
    'MAIL_REFUSED',
    'MAIL_UNKNOWN',
    'RESPONSE_HELD',
    'RECORDS_QUARANTINED',
  ];
  const night = await agreedAlerts(world, environment);
  expect(codesOf(night).sort()).toEqual([...expected].sort());
  const mail = (await alertMails()).at(-1)!;
  for (const { title, steps } of night.filter(needsAction)) {
    expect(mail.text).toContain(title);
    for (const { command } of steps) if (command !== null) expect(mail.text).toContain(asTyped(...command));
  }
  // The next run is killed; what was wrong still is.
  const child = startCallsheet(['run'], environment);
  onRequest = () => void child.kill('SIGKILL');
  await once(child, 'close');
  onRequest = () => {};
  const killed = await agreedAlerts(world, environment);
  expect(codesOf(killed).sort()).toEqual([...expected, 'RUN_INTERRUPTED'].sort());

  // The manual steps, then the commands.
  expect(killed.flatMap(({ steps }) => steps).map(({ text }) => text)).toContain(
    `Write the new token to ${tokenFile}`,
  );
  await writeFile(tokenFile, tokenOf('valley'));
  refused.clear();
  await typeCommands(killed, false);
  const left = await agreedAlerts(world, environment);
  // What the service garbled it still does: somebody acknowledges that.
  expect(codesOf(left)).toEqual(['RECORDS_QUARANTINED']);
  await typeCommands(left, true);
  expect(codesOf(await agreedAlerts(world, environment))).toEqual([]);

  const received = smtp.received.slice(messagesBefore).flatMap(({ to }) => to);
  const managers = received.filter((to) => to !== 'ops@example.com');
  expect(managers.filter((to) => to === "o'neil@example.com").length).toBeGreaterThan(0);
  expect(await world.query(`select from warehouse.coverage where state <> 'loaded'`)).toEqual([]);
});
