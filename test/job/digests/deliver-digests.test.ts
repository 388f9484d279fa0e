import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import PostalMime from 'postal-mime';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { skipAll } from '../../../src/job/digests/make-digests.ts';
import { generateDataset } from '../../../src/simulator/dataset.ts';
import { callsheet } from '../../support/callsheet.ts';
import { atInstant, runNight } from '../../support/nights.ts';
import { type Fate, type SmtpProxy, type SmtpStage, startSmtpProxy } from '../../support/smtp-proxy.ts';
import { startSmtpServer, type TestSmtpServer } from '../../support/smtp-server.ts';
import { openWorld, type World } from '../../support/world.ts';

let world: World;
let smtp: TestSmtpServer;
let proxy: SmtpProxy;
let smtpReplies: Record<string, string[]>;
let at: (stage: SmtpStage) => Fate;

beforeEach(async () => {
  smtpReplies = {};
  at = () => 'pass';
  world = await openWorld();
  smtp = await startSmtpServer({
    plain: true,
    onRecipient: (address) => smtpReplies[address]?.shift() ?? null,
  });
  proxy = await startSmtpProxy(smtp.port, (stage) => at(stage));
});
afterEach(async () => {
  await proxy.close();
  await smtp.close();
  await world.close();
});

const valley = generateDataset().accounts.find((each) => each.name === 'valley')!;
const settings = () => ({
  ACCOUNTS_FILE: '',
  SIDTOKEN: valley.token,
  ACCOUNT_NAME: 'valley',
  SMTP_URL: proxy.url,
  DIGEST_FROM: 'Callsheet <callsheet@example.com>',
  DIGEST_TO: 'ana@example.com,ben@example.com,cleo@example.com',
});
const night = (day: string) => runNight(world, day, settings());
const states = async () =>
  (
    await world.query<{ line: string }>(
      `select day || ' ' || split_part(recipient, '@', 1) || ' ' || d.state as line
       from etl.deliveries d join etl.digests using (digest_id) order by delivery_id`,
    )
  ).map(({ line }) => line);
const received = () => smtp.received.map(({ to }) => to[0]!.split('@')[0]);

