import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import PostalMime from 'postal-mime';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { skipAll, skipOne } from '../../../src/job/digests/make-digests.ts';
import { openValley, type Valley } from './valley.ts';

let valley: Valley;
beforeAll(async () => {
  valley = await openValley();
});
beforeEach(() => valley.restore());
afterAll(() => valley.close());

const night = '2026-03-04';

describe('deliveries of a run', () => {
  it('go out in one session, each to one recipient, dated alike and with a Message-ID of its own', async () => {
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

  it('that fail to the end of a run are left to the next, with the same Message-ID', async () => {
    valley.server.refusals = { 'ben@example.com': Array(3).fill('450 wait') };
    const first = await valley.night(night);
    expect(first).toMatchObject({ exitCode: 75, stats: { deliveries: { sent: 1, failed: 1 } } });
    const [failed] = await valley.query<{ message_id: string }>(
      `select message_id from etl.deliveries where state = 'failed'`,
    );
    expect(await valley.night(night)).toMatchObject({ exitCode: 0, stats: { deliveries: { sent: 1 } } });
    expect(valley.mails().at(-1)!.raw).toContain(failed!.message_id);
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
  // The day before went out incomplete, and its correction wasn't built yet when the backup was made.
  await valley.query(
    `update etl.digests set state = 'built', incomplete = true, reported = '[]' where state = 'skipped'`,
  );
  await valley.query(
    `insert into etl.deliveries (digest_id, recipient, message_id, state)
     select digest_id, 'ana@example.com', '<1@x>', 'sent' from etl.digests where incomplete`,
  );
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
