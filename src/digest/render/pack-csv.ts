import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream';
import { createGzip } from 'node:zlib';
import type { CsvAttachment } from '../../model/digest.ts';

/**
 * The CSV as it goes with a message: as it is where it stays within the bound, else compressed, else not at all.
 * No more than the bound is ever in memory.
 */
export async function packCsv(csv: Readable, maxBytes: number): Promise<CsvAttachment> {
  const chunks = csv[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  const plain = await takeUpTo(chunks, maxBytes);
  if (plain.ended) return { kind: 'plain', content: Buffer.concat(plain.taken) };
  const gzip = createGzip();
  const source = rejoined(plain.taken, chunks);
  // Reading from it reports how it ended.
  pipeline(source, gzip, () => {});
  const packed = await takeUpTo(gzip[Symbol.asyncIterator]() as AsyncIterator<Buffer>, maxBytes);
  if (packed.ended) return { kind: 'gzip', content: Buffer.concat(packed.taken) };
  gzip.destroy();
  csv.destroy();
  return { kind: 'too large', maxBytes };
}

/** What can be read until the end, or until it is more than the limit. */
async function takeUpTo(chunks: AsyncIterator<Buffer>, maxBytes: number) {
  const taken: Buffer[] = [];
  for (let size = 0; size <= maxBytes; ) {
    const { done, value } = await chunks.next();
    if (done) return { taken, ended: true };
    taken.push(value);
    size += value.length;
  }
  return { taken, ended: false };
}

/** What was taken already and then the rest; lets go of each chunk as it is handed on. */
async function* rejoined(taken: Buffer[], rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  for (let chunk = taken.shift(); chunk !== undefined; chunk = taken.shift()) yield chunk;
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
}
