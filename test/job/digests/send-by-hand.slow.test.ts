import PostalMime from 'postal-mime';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { generateDataset } from '../../../src/simulator/dataset.ts';
import { callsheet } from '../../support/callsheet.ts';
import { changing } from '../../support/changing.ts';
import { runNight } from '../../support/nights.ts';
import { startSmtpServer, type TestSmtpServer } from '../../support/smtp-server.ts';
import { openWorld, type World } from '../../support/world.ts';

let world: World;
let smtp: TestSmtpServer;
let service: ReturnType<typeof changing>;
let replies: Record<string, string[]>;
beforeEach(async () => {
  replies = {};
  service = changing();
  world = await openWorld({ dataset: service.dataset });
  smtp = await startSmtpServer({ plain: true, onRecipient: (address) => replies[address]?.shift() ?? null });
});
afterEach(async () => {
  await smtp.close();
  await world.close();
});

const valley = generateDataset().accounts.find(({ name }) => name === 'valley')!;
const settings = () => ({
  ACCOUNTS_FILE: '',
  SIDTOKEN: valley.token,
  ACCOUNT_NAME: 'valley',
  SMTP_URL: smtp.url,
  DIGEST_FROM: 'Callsheet <callsheet@example.com>',
  DIGEST_TO: 'ana@example.com,ben@example.com',
});
const night = (day: string) => runNight(world, day, settings());
const digest = (...args: string[]) => callsheet(['digest', ...args], { ...world.environment, ...settings() });
const received = () => smtp.received.map(({ to }) => to[0]!.split('@')[0]);
const built = async () =>
  (
    await world.query<{ line: string }>(
      `select day || ' ' || kind || ' ' || state as line from etl.digests order by digest_id`,
    )
  ).map(({ line }) => line);

describe('a digest of a day that is not loaded', () => {
  it('is not built, and says why; a run sends it as if nobody had asked', async () => {
    await night('2026-03-03');
    const { code, stderr } = await digest('--day', '2026-03-03');
    expect(code).toBe(64);
    expect(stderr).toContain(
      "Campaigns of 2026-03-03 can't be built, for days aren't loaded, or not over: valley, 2026-03-03: --force sends what is there",
    );
    expect(await built()).toEqual(['2026-03-02 first built']);
    await night('2026-03-04');
    expect(await built()).toEqual(['2026-03-02 first built', '2026-03-03 first built']);
  });

  it('is sent by --force, as often as that is asked and to nobody else, beside the digest that follows', async () => {
    await night('2026-03-03');
    const before = received();
    const force = ['--day', '2026-03-03', '--force', '--to', 'ben@example.com'];
    for (const _ of ['once', 'again'])
      expect(await digest(...force)).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/^Campaigns of 2026-03-03 to ben@example\.com: sent \(/),
      });
    expect(received()).toEqual([...before, 'ben', 'ben']);
    await night('2026-03-04');
    expect(received()).toEqual([...before, 'ben', 'ben', 'ana', 'ben']);
    const mails = await Promise.all(
      smtp.received.slice(before.length).map(({ raw }) => PostalMime.parse(raw)),
    );
    expect(new Set(mails.map(({ messageId }) => messageId)).size).toBe(4);
    expect(mails.map(({ subject }) => / \(incomplete\)$/.test(subject!))).toEqual([true, true, false, false]);
    // What follows is no corrected one.
    expect(mails.map(({ text }) => /whole digest follows|corrected/i.exec(text!)?.[0])).toEqual([
      'whole digest follows',
      'whole digest follows',
      undefined,
      undefined,
    ]);
    expect((await built()).slice(1)).toEqual([
      '2026-03-03 forced built',
      '2026-03-03 forced built',
      '2026-03-03 first built',
    ]);
  });

  it('waits for the next run where it was deferred, and is no alert where it was refused', async () => {
    await night('2026-03-03');
    replies = { 'ana@example.com': ['450 wait'], 'ben@example.com': ['550 No such user'] };
    expect((await digest('--day', '2026-03-03', '--force')).code).toBe(75);
    await night('2026-03-04');
    const states = await world.query(
      `select kind, recipient, d.state, d.reply from etl.deliveries d join etl.digests using (digest_id)
       where day = '2026-03-03' and kind = 'forced' order by 2`,
    );
    expect(states).toEqual([
      expect.objectContaining({ recipient: 'ana@example.com', state: 'sent' }),
      expect.objectContaining({ recipient: 'ben@example.com', state: 'refused' }),
    ]);
    const { stdout } = await callsheet(['status', '--json'], { ...world.environment, ...settings() });
    expect(JSON.parse(stdout).unsent).toEqual([]);
  });

  it('is sent by --resend and shown by --preview all the same', async () => {
    await night('2026-03-03');
    expect((await digest('--day', '2026-03-03', '--preview', world.outbox)).code).toBe(0);
    expect((await digest('--day', '2026-03-03', '--resend')).code).toBe(0);
    expect((await built()).slice(1)).toEqual(['2026-03-03 first built']);
  });

  it('does not become a forced one where it is loaded, sent or not', async () => {
    await night('2026-03-03');
    expect((await digest('--day', '2026-03-02', '--force')).stdout).toContain('nothing left to send');
    expect(await built()).toEqual(['2026-03-02 first built']);
  });
});

it('an address that is no recipient is an error, and nothing is built', async () => {
  await night('2026-03-03');
  for (const args of [
    ['--day', '2026-03-02', '--resend'],
    ['--day', '2026-03-03', '--force'],
  ]) {
    const { code, stderr } = await digest(...args, '--to', 'cleo@example.com');
    expect(code).toBe(64);
    expect(stderr).toMatch(
      /cleo@example\.com is no recipient: Campaigns of 2026-03-0\d goes to ana@example\.com, ben@example\.com/,
    );
  }
  expect(await built()).toEqual(['2026-03-02 first built']);
});

describe('a message that was refused', () => {
  const unsent = async () => {
    const { stdout } = await callsheet(['status', '--json'], { ...world.environment, ...settings() });
    return JSON.parse(stdout).unsent.map(
      ({ recipient, state }: Record<string, string>) => `${recipient} ${state}`,
    );
  };

  it('is over once it was sent again', async () => {
    replies = { 'ana@example.com': ['550 No such user'] };
    await night('2026-03-03');
    expect(await unsent()).toEqual(['ana@example.com refused']);
    await digest('--day', '2026-03-02', '--resend', '--to', 'ana@example.com');
    expect(await unsent()).toEqual([]);
  });

  it('is over once its recipient has the correction, and no sooner', async () => {
    const refused = ['550 No such user'];
    replies = { 'ana@example.com': [...refused], 'ben@example.com': [...refused] };
    await night('2026-03-03');
    service.changes.campaigns = (list, _, day) =>
      day === '2026-03-02' ? list.map((each) => ({ ...each, attempts: each.attempts * 2 })) : list;
    await night('2026-03-04');
    expect(await unsent()).toEqual(['ana@example.com refused', 'ben@example.com refused']);
    replies = { 'ben@example.com': [...refused] };
    await night('2026-03-05');
    expect((await built()).at(-1)).toBe('2026-03-02 corrected built');
    expect(await unsent()).toEqual(['ben@example.com refused']);
    await digest('--day', '2026-03-02', '--resend', '--to', 'ben@example.com');
    expect(await unsent()).toEqual([]);
  });
});
