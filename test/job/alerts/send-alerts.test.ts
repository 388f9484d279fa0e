import PostalMime from 'postal-mime';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { nightly } from '../../../src/job/nightly.ts';
import type { AppContext } from '../../../src/job/run/app-context.ts';
import { localExecutor } from '../../../src/job/windows/sync-windows.ts';
import { generateDataset } from '../../../src/simulator/dataset.ts';
import { changing } from '../../support/changing.ts';
import { atInstant, never, runNight, undated } from '../../support/nights.ts';
import { startSmtpServer, type TestSmtpServer } from '../../support/smtp-server.ts';
import { startWatchdog } from '../../support/watchdog.ts';
import { openWorld, type World } from '../../support/world.ts';

let world: World;
let smtp: TestSmtpServer;
let service: ReturnType<typeof changing>;
let replies: Record<string, string[]>;
beforeEach(async () => {
  replies = {};
  service = changing();
  service.changes.clients = (list) => list.slice(0, 3);
  world = await openWorld({ dataset: service.dataset });
  smtp = await startSmtpServer({ onRecipient: (address) => replies[address]?.shift() ?? null });
});
afterEach(async () => {
  await smtp.close();
  await world.close();
});

const token = generateDataset().accounts.find((each) => each.name === 'valley')!.token;
const settings = () => ({
  ACCOUNTS_FILE: '',
  SIDTOKEN: token,
  ACCOUNT_NAME: 'valley',
  SMTP_URL: smtp.url,
  DIGEST_FROM: 'Callsheet <callsheet@example.com>',
  DIGEST_TO: 'ana@example.com',
  ALERT_TO: 'ops@example.com',
  INSTALLATION: 'here',
});
const night = (day: string, others: World['environment'] = {}, request = {}) =>
  runNight(world, day, { ...settings(), ...others }, request);
const wrong = { SIDTOKEN: 'expired' };
const alerts = async () => {
  const own = smtp.received.filter(({ to }) => to[0] === 'ops@example.com');
  return await Promise.all(own.map(({ raw }) => PostalMime.parse(raw)));
};
const kept = () =>
  world.query(
    'select alert, since_run_date::text as since from etl.alerts where resolved_run_date is null order by 1',
  );
const keys = async () => (await kept()).map(({ alert }) => alert);

