import { mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { parse } from 'csv-parse/sync';
import PostalMime from 'postal-mime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../../src/config/load.ts';
import { previewDigest } from '../../../src/job/digests/preview-digest.ts';
import type { AppContext } from '../../../src/job/run/app-context.ts';
import { periodOf } from '../../../src/model/period.ts';
import { createRedactor } from '../../../src/support/redaction.ts';
import { openWarehouse } from '../../../src/warehouse/db/database.ts';
import { callsheet } from '../../support/callsheet.ts';
import { openWorld, type World } from '../../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
  const days = ['--from', '2026-03-07', '--to', '2026-03-10'];
  expect((await callsheet(['backfill', ...days], world.environment)).code).toBe(0);
  // For the clients.
  const walk = ['run', '--day', '2026-03-10', '--no-digest'];
  expect((await callsheet(walk, world.environment)).code).toBe(0);
});
afterAll(() => world.close());

/** Previews a digest as a person would; the files by what follows the digest's name and day. */
async function preview(environment = world.environment, day = '2026-03-10', into: string | null = null) {
  const folder = into ?? (await mkdtemp(path.join(world.folder, 'preview-')));
  const args = ['digest', '--day', day, '--preview', folder];
  const { code, stdout, stderr } = await callsheet(args, environment);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const files = stdout.trim().split('\n');
  expect(files.map((file) => path.basename(file)).sort()).toEqual((await readdir(folder)).sort());
  const contents = await Promise.all(files.map((file) => readFile(file)));
  const endings = files.map((file) => /\d(\D+)$/.exec(file)![1]!);
  return Object.fromEntries(endings.map((ending, index) => [ending, contents[index]!]));
}

async function digestsFile(definition: object) {
  const file = path.join(world.folder, 'digests.json');
  await writeFile(file, JSON.stringify([{ name: 'Campaigns', to: 'ana@example.com', ...definition }]));
  const { DIGEST_TO: _, ...environment } = world.environment;
  return { ...environment, DIGESTS_FILE: file };
}

describe('a preview', () => {
  it('is the same bytes for the same warehouse', async () => {
    const files = await preview();
    expect(Object.keys(files).sort()).toEqual(['.csv', '.eml', '.html', '.txt']);
    expect(await preview()).toEqual(files);
  });

  it('is whole where others write into the same folder at once', async () => {
    const folder = path.join(world.folder, 'shared');
    const files = await preview();
    const { config } = loadConfig(world.environment, { service: false }, createRedactor());
    // One connection: while one reads the figures, the others are between writing and reading their files.
    const warehouse = openWarehouse(world.databaseUrl, 1);
    const digest = config.digests[0]!;
    const often = async () => {
      for (let times = 0; times < 5; times++)
        await previewDigest(
          { warehouse, config } as AppContext,
          digest,
          periodOf('day', '2026-03-10'),
          folder,
        );
    };
    await Promise.all([often(), often(), often()]);
    await warehouse.destroy();
    const names = await readdir(folder);
    expect(names.map((name) => path.extname(name)).sort()).toEqual(Object.keys(files).sort());
    for (const name of names)
      expect(await readFile(path.join(folder, name))).toEqual(files[path.extname(name)]);
  });

  it('is the message as it would be sent, and its parts', async () => {
    const files = await preview();
    const mail = await PostalMime.parse(files['.eml']!);
    expect(mail.subject).toMatch(/^Campaigns, Tue 10 Mar: [\d.]+% connected, [\d,]+ attempts$/);
    expect(mail.text?.trim()).toBe(files['.txt']!.toString().trim());
    const [chart, csv] = mail.attachments.map(({ content }) => Buffer.from(content as ArrayBuffer));
    expect(csv).toEqual(files['.csv']);
    const page = mail.html!.replace(
      'cid:chart@callsheet',
      `data:image/png;base64,${chart!.toString('base64')}`,
    );
    expect(files['.html']!.toString().trim()).toBe(page.trim());
  });

  it('has figures that are the sums of its rows, and says through which day it is complete', async () => {
    const files = await preview();
    const rows = parse<{ attempts: string }>(files['.csv']!, { columns: true, bom: true });
    const attempts = rows.reduce((sum, row) => sum + Number(row.attempts), 0);
    const text = files['.txt']!.toString();
    expect(text).toContain(`Attempts: ${attempts.toLocaleString('en-GB')} (${rows.length} campaigns)`);
    expect(text).toContain('Complete through Tuesday 10 March 2026.');
  });

  it('shows what a digest of DIGESTS_FILE is set to show', async () => {
    await world.query(`update etl.campaign_days set extra = '{"cost": 12.5}' where day = '2026-03-10'`);
    await world.query(`update warehouse.clients set balance = -1 where (account_id, client_id) in
      (select account_id, min(client_id) from warehouse.clients group by 1)`);
    const [{ name }] = (await world.query<{ name: string }>(
      'select name from warehouse.accounts order by 1 limit 1',
    )) as [{ name: string }];
    const files = await preview(
      await digestsFile({ accounts: [name], locale: 'es', extra_fields: ['cost'], low_balance: 0 }),
    );
    const [row] = parse<Record<string, string>>(files['.csv']!, { columns: true, bom: true, delimiter: ';' });
    expect(row).toMatchObject({ account: name, cost: '12,5' });
    const text = files['.txt']!.toString();
    expect(text).toContain('martes 10 de marzo de 2026');
    expect(text).toMatch(/\d+ saldos? por debajo de 0,00\./);
  });
});

describe('a digest with more rows than a message takes', () => {
  const rows = 9_000;
  beforeAll(async () => {
    await world.query(
      `insert into etl.campaign_days (account_id, day, callset_id, campaign, attempts, busies, connects, live_answers, loaded_at)
       select account_id, '2026-03-09', 100000000 + n, 'campaign', n, 1, 1, 1, now()
       from warehouse.accounts, generate_series(1, $1::int) n`,
      [rows],
    );
  });
  const small = () => ({ ...world.environment, DIGEST_MAX_MB: '1' });

  it('has those that fit, says whom to ask for the rest, and the preview’s CSV is whole', async () => {
    const files = await preview(small(), '2026-03-09');
    const mail = await PostalMime.parse(files['.eml']!);
    const attachment = Buffer.from(mail.attachments.at(-1)!.content as ArrayBuffer);
    expect(attachment.length).toBeLessThan(1_000_000);
    const lines = attachment.toString().trim().split('\r\n');
    expect(lines.at(-1)).toMatch(/^"The rest does not fit into a mail: ask .+ for the whole file\."$/);
    expect(files['.csv']!.toString()).toContain(lines.at(-2));
    expect(mail.text!.replaceAll(/\s+/g, ' ')).toContain(
      'too many for one mail: the attached CSV has the first.',
    );
    expect(parse(files['.csv']!, { columns: true, bom: true }).length).toBeGreaterThan(3 * rows);
  });
});
