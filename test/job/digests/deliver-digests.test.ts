import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import PostalMime from 'postal-mime';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readState } from '../../../src/job/alerts/read-alerts.ts';
import { skipAll, skipOne } from '../../../src/job/digests/make-digests.ts';
import { sendDigests } from '../../../src/job/digests/send-digests.ts';
import type { AppContext } from '../../../src/job/run/app-context.ts';
import { never } from '../../support/nights.ts';
import { openValley, type Valley } from './valley.ts';

let valley: Valley;
beforeAll(async () => {
  valley = await openValley();
});
beforeEach(() => valley.restore());
afterAll(() => valley.close());

const night = '2026-03-04';

/** How long the mailer waits for replies. While one never comes, it is long enough for a busy machine, and short enough for a test. */
const timeouts = { connection: 60_000, greeting: 60_000, reply: 60_000, finalReply: 60_000, quit: 100 };
const silentTimeouts = { ...timeouts, reply: 3_000 };

const withRecipients = ({ config }: AppContext, ...names: readonly string[]) =>
  config.digests.map((digest) => ({ ...digest, to: names.map((name) => `${name}@example.com`) }));

const alertsAt = async (instant: string, ...names: readonly string[]) =>
  (
    await valley.at(instant, (app) =>
      readState(
        app.warehouse,
        names.length === 0
          ? app
          : { ...app, config: { ...app.config, digests: withRecipients(app, ...names) } },
      ),
    )
  ).alerts.filter(({ code }) => code.startsWith('MAIL'));

