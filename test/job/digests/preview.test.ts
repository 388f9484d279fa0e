import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parse } from 'csv-parse/sync';
import PostalMime from 'postal-mime';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { previewDigest } from '../../../src/job/digests/preview-digest.ts';
import { periodOf } from '../../../src/model/period.ts';
import { atInstant } from '../../support/nights.ts';
import type { World } from '../../support/world.ts';
import { openValley, type Valley } from './valley.ts';

let valley: Valley;
beforeAll(async () => {
  valley = await openValley();
});
beforeEach(() => valley.restore());
afterAll(() => valley.close());

const folder = () => path.join(valley.folder, 'preview');

/** Previews the digest of 3 March; the files by their endings. */
async function preview(settings: World['environment'] = {}) {
  const files = await atInstant(
    valley,
    '2026-03-04T08:00:00Z',
    (app) => previewDigest(app, app.config.digests[0]!, periodOf('day', '2026-03-03'), folder()),
    { ...valley.settings, ...settings },
  );
  expect(files.map((file) => path.basename(file)).sort()).toEqual((await readdir(folder())).sort());
  const contents = await Promise.all(files.map((file) => readFile(file)));
  return Object.fromEntries(files.map((file, index) => [path.extname(file), contents[index]!]));
}

/** Adds 9,000 campaigns to the day, whose names are as long as the expression says of the n-th. */
const addCampaigns = (nameLength: string) =>
  valley.query(
    `insert into etl.campaign_days (account_id, day, callset_id, campaign, attempts, loaded_at)
     select account_id, '2026-03-03', 100000000 + n, repeat('x', ${nameLength}), n, now()
     from warehouse.accounts, generate_series(1, 9000) n`,
  );

it('a preview is the message as it would be sent, and its parts', async () => {
  const files = await preview();
  const mail = await PostalMime.parse(files['.eml']!);
  expect(mail.subject).toMatch(/^Campaigns, Tue 3 Mar: [\d.]+% connected, [\d,]+ attempts$/);
  expect(mail.text?.trim()).toBe(files['.txt']!.toString().trim());
  const [csv] = mail.attachments.map(({ content }) => Buffer.from(content as ArrayBuffer));
  expect(csv).toEqual(files['.csv']);
  expect(files['.html']!.toString().trim()).toBe(mail.html!.trim());
});

it('a preview is for its owner alone, even where others could read the last one', async () => {
  await preview();
  const files = (await readdir(folder())).map((file) => path.join(folder(), file));
  for (const file of files) {
    await rm(file);
    await writeFile(file, '', { mode: 0o644 });
  }
  await preview();
  const modes = await Promise.all([folder(), ...files].map(async (each) => (await stat(each)).mode & 0o777));
  expect(modes).toEqual([0o700, 0o600, 0o600, 0o600, 0o600]);
});

it('a digest of DIGESTS_FILE shows what it is set to show', async () => {
  await valley.query(`update etl.campaign_days set extra = '{"cost": 12.5}' where day = '2026-03-03'`);
  await valley.query(
    `update warehouse.clients set balance = -1 where client_id = (select min(client_id) from warehouse.clients)`,
  );
  const digest = {
    name: 'Campaigns',
    to: 'ana@example.com',
    locale: 'es',
    extra_fields: ['cost'],
    low_balance: 0,
  };
  const file = path.join(valley.folder, 'digests.json');
  await writeFile(file, JSON.stringify([digest]));
  const files = await preview({ DIGEST_TO: '', DIGESTS_FILE: file });
  const [row] = parse<Record<string, string>>(files['.csv']!, { columns: true, bom: true, delimiter: ';' });
  expect(row).toMatchObject({ account: 'valley', cost: '12,5' });
  const text = files['.txt']!.toString();
  expect(text).toContain('Martes 3 de marzo de 2026');
  expect(text).toMatch(/\d+ saldos? por debajo de 0,00\./);
});

it('a digest with more rows than DIGEST_MAX_MB has those that fit, and the CSV of its preview is whole', async () => {
  await addCampaigns('100');
  const files = await preview({ DIGEST_MAX_MB: '1' });
  const mail = await PostalMime.parse(files['.eml']!);
  const lines = Buffer.from(mail.attachments.at(-1)!.content as ArrayBuffer)
    .toString()
    .trim()
    .split('\r\n');
  expect(lines.at(-1)).toMatch(
    /^"The rest does not fit into the mail. To get the complete file, reply to the mail\."$/,
  );
  expect(files['.csv']!.toString()).toContain(lines.at(-2));
  expect(files['.csv']!.toString().trim().split('\r\n').length).toBeGreaterThan(9_000);
  expect(lines.length).toBeLessThan(9_000);
  expect(files['.eml']!.length).toBeLessThan(1_000_000);
  expect(files['.eml']!.length).toBeGreaterThan(900_000);
  await valley.query('delete from etl.campaign_days where callset_id > 100000000');
});

it('a message that is too large by its texts alone has fewer rows, too', async () => {
  // Pages of the CSV fill its share of the message almost to the end, so the texts go beyond it.
  await addCampaigns('case when n > 20 then 100 else 3000 end');
  const files = await preview({ DIGEST_MAX_MB: '1' });
  expect(files['.eml']!.length).toBeLessThan(1_000_000);
  expect(files['.eml']!.length).toBeGreaterThan(500_000);
  await valley.query('delete from etl.campaign_days where callset_id > 100000000');
});