describe('deliveries of a run', () => {
  it('go out in one session, each to one recipient, dated alike and with a Message-ID of its own', async () => {
    expect((await night('2026-03-03')).exitCode).toBe(0);
    expect(received()).toEqual(['ana', 'ben', 'cleo']);
    expect(smtp.connections).toBe(1);
    const mails = await Promise.all(smtp.received.map(({ raw }) => PostalMime.parse(raw)));
    expect(new Set(mails.map(({ messageId }) => messageId)).size).toBe(3);
    expect(mails.map(({ date }) => date)).toEqual(Array(3).fill('2026-03-03T06:30:00.000Z'));
  });

  it('that are deferred get another attempt in the same run, and arrive once', async () => {
    smtpReplies = { 'ben@example.com': ['450 wait', '421 busy'] };
    expect((await night('2026-03-03')).stats.deliveries).toMatchObject({ sent: 3, failed: 0 });
    expect(received()).toEqual(['ana', 'cleo', 'ben']);
  });

  it('that fail to the end of a run are left to the next, with the same Message-ID', async () => {
    smtpReplies = { 'ben@example.com': Array(3).fill('450 wait') };
    const first = await night('2026-03-03');
    expect(first).toMatchObject({ exitCode: 75, stats: { deliveries: { sent: 2, failed: 1 } } });
    const [{ message_id: id }] = (await world.query<{ message_id: string }>(
      `select message_id from etl.deliveries where state = 'failed'`,
    )) as [{ message_id: string }];
    expect(await night('2026-03-03')).toMatchObject({ exitCode: 0, stats: { deliveries: { sent: 1 } } });
    expect(smtp.received.at(-1)!.raw).toContain(id);
  });

  it('that are refused or unknown are left alone by every later run', async () => {
    smtpReplies = { 'ana@example.com': ['550 No such user'] };
    let replies = 0;
    at = (stage) => (stage === 'reply' && ++replies === 1 ? 'drop' : 'pass');
    expect((await night('2026-03-03')).stats.deliveries).toMatchObject({ sent: 1, refused: 1, unknown: 1 });
    expect(received()).toEqual(['ben', 'cleo']);
    expect((await night('2026-03-03')).exitCode).toBe(0);
    expect(received()).toEqual(['ben', 'cleo']);
    expect(await states()).toEqual([
      '2026-03-02 ana refused',
      '2026-03-02 ben unknown',
      '2026-03-02 cleo sent',
    ]);
  });

  it('are not claimed while the server cannot be reached', async () => {
    at = () => 'drop';
    expect((await night('2026-03-03')).stats.deliveries).toMatchObject({ failed: 3, unknown: 0 });
    expect(await world.query('select 1 from etl.deliveries where attempts > 0')).toEqual([]);
    expect(smtp.connections).toBe(3);
    at = () => 'pass';
    await night('2026-03-03');
    expect(received()).toEqual(['ana', 'ben', 'cleo']);
  });

  it('that an interruption cuts short stay due', async () => {
    const interruption = new AbortController();
    at = (stage) => {
      if (stage !== 'RCPT') return 'pass';
      interruption.abort(new Error('SIGTERM'));
      return 'silence';
    };
    const run = runNight(world, '2026-03-03', settings(), {}, interruption.signal);
    await expect(run).rejects.toThrow('SIGTERM');
    expect(await states()).toEqual([
      '2026-03-02 ana failed',
      '2026-03-02 ben pending',
      '2026-03-02 cleo pending',
    ]);
    at = () => 'pass';
    await night('2026-03-03');
    expect(received()).toEqual(['ana', 'ben', 'cleo']);
  });
});