describe('deliveries of a run', () => {
  it('go out in one session, each to one recipient, with the date of the sending and a Message-ID of its own', async () => {
    const before = valley.smtp.connections;
    expect((await valley.night(night)).exitCode).toBe(0);
    expect(valley.received()).toEqual(['ana', 'ben']);
    expect(valley.smtp.connections - before).toBe(1);
    const mails = await Promise.all(valley.mails().map(({ raw }) => PostalMime.parse(raw)));
    expect(new Set(mails.map(({ messageId }) => messageId)).size).toBe(2);
    expect(mails.map(({ date }) => date)).toEqual(Array(2).fill('2026-03-04T06:30:00.000Z'));
  });

  it('that are deferred get another attempt in the same run, and arrive once', async () => {
    valley.server.refusals = { 'ana@example.com': ['450 wait', '421 busy'] };
    expect((await valley.night(night)).stats.deliveries).toMatchObject({ sent: 2, failed: 0 });
    expect(valley.received()).toEqual(['ben', 'ana']);
  });

  it('go out in further sessions of the same run, if the server ends each with 421 after three messages', async () => {
    let messages = 0;
    valley.server.at = (stage) => {
      if (stage === 'greeting') messages = 0;
      if (stage === 'MAIL' && ++messages > 3) return { reply: '421 4.7.0 Too many messages in this session' };
      return messages > 3 ? 'drop' : 'pass';
    };
    const names = ['ana', 'ben', 'cleo', 'dan', 'eve', 'fay', 'gil'];
    const connections = valley.smtp.connections;
    const DIGEST_TO = names.map((name) => `${name}@example.com`).join(',');
    const report = await valley.night(night, { DIGEST_TO });
    expect(report).toMatchObject({ exitCode: 0, stats: { deliveries: { sent: names.length, failed: 0 } } });
    // The one that got the 421 is tried again after the others.
    expect(valley.received()).toEqual(['ana', 'ben', 'cleo', 'eve', 'fay', 'gil', 'dan']);
    expect(valley.smtp.connections - connections).toBe(3);
  });

  it('that fail to the end of a run are left to the next, with the same Message-ID and its date', async () => {
    valley.server.refusals = { 'ben@example.com': Array(3).fill('450 wait') };
    const first = await valley.night(night);
    expect(first).toMatchObject({ exitCode: 75, stats: { deliveries: { sent: 1, failed: 1 } } });
    const [failed] = await valley.query<{ message_id: string }>(
      `select message_id from etl.deliveries where state = 'failed'`,
    );
    const later = await valley.night(night, {}, '14:00');
    expect(later).toMatchObject({ exitCode: 0, stats: { deliveries: { sent: 1 } } });
    const [early, late] = await Promise.all(valley.mails().map(({ raw }) => PostalMime.parse(raw)));
    expect(late!.messageId).toBe(failed!.message_id);
    expect([early!.date, late!.date]).toEqual(['2026-03-04T06:30:00.000Z', '2026-03-04T14:00:00.000Z']);
  });

  it('that are refused or unknown are left alone by every later run, and skipped by hand', async () => {
    valley.server.refusals = { 'ana@example.com': ['550 No such user'] };
    valley.server.at = (stage) => (stage === 'reply' ? 'drop' : 'pass');
    expect((await valley.night(night)).stats.deliveries).toMatchObject({ refused: 1, unknown: 1 });
    valley.server.at = () => 'pass';
    expect((await valley.night(night)).exitCode).toBe(0);
    expect(await valley.states()).toEqual(['ana refused', 'ben unknown']);
    expect(valley.received()).toEqual(['ben']);
    const skip = valley.at(`${night}T08:00:00Z`, (app) => skipOne(app, app.config.digests[0]!, '2026-03-03'));
    expect(await skip).toBe('Campaigns of 2026-03-03: 2 deliveries skipped');
  });

  const sendAsDenied = '554 5.2.0 STOREDRV.Submission.Exception:SendAsDeniedException; SendAsDenied';

  it('wait after a reply about the sender, though its code is about a mailbox, and go out once that is mended', async () => {
    valley.server.at = (stage) => (stage === 'reply' ? { reply: sendAsDenied } : 'pass');
    expect(await valley.night(night)).toMatchObject({
      exitCode: 75,
      stats: { deliveries: { failed: 2, refused: 0 } },
    });
    const [alert] = await alertsAt(`${night}T08:00:00Z`);
    expect(alert).toMatchObject({
      key: 'MAIL_WAITING/sender',
      title: 'Mail server refuses DIGEST_FROM: Campaigns of 3 Mar',
      explanation: expect.stringContaining(
        `Not sent yet: the mail server replied "${sendAsDenied}". The next run, due on `,
      ),
      steps: [
        { text: 'Set DIGEST_FROM to an address that this login may send from' },
        { command: ['doctor', '--mail-to', 'callsheet@example.com'] },
        { command: ['run'] },
      ],
    });
    valley.server.at = () => 'pass';
    const before = valley.mails().length;
    await valley.night(night, {
      DIGEST_FROM: 'Calls <calls@example.org>',
      DIGEST_REPLY_TO: 'boss@example.org',
    });
    const sent = valley.mails().slice(before);
    const mails = await Promise.all(sent.map(({ raw }) => PostalMime.parse(raw)));
    expect(mails).toMatchObject(
      Array(2).fill({
        from: { name: 'Calls', address: 'calls@example.org' },
        replyTo: [{ address: 'boss@example.org' }],
      }),
    );
    expect(sent.map(({ from }) => from)).toEqual(Array(2).fill('calls@example.org'));
    expect(await alertsAt(`${night}T09:00:00Z`)).toEqual([]);
  });

  it('that fail on seven run dates are given up, until somebody resends or dismisses them', async () => {
    valley.server.refusals = { 'ana@example.com': Array(99).fill('550 5.7.1 Message rejected by policy') };
    const days = ['04', '05', '06', '07', '08', '09', '10'];
    for (const day of days.slice(0, -1)) await valley.night(`2026-03-${day}`);
    const ofFirst = async () => (await valley.states()).slice(0, 2);
    expect(await ofFirst()).toEqual(['ana failed', 'ben sent']);
    await valley.night('2026-03-10');
    expect(await ofFirst()).toEqual(['ana refused', 'ben sent']);
    const givenUp = async (day: string) =>
      (await alertsAt(`${day}T08:00:00Z`)).find(({ key }) => key === 'MAIL_REFUSED/policy');
    expect(await givenUp('2026-03-10')).toMatchObject({
      title: 'Mail refused (given up): ana@example.com, Campaigns of 3 Mar',
      explanation: expect.stringContaining(
        'The mail server replied "550 5.7.1 Message rejected by policy". It failed on seven run dates, so it won\'t be resent automatically.',
      ),
    });
    await valley.query(`update etl.deliveries set changed_at = changed_at - interval '40 days'`);
    const alert = (await givenUp('2026-03-10'))!;
    const { command } = alert.steps[1]!;
    expect(command).toEqual([
      'digest',
      '--day',
      '2026-03-03',
      '--digest',
      'Campaigns',
      '--to',
      'ana@example.com',
      '--resend',
    ]);
    valley.server.refusals = {};
    await valley.at('2026-03-10T09:00:00Z', (app) =>
      sendDigests(
        app,
        {
          command: 'digest',
          digests: app.config.digests,
          day: '2026-03-03',
          to: 'ana@example.com',
          again: true,
        },
        never,
        () => {},
      ),
    );
    expect(await ofFirst()).toEqual(['ana sent', 'ben sent']);
    expect(await givenUp('2026-03-10')).toBeUndefined();
  });

  it('have the Reply-To and the way to leave of the settings they are sent by, not of those they were built by', async () => {
    valley.server.at = () => 'drop';
    await valley.night(night, { ALERT_TO: 'old@example.org' });
    valley.server.at = () => 'pass';
    await valley.night(night, { DIGEST_TO: 'ana@example.com', ALERT_TO: 'ops@example.org' });
    const mail = valley.mails().find(({ to }) => to[0] === 'ana@example.com');
    const { replyTo, headers } = await PostalMime.parse(mail!.raw);
    expect(replyTo).toMatchObject([{ address: 'ops@example.org' }]);
    expect(headers.find(({ key }) => key === 'list-unsubscribe')?.value).toContain('mailto:ops@example.org');
  });

  it('wait after a refused sender in one alert about it, though its only recipient was named', async () => {
    valley.server.refusals = { 'ana@example.com': ['554 5.7.60 Client may not send as this sender'] };
    await valley.night(night, { DIGEST_TO: 'ana@example.com' });
    expect(await valley.states()).toEqual(['ana failed']);
    const { alerts } = await valley.at(`${night}T08:00:00Z`, (app) =>
      readState(app.warehouse, { ...app, config: { ...app.config, digests: withRecipients(app, 'ana') } }),
    );
    expect(alerts.map(({ key, title }) => `${key}: ${title}`)).toEqual([
      'MAIL_WAITING/sender: Mail server refuses DIGEST_FROM: Campaigns of 3 Mar',
    ]);
  });

  it('go to the recipients of today: who is gone gets none, who is new gets what waits', async () => {
    valley.server.at = () => 'drop';
    await valley.night(night);
    valley.server.at = () => 'pass';
    await valley.night(night, { DIGEST_TO: 'Ben@example.com,cleo@example.com' });
    expect(valley.received()).toEqual(['ben', 'cleo']);
    const { stats } = await valley.night(night, { DIGEST_TO: 'dan@example.com' });
    expect(stats.noMail).toBe(
      'digest Campaigns of 2026-03-03 went to ben@example.com and cleo@example.com before; ' +
        'to send it to dan@example.com: npm start -- digest --day 2026-03-03 --digest Campaigns',
    );
    expect(valley.received()).toEqual(['ben', 'cleo']);
  });

  it('that nobody got are in the next mail, and not sent beside it', async () => {
    const refused = '550 5.7.60 SendAsDenied';
    for (const day of ['04', '05', '06']) {
      valley.server.refusals = {
        'ana@example.com': [refused, refused],
        'ben@example.com': [refused, refused],
      };
      await valley.night(`2026-03-${day}`);
    }
    expect(valley.received()).toEqual([]);
    valley.server.refusals = {};
    await valley.night('2026-03-06');
    expect(valley.received()).toEqual(['ana', 'ben']);
    const { subject, text } = await PostalMime.parse(valley.mails()[0]!.raw);
    expect(subject).toMatch(/^Campaigns, Thu 5 Mar/);
    const table = text!.split('EARLIER PERIODS AND CORRECTIONS')[1]!.split('\n\n')[0]!;
    expect(table.match(/\b[A-Z][a-z]{2} \d Mar\b/g)).toEqual(['Tue 3 Mar', 'Wed 4 Mar']);
    await valley.night('2026-03-06');
    expect(valley.received()).toHaveLength(2);
  });

  it('of a correction that nobody got leave it to the next mail', async () => {
    await valley.night(night);
    const refuse = (...names: string[]) => {
      for (const name of names)
        valley.server.refusals = {
          ...valley.server.refusals,
          [`${name}@example.com`]: Array(4).fill('550 5.1.1 gone'),
        };
    };
    await valley.query(
      `update etl.mailed_periods set state = 'incomplete', content = 'less', attempts = attempts - 500`,
    );
    // The first of them is built and refused for both; the next night has another answer.
    refuse('ana', 'ben');
    await valley.night('2026-03-05');
    expect(valley.received()).toEqual(['ana', 'ben']);
    valley.server.refusals = {};
    await valley.night('2026-03-06');
    const { text } = await PostalMime.parse(valley.mails().at(-1)!.raw);
    expect(text).toMatch(/^Corrected: Tue 3 Mar had [\d,]+ attempts, not [\d,]+\.$/m);
    expect(text!.match(/ → .*Tue 3 Mar/g)).toHaveLength(1);
    const table = text!.split('EARLIER PERIODS AND CORRECTIONS')[1]!.split('\n\n')[0]!;
    expect(table.match(/\b[A-Z][a-z]{2} \d Mar\b/g)).toEqual(['Tue 3 Mar', 'Wed 4 Mar']);
  });

  it('are not mailed again if one recipient of two has them, or may', async () => {
    valley.server.refusals = { 'ana@example.com': ['550 5.1.1 gone'] };
    await valley.night(night);
    await valley.night('2026-03-05');
    const { text } = await PostalMime.parse(valley.mails().at(-1)!.raw);
    expect(text).not.toContain('EARLIER PERIODS');
    expect(valley.received()).toEqual(['ben', 'ana', 'ben']);
  });

  it.each(['silence', 'drop'] as const)(
    'stop at the first that the server leaves unanswered by %s: one is unknown, the others wait for the next run',
    async (fate) => {
      valley.server.at = (stage) => (stage === 'reply' ? fate : 'pass');
      valley.server.timeouts = silentTimeouts;
      valley.server.refusals = { 'ben@example.com': ['550 No such user'] };
      const settings = {
        DIGEST_TO: ['ana', 'ben', 'cleo', 'dan', 'eve'].map((name) => `${name}@example.com`).join(','),
      };
      const scheduled = async (day: string) => await valley.night(day, settings, '06:30', true);
      const { stats } = await scheduled(night);
      expect(stats.deliveries).toMatchObject({ unknown: 1, failed: 4 });
      // An answer comes between the first two that are left, none between the next.
      await scheduled(night);
      expect(await valley.states()).toEqual([
        'ana unknown',
        'ben refused',
        'cleo unknown',
        'dan pending',
        'eve pending',
      ]);
      await scheduled(night);
      valley.server.at = () => 'pass';
      valley.server.timeouts = timeouts;
      // After two in a row, the rest waits for the next run date, and the alert says so.
      await scheduled(night);
      expect(valley.received()).toEqual(['ana', 'cleo', 'dan']);
      const waiting = (await alertsAt(`${night}T08:00:00Z`, 'eve')).find(
        ({ code }) => code === 'MAIL_WAITING',
      );
      expect(waiting).toMatchObject({
        explanation: expect.stringContaining(
          'The mail server did not respond to two messages today. They may have arrived, so scheduled runs send nothing until tomorrow.',
        ),
        steps: [expect.anything(), { text: 'To send now', command: ['run'] }],
      });
      await scheduled('2026-03-05');
      expect((await valley.states()).slice(3)).toEqual([
        'dan unknown',
        'eve sent',
        ...['ana', 'ben', 'cleo', 'dan', 'eve'].map((name) => `${name} sent`),
      ]);
    },
  );

  it('are sent by a run by hand, though the server left two unanswered on its date', async () => {
    valley.server.at = (stage) => (stage === 'reply' ? 'drop' : 'pass');
    const settings = { DIGEST_TO: 'ana@example.com,ben@example.com,cleo@example.com' };
    for (let run = 1; run <= 2; run++) await valley.night(night, settings);
    valley.server.at = () => 'pass';
    await valley.night(night, settings);
    expect(await valley.states()).toEqual(['ana unknown', 'ben unknown', 'cleo sent']);
  });

  it('by hand say of the one that was dropped that it is unknown, and of the next that it was not sent', async () => {
    valley.server.at = (stage) => (stage === 'reply' ? 'drop' : 'pass');
    const outcomes: string[] = [];
    await valley.at(`${night}T08:00:00Z`, (app) =>
      sendDigests(
        app,
        { command: 'digest', digests: app.config.digests, day: '2026-03-03', to: null, again: false },
        never,
        ({ recipient, outcome }) => outcomes.push(`${recipient}: ${outcome.state} (${outcome.reply})`),
      ),
    );
    expect(outcomes).toEqual([
      'ana@example.com: unknown (the server closed the connection)',
      'ben@example.com: failed (the server closed the connection)',
    ]);
    expect(await valley.states()).toEqual(['ana unknown', 'ben pending']);
  });

  it('that are dropped before their end are tried again in the same run, and arrive once', async () => {
    let drops = 0;
    valley.server.at = (stage) => (stage === 'MAIL' && drops++ === 0 ? 'drop' : 'pass');
    expect((await valley.night(night)).stats.deliveries).toMatchObject({ sent: 2, failed: 0, unknown: 0 });
    expect(valley.received()).toEqual(['ana', 'ben']);
  });

  it('that hang at MAIL end the run’s attempts, and nothing is unknown', async () => {
    valley.server.at = (stage) => (stage === 'MAIL' ? 'silence' : 'pass');
    valley.server.timeouts = silentTimeouts;
    expect((await valley.night(night)).stats.deliveries).toMatchObject({ failed: 2, unknown: 0 });
    expect(await valley.states()).toEqual(['ana failed', 'ben pending']);
  });

  it('are not claimed while the server cannot be reached', async () => {
    valley.server.at = () => 'drop';
    expect((await valley.night(night)).stats.deliveries).toMatchObject({ failed: 2, unknown: 0 });
    expect(await valley.query('select 1 from etl.deliveries where attempts > 0')).toEqual([]);
    valley.server.at = () => 'pass';
    await valley.night(night);
    expect(valley.received()).toEqual(['ana', 'ben']);
  });
});

