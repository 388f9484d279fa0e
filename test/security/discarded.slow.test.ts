import { zstdDecompressSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { callsheet } from '../support/callsheet.ts';
import { openWorld } from '../support/world.ts';

it.each([
  ['a response that is invalid', 200, 1_000_000],
  ['an error', 500, 64_000],
])('of %s the archive keeps the beginning, and says that it is cut', async (_, status, kept) => {
  const body = `<html>${'x'.repeat(3_000_000)}`;
  const world = await openWorld({
    intercept: ({ operation }) => (operation === 'campaignSummary' ? { status, body } : undefined),
  });
  try {
    const run = ['run', '--day', '2026-03-02', '--account', 'valley'];
    expect((await callsheet(run, world.environment)).code).toBe(69);
    const rows = await world.query<{ zstd: Buffer }>(`
      select zstd from etl.responses join etl.response_bodies using (sha256) where decision = 'discarded'`);
    expect(rows.length).toBeGreaterThan(1);
    for (const { zstd } of rows) {
      const text = zstdDecompressSync(zstd).toString();
      expect(text).toBe(`${body.slice(0, kept)}\n[cut by callsheet after ${kept} characters]`);
    }
  } finally {
    await world.close();
  }
});
