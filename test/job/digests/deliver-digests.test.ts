import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import pg from 'pg';
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

const alertsAt = async (instant: string) =>
  (await valley.at(instant, (app) => readState(app.warehouse, app))).alerts;

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
    valley.server.refusals = { 'ana@example.com': ['450 wait'] };
    expect((await valley.night(night)).stats.deliveries).toMatchObject({ sent: 2, failed: 0 });
    expect(valley.received()).toEqual(['ben', 'ana']);
  });

  it.each([
    ['421 4.7.0 Too many messages in this session', 'ends the session'],
    ['452 4.5.3 Too many messages', 'keeps it open'],
  ])('all go out in one run, though the server replies %s after three, and %s', async (reply, then) => {
    let messages = 0;
    valley.server.at = (stage) => {
      if (stage === 'greeting') messages = 0;
      if (stage === 'MAIL' && ++messages > 3) return { reply };
      return messages > 3 && then === 'ends the session' ? 'drop' : 'pass';
    };
    const names = ['ana', 'ben', 'cleo', 'dan', 'eve', 'fay', 'gil', 'hal', 'ida', 'jo'];
    const DIGEST_TO = names.map((name) => `${name}@example.com`).join(',');
    expect(await valley.night(night, { DIGEST_TO })).toMatchObject({ exitCode: 0 });
    expect(valley.received().sort()).toEqual(names);
  });

  it('that are deferred keep that reply if the server takes no second session so soon', async () => {
    valley.server.refusals = { 'ana@example.com': ['452 wait'] };
    let sessions = 0;
    valley.server.at = (stage) =>
      stage === 'greeting' && ++sessions > 1 ? { reply: '421 one session at a time' } : 'pass';
    await valley.night(night);
    const ends = await valley.query('select state, step, reply from etl.deliveries order by recipient');
    expect(ends).toEqual([
      { state: 'failed', step: 'recipient', reply: expect.stringContaining('452 wait') },
      expect.objectContaining({ state: 'sent' }),
    ]);
  });

  it('that fail to the end of a run are left to the next, with the same Message-ID and its date', async () => {
    valley.server.refusals = { 'ben@example.com': Array(2).fill('450 wait') };
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

  it('that are unknown are left alone by every later run, and skipped by hand with what failed', async () => {
    valley.server.refuses = (address) => (address.startsWith('ana') ? '550 No such user' : null);
    valley.server.at = (stage) => (stage === 'reply' ? 'drop' : 'pass');
    expect((await valley.night(night)).stats.deliveries).toMatchObject({ failed: 1, unknown: 1 });
    valley.server.at = () => 'pass';
    expect((await valley.night(night)).exitCode).toBe(75);
    expect(await valley.states()).toEqual(['ana failed', 'ben unknown']);
    expect(valley.received()).toEqual(['ben']);
    const skip = valley.at(`${night}T08:00:00Z`, (app) => skipOne(app, app.config.digests[0]!, '2026-03-03'));
    expect(await skip).toBe('Campaigns of 2026-03-03: 2 deliveries skipped');
  });

  it('that fail on seven run dates are given up, until somebody resends or dismisses them', async () => {
    valley.server.refuses = (address) => (address.startsWith('ana') ? '550 5.7.1 by policy' : null);
    const days = ['04', '05', '06', '07', '08', '09', '10'];
    for (const day of days.slice(0, -1)) await valley.night(`2026-03-${day}`);
    const ofFirst = async () => (await valley.states()).slice(0, 2);
    expect(await ofFirst()).toEqual(['ana failed', 'ben sent']);
    await valley.night('2026-03-10');
    expect(await ofFirst()).toEqual(['ana given_up', 'ben sent']);
    const givenUp = async (day: string) =>
      (await alertsAt(`${day}T08:00:00Z`)).find(({ key }) => key === 'MAIL_GIVEN_UP/recipient/550');
    expect(await givenUp('2026-03-10')).toMatchObject({
      title: 'Mail given up: ana@example.com, Campaigns of 3 Mar',
      explanation:
        'The mail server replied "550 5.7.1 by policy". It failed on seven run dates, and is not resent automatically.',
    });
    await valley.query(`update etl.deliveries set changed_at = changed_at - interval '40 days'`);
    const alert = (await givenUp('2026-03-10'))!;
    const { command } = alert.steps.find((step) => step.command?.[0] === 'digest')!;
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
    valley.server.refuses = () => null;
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

  it('have the From, the Reply-To and the way to leave of the settings they are sent by, not of those they were built by', async () => {
    valley.server.at = () => 'drop';
    await valley.night(night, { ALERT_TO: 'old@example.org' });
    valley.server.at = () => 'pass';
    await valley.night(night, {
      DIGEST_FROM: 'Calls <calls@example.org>',
      DIGEST_TO: 'ana@example.com',
      ALERT_TO: 'ops@example.org',
    });
    const mail = valley.mails().find(({ to }) => to[0] === 'ana@example.com')!;
    const { from, replyTo, headers } = await PostalMime.parse(mail.raw);
    expect([mail.from, from]).toMatchObject(['calls@example.org', { name: 'Calls' }]);
    expect(replyTo).toMatchObject([{ address: 'ops@example.org' }]);
    expect(headers.find(({ key }) => key === 'list-unsubscribe')?.value).toContain('mailto:ops@example.org');
  });

  it('go to the recipients of today: who is gone gets none, who is new gets what waits', async () => {
    valley.server.at = () => 'drop';
    await valley.night(night);
    valley.server.at = () => 'pass';
    await valley.night(night, { DIGEST_TO: 'Ben@example.com,cleo@example.com' });
    expect(valley.received()).toEqual(['ben', 'cleo']);
    const { stats } = await valley.night(night, { DIGEST_TO: 'dan@example.com' });
    expect(stats.noMail).toMatch(/ by hand: npm start -- digest --day 2026-03-03$/);
    expect(valley.received()).toEqual(['ben', 'cleo']);
  });

  it('that nobody got are in the next mail, and not sent beside it', async () => {
    valley.server.refuses = () => '550 5.7.60 SendAsDenied';
    for (const day of ['04', '05', '06']) await valley.night(`2026-03-${day}`);
    expect(valley.received()).toEqual([]);
    valley.server.refuses = () => null;
    await valley.night('2026-03-06');
    expect(valley.received()).toEqual(['ana', 'ben']);
    const { subject, text } = await PostalMime.parse(valley.mails()[0]!.raw);
    expect(subject).toMatch(/^Campaigns, Thu 5 Mar/);
    expect(text!.match(/^[A-Z][a-z]{2} \d Mar(?=: )/gm)).toEqual(['Wed 4 Mar', 'Tue 3 Mar']);
    await valley.night('2026-03-06');
    expect(valley.received()).toHaveLength(2);
  });

  it('of a correction that nobody got leave it to the next mail', async () => {
    await valley.night(night);
    await valley.query(
      `update etl.mailed_periods set state = 'incomplete', content = 'less', attempts = attempts - 500`,
    );
    valley.server.refuses = () => '550 5.1.1 gone';
    await valley.night('2026-03-05');
    await valley.night('2026-03-06');
    expect(valley.received()).toEqual(['ana', 'ben']);
    valley.server.refuses = () => null;
    await valley.night('2026-03-06');
    const { text } = await PostalMime.parse(valley.mails().at(-1)!.raw);
    expect(text!.match(/^Corrected: Tue 3 Mar had [\d,]+ attempts, not [\d,]+\.$/gm)).toHaveLength(1);
    expect(text).toMatch(/^Wed 4 Mar: /m);
  });

  it('of the new mail come first, and one that somebody has is not in it again', async () => {
    valley.server.refusals = { 'ana@example.com': ['550 5.1.1 gone'] };
    await valley.night(night);
    await valley.night('2026-03-05');
    const { text } = await PostalMime.parse(valley.mails().at(-1)!.raw);
    expect(text).not.toMatch(/EARLIER PERIODS|^Tue 3 Mar: /m);
    expect(valley.received()).toEqual(['ben', 'ana', 'ben', 'ana']);
  });

  it('stop at the first that the server leaves unanswered: one is unknown, and the retry sends the others', async () => {
    valley.server.at = (stage) => (stage === 'reply' ? 'drop' : 'pass');
    valley.server.refuses = (address) => (address.startsWith('ben') ? '550 No such user' : null);
    const names = ['ana', 'ben', 'cleo', 'dan', 'eve'];
    const settings = { DIGEST_TO: names.map((name) => `${name}@example.com`).join(',') };
    const retryUntil = Temporal.Instant.from(`${night}T09:30:00Z`);
    const run = async (number: number) =>
      await valley.night(night, settings, '06:30', { number, retryUntil });
    const first = await run(1);
    expect(first.stats.deliveries).toMatchObject({ unknown: 1, failed: 4 });
    expect(first.retryAt).not.toBeNull();
    // An answer comes between the first two that are left, none between the next.
    expect((await run(2)).retryAt).toBeNull();
    const afterTwo = ['ana unknown', 'ben failed', 'cleo unknown', 'dan pending', 'eve pending'];
    expect(await valley.states()).toEqual(afterTwo);
    valley.server.at = () => 'pass';
    await run(3);
    expect((await valley.states()).slice(2)).toEqual(['cleo unknown', 'dan sent', 'eve sent']);
  });

  it('by hand say of the one that was dropped that it is unknown, and of the next that it was not sent', async () => {
    valley.server.at = (stage) => (stage === 'reply' ? 'drop' : 'pass');
    const outcomes: string[] = [];
    await valley.at(`${night}T08:00:00Z`, (app) =>
      sendDigests(
        app,
        { command: 'digest', digests: app.config.digests, day: '2026-03-03', to: null, again: false },
        never,
        (_, recipient, outcome) => outcomes.push(`${recipient}: ${outcome.state} (${outcome.reply})`),
      ),
    );
    expect(outcomes).toEqual([
      'ana@example.com: unknown (the server closed the connection)',
      'ben@example.com: failed (the server closed the connection)',
    ]);
    expect(await valley.states()).toEqual(['ana unknown', 'ben pending']);
  });

  it('that end at MAIL end the run’s attempts, and nothing is unknown', async () => {
    valley.server.at = (stage) => (stage === 'MAIL' ? 'drop' : 'pass');
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

describe('a skip by hand while a run builds digests', () => {
  const settings = async () => {
    const file = path.join(valley.folder, 'skipped.json');
    const names = ['One', 'Two', 'Three'];
    await writeFile(file, JSON.stringify(names.map((name) => ({ name, to: [`${name}@example.com`] }))));
    for (const name of names)
      await valley.query(
        `insert into etl.digest_starts (name, every, day) values ($1, 'day', '2026-03-02')`,
        [name],
      );
    return { DIGEST_TO: '', DIGESTS_FILE: file };
  };
  /** Lets both wait for the table of mails, one behind the other; returns what each returned. */
  const inTurn = async <T, U>(mode: string, first: () => Promise<T>, second: () => Promise<U>) => {
    const other = new pg.Client(valley.databaseUrl);
    await other.connect();
    await other.query(`begin; lock table etl.mails in ${mode} mode`);
    const waiting = (count: number) =>
      expect
        .poll(() =>
          valley.query(`select from pg_locks where relation = 'etl.mails'::regclass and not granted`),
        )
        .toHaveLength(count);
    const one = first();
    await waiting(1);
    const two = second();
    await waiting(2);
    await other.end();
    return [await one, await two] as const;
  };

  it.each([
    ['one', (app: AppContext) => skipOne(app, app.config.digests[1]!, '2026-03-03'), ['One', 'Three']],
    ['all', skipAll, []],
  ] as const)('holds though the mails were planned before: %s', async (_, skip, mailed) => {
    const others = await settings();
    const [line, report] = await inTurn(
      'row exclusive',
      () => valley.at(`${night}T06:30:00Z`, skip, others),
      () => valley.night(night, others),
    );
    expect(line).toMatch(/^(Two of 2026-03-03: |3 digests, 0 corrections, 0 deliveries )skipped$/);
    expect(report.stats.digests).toMatchObject({ built: mailed.length });
    expect(valley.received().sort()).toEqual(mailed);
  });

  it('holds though the mail is being frozen', async () => {
    const others = await settings();
    const skipFirst = (app: AppContext) => skipOne(app, app.config.digests[0]!, '2026-03-03');
    const [, line] = await inTurn(
      'share',
      () => valley.night(night, others),
      () => valley.at(`${night}T06:30:00Z`, skipFirst, others),
    );
    expect(line).toBe('One of 2026-03-03: 1 delivery skipped');
    expect(valley.received().sort()).toEqual(['Three', 'Two']);
  });

  it('says which deliveries it could not stop', async () => {
    await valley.night(night, { DIGEST_TO: 'ana@example.com,ben@example.com,cleo@example.com' });
    await valley.query(`update etl.deliveries set state = 'pending' where recipient like 'ana%'`);
    await valley.query(`update etl.deliveries set state = 'sending' where recipient like 'ben%'`);
    const skip = (app: AppContext) => skipOne(app, app.config.digests[0]!, '2026-03-03');
    expect(await valley.at(`${night}T08:00:00Z`, skip)).toBe(
      "Campaigns of 2026-03-03: 1 delivery skipped; 1 delivery went out before; 1 delivery being sent now can't be stopped",
    );
  });
});

it('--skip --all silences a restored backup: what is open, and what may have been sent since, and nothing later', async () => {
  valley.server.refusals = { 'ben@example.com': Array(2).fill('450 wait') };
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