describe('ALERT_TO', () => {
  it('gets one mail a run with cause and command, since when on the next night, and all clear once it is over', async () => {
    await night('2026-03-03');
    expect(await night('2026-03-04', wrong)).toMatchObject({
      exitCode: 77,
      toDo: [{ kind: 'to do', subject: 'token refused (valley)' }],
    });
    // `forget` would have to erase the account there.
    expect(await world.query("select run_id from etl.runs where summary::text like '%toDo%'")).toEqual([]);
    await night('2026-03-05', wrong);
    const [first, second, ...more] = await alerts();
    expect(more).toEqual([]);
    expect(first!.subject).toBe('[callsheet here] 1 to do: token refused (valley)');
    expect(first!.text).toContain(
      '  1. Ask the provider for a new token, and write it to SIDTOKEN in the environment that Callsheet starts with.\n  2. If ',
    );
    expect(first!.text).not.toContain('Since');
    expect(second!.text).toContain('No figures for 3 Mar and 4 Mar: the service refuses access (status 401');
    expect(second!.to).toEqual([{ name: '', address: 'ops@example.com' }]);
    await night('2026-03-06');
    const [, , clear, ...others] = await alerts();
    expect(others).toEqual([]);
    expect(clear!.subject).toBe('[callsheet here] all clear');
    expect(clear!.text).toContain('Resolved\n- Token refused: valley, 3 Mar and 4 Mar, client list');
    expect(await kept()).toEqual([]);
    await night('2026-03-07');
    expect(await alerts()).toHaveLength(3);
  });

  it('gets no token, whatever error ended a run, and no row has it', async () => {
    const error = new Error(`no reply to getClients.wr?sidtoken=${token}`);
    const executor = {
      ...localExecutor,
      get maxConcurrent(): number {
        throw error;
      },
    };
    const run = (app: AppContext) => nightly(app, undated, never, executor);
    await expect(atInstant(world, '2026-03-03T06:30:00Z', run, settings())).rejects.toThrow();
    const [alert] = await alerts();
    expect(alert!.text).toContain('no reply to getClients.wr');
    expect(`${alert!.subject} ${alert!.text} ${alert!.html}`).not.toContain(token);
    const rows = await world.query(
      `select summary::text || (select string_agg(title, '') from etl.alerts) as said from etl.runs`,
    );
    expect(rows[0]!.said).toContain('no reply to getClients.wr');
    expect(rows[0]!.said).not.toContain(token);
  });

  it('gets the all clear once an account is gone from the settings', async () => {
    const other = generateDataset().accounts.find((each) => each.name === 'coast')!.token;
    await night('2026-03-03', wrong);
    // A run that looks at a part only neither says it again nor forgets it.
    const coast = { SIDTOKEN: other, ACCOUNT_NAME: 'coast' };
    await night('2026-03-04', coast, { accounts: ['coast'] });
    expect(await keys()).toContain('TOKEN_REFUSED');
    const before = (await alerts()).length;
    await night('2026-03-04', coast);
    // All that was active was of the account that is gone.
    expect((await alerts()).slice(before).map(({ subject }) => subject)).toEqual([
      '[callsheet here] all clear',
    ]);
    expect(await kept()).toEqual([]);
  });

  it('reads what is resolved by then in the next mail, where that is about something else', async () => {
    await night('2026-03-03', wrong);
    service.changes.campaigns = (list, _, day) => (day === '2026-03-02' ? list : []);
    await night('2026-03-04');
    await night('2026-03-05');
    const texts = (await alerts()).slice(1).map(({ text }) => text);
    expect(texts.some((text) => text!.includes('Resolved\n- Token refused: valley, 2 Mar'))).toBe(true);
  });

  it('gets no all clear from a second run of the date that ends one of two', async () => {
    const gone = '550 No such user';
    replies = { 'ana@example.com': [gone, gone] };
    await night('2026-03-03', wrong);
    // Nobody got it, so it is no incomplete one.
    expect(await keys()).toEqual(['MAIL_FAILED/recipient/550', 'TOKEN_REFUSED']);
    await night('2026-03-03');
    expect(await keys()).toEqual(['MAIL_FAILED/recipient/550']);
    expect((await alerts()).map(({ subject }) => subject)).toEqual([
      expect.stringMatching(/^\[callsheet here\] 2 to do: /),
    ]);
  });

  it('reads no token in what is resolved', async () => {
    await night('2026-03-03', wrong);
    await world.query(`update etl.alerts set title = title || ', ' || $1::text`, [token]);
    await night('2026-03-04');
    const allClear = (await alerts())[1]!;
    expect(allClear.subject).toBe('[callsheet here] all clear');
    expect(allClear.text).toContain('client list, [redacted]');
    expect(`${allClear.text} ${allClear.html}`).not.toContain(token);
  });

  it('gets no second attempt through a mail server that is down, and the webhook gets the alert all the same', async () => {
    await using chat = await startWatchdog();
    const dead = { SMTP_URL: 'smtp://127.0.0.1:1', ALERT_WEBHOOK_URL: chat.url };
    expect((await night('2026-03-03', { ...wrong, ...dead })).stats.alerts).toEqual({ sent: 1, failed: 0 });
    const posted = chat.pings.map(({ body }) => JSON.parse(body) as { text: string });
    expect(posted).toHaveLength(1);
    expect(posted[0]!.text).toMatch(
      /^\[callsheet here\] 1 to do: token refused \(valley\); 1 to check\n\nTO DO\n\nToken refused: valley/,
    );
    await night('2026-03-04', { ALERT_WEBHOOK_URL: chat.url });
    expect(JSON.parse(chat.pings[1]!.body).text).toMatch(/^\[callsheet here\] all clear\n/);
    expect((await alerts()).map(({ subject }) => subject)).toEqual(['[callsheet here] all clear']);
  });

  it('gets none any more of an address that left the settings', async () => {
    replies = { 'ana@example.com': ['550 No such user'] };
    await night('2026-03-03');
    await night('2026-03-04', { DIGEST_TO: 'ben@example.com' });
    expect((await alerts()).map(({ subject }) => subject)).toEqual([
      '[callsheet here] 1 to do: mail server refuses the recipient (ana@example.com)',
      '[callsheet here] all clear',
    ]);
  });

  it('gets none again from a run that restarts on the same run date, but what is new by then', async () => {
    await night('2026-03-03');
    await night('2026-03-04', wrong);
    await night('2026-03-04', wrong);
    expect(await alerts()).toHaveLength(1);
    service.changes.campaigns = () => [];
    await night('2026-03-04');
    service.changes.campaigns = (list) => list;
    await night('2026-03-04', wrong, { days: ['2026-03-02'] });
    const again = (await alerts()).slice(1).map(({ subject }) => subject);
    // The token was good in between: that it is refused is news once more.
    expect(again).toEqual([
      '[callsheet here] 1 to check: figures kept (valley)',
      '[callsheet here] 1 to do: token refused (valley); 1 to check',
    ]);
    expect((await alerts()).at(-1)!.text).toContain(
      'Still to check\n- Figures kept: the service now reports nothing (valley, 2 Mar)',
    );
  });

  it('keeps the alerts of other accounts when a run syncs only some', async () => {
    await night('2026-03-03', wrong);
    const before = await kept();
    await night('2026-03-04', wrong, { days: ['2026-03-03'] });
    expect(await kept()).toEqual(before);
  });

  it('gets an alert of the error that ended a run, without a database', async () => {
    const nowhere = world.databaseUrl.replace(/\/[^/]*$/, '/gone');
    await expect(night('2026-03-03', { DATABASE_URL: nowhere })).rejects.toThrow();
    // Who types another one reads the same error.
    await expect(night('2026-03-03', { DATABASE_URL: nowhere }, { isWatched: true })).rejects.toThrow();
    const [alert, ...more] = await alerts();
    expect(more).toEqual([]);
    expect(alert!.subject).toMatch(/^\[callsheet here\] 1 to do: run failed: /);
    expect(alert!.text).toMatch(/The database in DATABASE_URL does not exist/);
    expect(alert!.text).toContain('npm start -- doctor');
  });

  it('gets the all clear from a dated run that ends the last alert, but not of mail, which its settings may not know', async () => {
    await night('2026-03-03');
    await night('2026-03-04');
    service.changes.campaigns = (list) => list.slice(0, 1);
    await night('2026-03-04', {}, { days: ['2026-03-02', '2026-03-03'] });
    service.changes.campaigns = (list) => list;
    await night('2026-03-04', {}, { days: ['2026-03-02', '2026-03-03'] });
    expect((await alerts()).map(({ subject }) => subject)).toEqual([
      '[callsheet here] 1 to check: figures kept (valley)',
      '[callsheet here] all clear',
    ]);
    replies = { 'ana@example.com': ['550 No such user'] };
    await night('2026-03-05');
    await night('2026-03-05', { DIGEST_TO: 'ben@example.com' }, { days: ['2026-03-04'] });
    expect(await keys()).toEqual(['MAIL_FAILED/recipient/550']);
    expect((await alerts()).at(-1)!.subject).toBe(
      '[callsheet here] 1 to do: mail server refuses the recipient (ana@example.com)',
    );
  });

  it('gets the all clear after a run that an error ended', async () => {
    // A bug that ends it.
    await world.query('alter table etl.walks rename to broken');
    await expect(night('2026-03-06')).rejects.toThrow();
    await world.query('alter table etl.broken rename to walks');
    await night('2026-03-07');
    expect((await alerts()).map(({ subject, text }) => `${subject}\n${text}`)).toEqual([
      expect.stringMatching(/^\[callsheet here\] 1 to do: run failed: /),
      expect.stringMatching(/^\[callsheet here\] all clear\n.*Resolved\n- Run failed: /s),
    ]);
  });

  it('gets no end of what nobody was alerted of: a run that was killed, nights without one', async () => {
    await night('2026-03-03');
    await world.query(`update etl.runs set finished_at = null, outcome = null where run_date = '2026-03-03'`);
    await night('2026-03-04');
    await night('2026-03-10');
    expect(await alerts()).toEqual([]);
  });

  it('gets from the next run what this one could not send, an alert or all clear', async () => {
    const full = '550 full';
    replies = { 'ops@example.com': [full] };
    expect(await night('2026-03-03', wrong)).toMatchObject({ stats: { alerts: { sent: 0, failed: 1 } } });
    await night('2026-03-04', wrong);
    replies = { 'ops@example.com': [full] };
    expect((await night('2026-03-05')).exitCode).toBe(75);
    await night('2026-03-06');
    const [alert, clear, ...more] = await alerts();
    expect(more).toEqual([]);
    expect(alert!.text).toContain('No figures for 2 Mar and 3 Mar');
    expect(clear!.subject).toBe('[callsheet here] all clear');
  });
});