describe('the command digest', () => {
  const digest = (...args: string[]) =>
    callsheet(['digest', ...args], { ...world.environment, ...settings() });

  it('repeats by --resend the digests and recipients that are given', async () => {
    smtpReplies = { 'ana@example.com': ['550 No such user'] };
    await night('2026-03-03');
    const again = await digest('--day', '2026-03-02', '--resend', '--to', 'ana@example.com');
    expect(again).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Campaigns of 2026-03-02 to ana@example\.com: sent \(/),
    });
    expect(received()).toEqual(['ben', 'cleo', 'ana']);
    expect(await digest('--day', '2026-03-02')).toMatchObject({
      code: 0,
      stdout: '2026-03-02: nothing left to send; --resend sends it again\n',
    });
    await digest('--day', '2026-03-02', '--resend');
    expect(received()).toEqual(['ben', 'cleo', 'ana', 'ana', 'ben', 'cleo']);
  });

  it('prints once why nothing can be sent, and ends with 75', async () => {
    at = () => 'drop';
    await night('2026-03-03');
    const { code, stdout } = await digest('--day', '2026-03-02');
    expect(code).toBe(75);
    expect(stdout).toMatch(/^Campaigns of 2026-03-02 to ana@example\.com: failed \([^\n]+\)\n$/);
  });

  it('--skip silences a restored backup: what is open and what may have been sent since, and nothing later', async () => {
    smtpReplies = { 'ben@example.com': Array(3).fill('450 wait') };
    await night('2026-03-03');
    await night('2026-03-04');
    // Loaded, and its digest not built yet when the backup was made; another was never delivered to Ben.
    await world.query(`update etl.deliveries set state = 'failed' where recipient = 'ben@example.com'`);
    await world.query(`delete from etl.deliveries using etl.digests
      where deliveries.digest_id = digests.digest_id and day = '2026-03-03'`);
    await world.query(`delete from etl.digests where day = '2026-03-03'`);
    // The day before went out incomplete, and its correction wasn't built yet either.
    await world.query(`update etl.digests set incomplete = true where day = '2026-03-02'`);
    const before = received();
    const line = await atInstant(world, '2026-03-04T07:00:00Z', skipAll, settings());
    expect(line).toBe('1 digest, 1 correction, 1 delivery skipped');
    expect((await callsheet(['status'], { ...world.environment, ...settings() })).stdout).not.toContain(
      'ben@example.com',
    );
    await night('2026-03-04');
    expect(received()).toEqual(before);
    await night('2026-03-05');
    expect(received()).toEqual([...before, 'ana', 'ben', 'cleo']);
    expect((await digest('--skip', '--all')).stdout).toMatch(
      /^\d+ digests, 0 corrections, 0 deliveries skipped\n$/,
    );
  });

  it('--skip of a day skips what was refused or is unknown, too', async () => {
    smtpReplies = { 'ana@example.com': ['550 No such user'] };
    let replies = 0;
    at = (stage) => (stage === 'reply' && ++replies === 1 ? 'drop' : 'pass');
    await night('2026-03-03');
    const status = async () => (await callsheet(['status'], { ...world.environment, ...settings() })).stdout;
    expect(await status()).toMatch(/Mail refused[\s\S]*Mail may not have arrived/);
    expect((await digest('--day', '2026-03-02', '--skip')).stdout).toBe(
      'Campaigns of 2026-03-02: 2 deliveries skipped\n',
    );
    expect(await status()).not.toMatch(/Mail refused|Mail may/);
    expect((await states()).map((line) => line.split(' ')[2])).toEqual(['refused', 'unknown', 'sent']);
  });

  it.each([
    [['--resend'], /--day is missing/],
    [['--skip'], /--day is missing; --skip --all skips all that is due now/],
    [['--skip', '--all', '--digest', 'Campaigns'], /--all goes with --skip alone/],
    [['--all', '--day', '2026-03-02'], /--all goes with --skip alone/],
    [['--day', '2026-03-02', '--skip', '--to', 'ana@example.com'], /--to is for sending/],
    [['--day', '2026-03-02', '--skip', '--resend'], /one at a time/],
  ])('%j makes no sense: 64', async (args, line) => {
    expect(await digest(...args)).toMatchObject({ code: 64, stderr: expect.stringMatching(line) });
  });
});

describe('a digest that is new to the settings', () => {
  it('begins with a skipped row for the newest day that is over, and goes on where it stopped if it was gone', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'callsheet-digests-'));
    try {
      const file = path.join(folder, 'digests.json');
      const write = (...names: string[]) =>
        writeFile(file, JSON.stringify(names.map((name) => ({ name, to: ['ana@example.com'] }))));
      const withFile = (day: string) =>
        runNight(world, day, { ...settings(), DIGEST_TO: '', DIGESTS_FILE: file });
      const digests = async () =>
        (
          await world.query<{ line: string }>(
            `select name || ' ' || day || ' ' || state as line from etl.digests order by day, name`,
          )
        ).map(({ line }) => line);
      await write('Old');
      for (const day of ['2026-03-03', '2026-03-04', '2026-03-05']) await withFile(day);
      await write('Old', 'New');
      await withFile('2026-03-05');
      expect(await digests()).toEqual([
        'Old 2026-03-01 skipped',
        'Old 2026-03-02 built',
        'Old 2026-03-03 built',
        'New 2026-03-04 skipped',
        'Old 2026-03-04 built',
      ]);
      await withFile('2026-03-06');
      expect((await digests()).slice(5)).toEqual(['New 2026-03-05 built', 'Old 2026-03-05 built']);
      await write('Old');
      for (const day of ['2026-03-07', '2026-03-08']) await withFile(day);
      await write('Old', 'New');
      await withFile('2026-03-09');
      expect((await digests()).slice(7)).toEqual([
        'New 2026-03-06 built',
        'Old 2026-03-06 built',
        'New 2026-03-07 built',
        'Old 2026-03-07 built',
        'New 2026-03-08 built',
        'Old 2026-03-08 built',
      ]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