it('--skip --all silences a restored backup: what is open, and what may have been sent since, and nothing later', async () => {
  valley.server.refusals = { 'ben@example.com': Array(3).fill('450 wait') };
  await valley.night(night);
  // It went out incomplete to one, and its correction wasn't built yet when the backup was made.
  await valley.query(`update etl.mailed_periods set state = 'incomplete', content = 'less'`);
  // Of 4 March, nothing is loaded yet.
  expect(await valley.at('2026-03-05T06:00:00Z', skipAll)).toBe('1 digest, 1 correction, 1 delivery skipped');
  const before = valley.received();
  await valley.night('2026-03-05');
  expect(valley.received()).toEqual(before);
  await valley.night('2026-03-06');
  expect(valley.received()).toEqual([...before, 'ana', 'ben']);
});

it('a digest that is new to the settings begins after the newest day that is over', async () => {
  const file = path.join(valley.folder, 'digests.json');
  const withDigests = async (day: string, ...names: string[]) => {
    await writeFile(file, JSON.stringify(names.map((name) => ({ name, to: ['ana@example.com'] }))));
    await valley.night(day, { DIGEST_TO: '', DIGESTS_FILE: file });
  };
  await withDigests(night, 'Campaigns');
  await withDigests(night, 'Campaigns', 'New');
  expect(await valley.built()).toEqual(['Campaigns 2026-03-03 first']);
  await withDigests('2026-03-05', 'Campaigns', 'New');
  expect((await valley.built()).slice(1)).toEqual(['Campaigns 2026-03-04 first', 'New 2026-03-04 first']);
});
