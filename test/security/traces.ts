import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import PostalMime from 'postal-mime';
import { expect } from 'vitest';
import { readPages } from '../server/site.ts';
import type { World } from '../support/world.ts';

/** Everything that is left of a run: all it stored, all it mailed. */
export async function traces(world: World): Promise<string[]> {
  const tables = await world.query<{ name: string }>(
    `select format('%I.%I', table_schema, table_name) as name from information_schema.tables where table_schema in ('warehouse', 'etl')`,
  );
  const rows = [];
  for (const { name } of tables)
    rows.push(...(await world.query<{ row: string }>(`select t::text as row from ${name} t`)));
  const bodies = await world.query<{ zstd: Buffer }>(
    'select zstd from etl.response_bodies union all select mime from etl.mails where mime is not null',
  );
  for (const [what, { length }] of Object.entries({ tables, rows, bodies }))
    expect(length, what).toBeGreaterThan(0);
  return [
    ...rows.map(({ row }) => row),
    ...bodies.map(({ zstd }) => zstdDecompressSync(zstd).toString()),
    ...(await mails(world.outbox)),
  ];
}

export async function mails(outbox: string): Promise<string[]> {
  const texts = [];
  for (const file of await readdir(outbox).catch(() => [])) {
    const raw = await readFile(path.join(outbox, file));
    const { text, html, attachments } = await PostalMime.parse(raw, { attachmentEncoding: 'utf8' });
    texts.push(raw.toString(), text ?? '', html ?? '', ...attachments.map((each) => String(each.content)));
  }
  return texts;
}

/** The operator's page and the metrics. */
export async function pages({ databaseUrl }: World): Promise<readonly string[]> {
  return await readPages(databaseUrl, ['/', '/metrics']);
}
