import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { packCsv } from '../../../src/digest/render/pack-csv.ts';
import { inChunks, unzipped } from '../unzipped.ts';

const file = { name: 'año-2026-11-19.csv', day: '2026-11-19' };

describe('the CSV of a message', () => {
  test('is attached as it is up to the limit, and compressed beyond it', async () => {
    const content = Buffer.from('"north",1\r\n'.repeat(100));
    expect(await packCsv(inChunks(content, 64), file, 1_100)).toEqual({ kind: 'plain', content });
    const packed = await packCsv(inChunks(content, 64), file, 1_099);
    if (packed.kind !== 'zip') throw new Error(packed.kind);
    expect(unzipped(packed.content)).toEqual({ name: file.name, content });
    expect(packed.content.length).toBeLessThan(1_099);
  });

  test('is whole in the archive, however much of it was read before', async () => {
    const content = Buffer.from('"north",1\r\n'.repeat(1_000));
    const packed = await packCsv(inChunks(content, 64), file, 1_000);
    if (packed.kind !== 'zip') throw new Error(packed.kind);
    expect(unzipped(packed.content)).toEqual({ name: file.name, content });
    // All of the archive counts, not only what is compressed.
    const size = packed.content.length;
    expect(await packCsv(inChunks(content, 64), file, size)).toEqual(packed);
    expect(await packCsv(inChunks(content, 64), file, size - 1)).toEqual({
      kind: 'too large',
      maxBytes: size - 1,
    });
  });

  test('isn’t attached if even compressed it is larger', async () => {
    expect(await packCsv(inChunks(randomBytes(5_000), 64), file, 1_000)).toEqual({
      kind: 'too large',
      maxBytes: 1_000,
    });
  });

  test('is read no further than that takes', async () => {
    let ended = false;
    const endless = Readable.from(
      (function* () {
        try {
          for (;;) yield randomBytes(1_000);
        } finally {
          ended = true;
        }
      })(),
    );
    expect(await packCsv(endless, file, 100_000)).toMatchObject({ kind: 'too large' });
    expect(endless.destroyed).toBe(true);
    expect(ended).toBe(true);
  });

  test('fails where it can’t be read, before the bound or after', async () => {
    const broken = (size: number) =>
      Readable.from(
        (function* () {
          yield Buffer.alloc(size, 'a');
          throw new Error('the cursor broke');
        })(),
      );
    await expect(packCsv(broken(10), file, 300)).rejects.toThrow('the cursor broke');
    await expect(packCsv(broken(400), file, 300)).rejects.toThrow('the cursor broke');
  });
});
