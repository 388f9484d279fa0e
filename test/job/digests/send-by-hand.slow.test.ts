import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type SendRequest, sendDigests } from '../../../src/job/digests/send-digests.ts';
import { unsentMail } from '../../../src/warehouse/outbox/deliveries.ts';
import { callsheet } from '../../support/callsheet.ts';
import { never } from '../../support/nights.ts';
import { openValley, type Valley } from './valley.ts';

let valley: Valley;
beforeAll(async () => {
  valley = await openValley();
});
beforeEach(() => valley.restore());
afterAll(() => valley.close());

/** Does what `digest --day DAY` does at eight; returns who got which digest. */
async function send(day: string, part: Partial<SendRequest> = {}, on = '2026-03-04'): Promise<string[]> {
  const lines: string[] = [];
  await valley.at(`${on}T08:00:00Z`, (app) =>
    sendDigests(
      app,
      { command: 'digest', digests: app.config.digests, day, to: null, again: false, ...part },
      never,
      (digest, recipient, outcome) => lines.push(`${digest.day} ${recipient} ${outcome.state}`),
    ),
  );
  return lines;
}

const subjects = () => valley.mails().map(({ raw }) => /^Subject: (.*)$/m.exec(raw)![1]);

it('what was sent is repeated by --resend alone, for the recipient that is named', async () => {
  valley.server.refusals = { 'ana@example.com': ['550 No such user'] };
  await valley.night('2026-03-04');
  expect(await send('2026-03-03', { to: 'ben@example.com' })).toEqual([]);
  expect(await send('2026-03-03')).toEqual(['2026-03-03 ana@example.com sent']);
  expect(valley.received()).toEqual(['ben', 'ana']);
  await send('2026-03-03', { again: true });
  expect(valley.received()).toEqual(['ben', 'ana', 'ana', 'ben']);
});

it('a digest that was rehearsed into a folder goes to the recipients that the settings name since', async () => {
  await valley.night('2026-03-04', { SMTP_URL: '', DIGEST_TO: '', OUTBOX_DIR: valley.outbox });
  const { stats } = await valley.night('2026-03-04');
  expect(stats.noMail).toMatch(/ by hand: npm start -- digest --day 2026-03-03$/);
  expect(await send('2026-03-03')).toEqual([
    '2026-03-03 ana@example.com sent',
    '2026-03-03 ben@example.com sent',
  ]);
  expect(await send('2026-03-03', { again: true, to: 'BEN@example.com' })).toEqual([
    '2026-03-03 ben@example.com sent',
  ]);
});

it('an unreachable server is reported once', async () => {
  await valley.night('2026-03-04');
  valley.server.at = () => 'drop';
  expect(await send('2026-03-03', { again: true })).toEqual(['2026-03-03 ana@example.com failed']);
});

it('a day that isn’t loaded is sent by --resend, as incomplete, and corrected by the run that loads it', async () => {
  await valley.night('2026-03-04');
  const refused = send('2026-03-04', {}, '2026-03-05');
  await expect(refused).rejects.toThrow(
    'Campaigns of 2026-03-04 is not complete: days are not loaded or not over (valley, 2026-03-04)',
  );
  expect(await valley.built()).toEqual(['Campaigns 2026-03-03 first']);
  await send('2026-03-04', { again: true }, '2026-03-05');
  await valley.night('2026-03-05');
  expect((await valley.built()).slice(1)).toEqual([
    'Campaigns 2026-03-04 first incomplete',
    'Campaigns 2026-03-04 corrected',
  ]);
  expect(subjects().slice(2)).toEqual([
    ...Array(2).fill(expect.stringMatching(/^Incomplete: Campaigns, Wed 4 Mar/)),
    ...Array(2).fill(expect.stringMatching(/^Corrected: Campaigns, Wed 4 Mar/)),
  ]);
});

it('a digest that is new is sent without --resend, and nothing older follows', async () => {
  await valley.query('truncate etl.digest_starts, etl.mails, etl.mailed_periods cascade');
  await send('2026-03-03');
  await valley.night('2026-03-05');
  expect(await valley.built()).toEqual(['Campaigns 2026-03-03 first', 'Campaigns 2026-03-04 first']);
});

it('a day that was sent with another is sent by itself by --resend alone', async () => {
  await valley.restore('2026-03-01');
  await valley.night('2026-03-04');
  expect(await send('2026-03-02')).toEqual([]);
  await send('2026-03-02', { again: true, to: 'ana@example.com' });
  expect(subjects().at(-1)).toMatch(/^Campaigns, Mon 2 Mar/);
});

it('an address that is no recipient is an error, and nothing is built', async () => {
  for (const day of ['2026-03-03', '2026-03-04'])
    await expect(send(day, { again: true, to: 'cleo@example.com' }, '2026-03-05')).rejects.toThrow(
      `cleo@example.com is not a recipient: Campaigns of ${day} goes to ana@example.com, ben@example.com`,
    );
  expect(await valley.built()).toEqual([]);
});

it('mail that was given up is over once its recipient has the correction, though in the mail of another day', async () => {
  valley.server.refusals = { 'ana@example.com': ['550 5.1.1 No such user'] };
  await valley.query(`delete from etl.windows`);
  await valley.night('2026-03-04', { SIDTOKEN: 'expired' });
  await valley.query(`update etl.deliveries set state = 'given_up' where state = 'failed'`);
  const unsent = () =>
    valley.at('2026-03-05T08:00:00Z', ({ warehouse, config }) => unsentMail(warehouse, config.digests));
  expect((await unsent()).map(({ recipient }) => recipient)).toEqual(['ana@example.com']);
  await valley.night('2026-03-05');
  expect((await valley.built()).at(-1)).toBe('Campaigns 2026-03-04 first');
  expect(await unsent()).toEqual([]);
});

it.each([
  [['--skip'], /--day is missing; --skip --all skips all that is due now/],
  [['--all', '--day', '2026-03-02'], /--all' cannot be used with option '--day/],
  [
    ['--day', '2026-03-02', '--skip', '--to', 'ana@example.com'],
    /--to <ADDRESS>' cannot be used with option '--skip'/,
  ],
])('`digest` with %j exits with 64', async (args, line) => {
  const { code, stderr } = await callsheet(['digest', ...args], valley.environment);
  expect([code, stderr]).toEqual([64, expect.stringMatching(line)]);
});
