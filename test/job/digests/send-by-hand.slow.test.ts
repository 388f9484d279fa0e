import { parse } from 'csv-parse/sync';
import PostalMime from 'postal-mime';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sendDigests } from '../../../src/job/digests/send-digests.ts';
import { generateDataset } from '../../../src/simulator/dataset.ts';
import { callsheet } from '../../support/callsheet.ts';
import { atInstant, never, runNight } from '../../support/nights.ts';
import { startSmtpServer, type TestSmtpServer } from '../../support/smtp-server.ts';
import { openWorld, type World } from '../../support/world.ts';

let world: World;
let smtp: TestSmtpServer;
let replies: Record<string, string[]>;
beforeEach(async () => {
  replies = {};
  world = await openWorld();
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
const built = async () =>
  (
    await world.query<{ line: string }>(
      `select day || ' ' || kind || ' ' || state as line from etl.digests where state = 'built' order by digest_id`,
    )
  ).map(({ line }) => line);

describe('a digest of a day that is not loaded', () => {
  it('is not built, and says why; a run sends it as if nobody had asked', async () => {
    await night('2026-03-03');
    const { code, stderr } = await digest('--day', '2026-03-03');
    expect(code).toBe(64);
    expect(stderr).toContain(
      "Campaigns of 2026-03-03 can't be built, for days aren't loaded, or not over: valley, 2026-03-03: --preview shows what is there, --resend sends it",
    );
    expect(await built()).toEqual(['2026-03-02 first built']);
    await night('2026-03-04');
    expect(await built()).toEqual(['2026-03-02 first built', '2026-03-03 first built']);
  });

  it('is sent by --resend and shown by --preview all the same', async () => {
    await night('2026-03-03');
    expect((await digest('--day', '2026-03-03', '--preview', world.outbox)).code).toBe(0);
    expect((await digest('--day', '2026-03-03', '--resend')).code).toBe(0);
    expect((await built()).slice(1)).toEqual(['2026-03-03 first built']);
    await night('2026-03-04');
    expect((await built()).slice(2)).toEqual(['2026-03-03 corrected built']);
    const subjects = smtp.received.map(({ raw }) => /^Subject: (.*)$/m.exec(raw)?.[1] ?? '');
    expect(subjects.slice(-4)).toEqual([
      ...Array(2).fill(expect.stringMatching(/^Incomplete: Campaigns, Tue 3 Mar/)),
      ...Array(2).fill(expect.stringMatching(/^Corrected: Campaigns, Tue 3 Mar/)),
    ]);
  });

  it('is sent without --resend by a new digest that begins after that day, and nothing older follows', async () => {
    await night('2026-03-03');
    await night('2026-03-04');
    await world.query('delete from etl.deliveries');
    await world.query('delete from etl.digests');
    const sent = smtp.received.length;
    const byHand = { command: 'digest', day: '2026-03-02', to: null, again: false };
    await atInstant(
      world,
      '2026-03-04T08:00:00Z',
      (app) => sendDigests(app, { ...byHand, digests: app.config.digests }, never, () => {}),
      settings(),
    );
    await night('2026-03-05');
    expect(await built()).toEqual(['2026-03-02 first built', '2026-03-04 first built']);
    expect(smtp.received).toHaveLength(sent + 4);
  });
});

it('an address that is no recipient is an error, and nothing is built', async () => {
  await night('2026-03-03');
  for (const args of [
    ['--day', '2026-03-02', '--resend'],
    ['--day', '2026-03-03', '--resend'],
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
    replies = { 'ana@example.com': [...refused], 'ben@example.com': [...refused, ...refused] };
    await runNight(world, '2026-03-03', { ...settings(), SIDTOKEN: 'expired' });
    expect(await unsent()).toEqual(['ana@example.com refused', 'ben@example.com refused']);
    await night('2026-03-04');
    expect(await built()).toContain('2026-03-02 corrected built');
    expect(await unsent()).toEqual(['ben@example.com refused']);
    // The correction is in the mail of the next day.
    await digest('--day', '2026-03-03', '--resend', '--to', 'ben@example.com');
    expect(await unsent()).toEqual([]);
  });
});

describe('the morning after an outage', () => {
  const mails = async () => {
    const own = smtp.received.filter(({ to }) => to[0] === 'ana@example.com');
    return await Promise.all(own.map(async ({ raw }) => await PostalMime.parse(raw)));
  };
  const subjects = async () => (await mails()).map(({ subject }) => /^(.*?): \d/.exec(subject!)?.[1]);

  it('is one mail, of the newest day in full, with the days before it and the correction in table and CSV', async () => {
    await runNight(world, '2026-03-03', { ...settings(), SIDTOKEN: 'expired' });
    await night('2026-03-06');
    await night('2026-03-06');
    const [first, second, ...others] = await mails();
    expect([first!.subject, second!.subject]).toEqual([
      'Incomplete: Campaigns, Mon 2 Mar: nothing loaded',
      expect.stringMatching(/^Campaigns, Thu 5 Mar: /),
    ]);
    expect(others).toEqual([]);
    const [, table] = second!.text!.split('EARLIER PERIODS AND CORRECTIONS\n');
    expect(
      table!
        .split('\n\n')[0]!
        .split('\n')
        .map((line) => line.replace(/^.*%/, '').trim()),
    ).toEqual([expect.stringMatching(/Period$/), 'Mon 2 Mar (corrected)', 'Tue 3 Mar', 'Wed 4 Mar']);
    const csv = second!.attachments.find(({ mimeType }) => mimeType === 'text/csv')!;
    const rows = parse<{ day: string }>(Buffer.from(csv.content as ArrayBuffer), {
      columns: true,
      bom: true,
    });
    const days = ['2026-03-02', '2026-03-03', '2026-03-04', '2026-03-05'];
    expect([...new Set(rows.map(({ day }) => day))]).toEqual(days);
    await night('2026-03-07');
    expect(await subjects()).toEqual([undefined, 'Campaigns, Thu 5 Mar', 'Campaigns, Fri 6 Mar']);
  });

  it('leaves each of these days to --preview, and to --resend, which sends it by itself', async () => {
    await runNight(world, '2026-03-03', { ...settings(), SIDTOKEN: 'expired' });
    await night('2026-03-06');
    for (const day of ['2026-03-02', '2026-03-04']) {
      const nothing = await digest('--day', day);
      expect([nothing.code, nothing.stdout]).toEqual([
        0,
        `${day}: nothing left to send; --resend sends it again\n`,
      ]);
      const preview = await digest('--day', day, '--preview', world.outbox);
      expect([preview.code, preview.stdout]).toEqual([0, expect.stringContaining(`campaigns-${day}.csv`)]);
      expect((await digest('--day', day, '--resend')).code).toBe(0);
    }
    expect((await subjects()).slice(2)).toEqual(['Corrected: Campaigns, Mon 2 Mar', 'Campaigns, Wed 4 Mar']);
    await night('2026-03-07');
    expect((await subjects()).slice(4)).toEqual(['Campaigns, Fri 6 Mar']);
  });
});
