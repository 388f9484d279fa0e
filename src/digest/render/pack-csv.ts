import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream';
import { crc32, createDeflateRaw } from 'node:zlib';
import type { Day } from '../../model/day.ts';
import type { CsvAttachment } from '../../model/digest.ts';
import { zip, zipOverhead } from './zip.ts';

/**
 * Packs the CSV for a message: plain if it fits, else as a ZIP archive, else not at all. It keeps
 * about `maxBytes` in memory.
 *
 * @param file name and date of the CSV inside the archive
 */
export async function packCsv(
  csv: Readable,
  file: { readonly name: string; readonly day: Day },
  maxBytes: number,
): Promise<CsvAttachment> {
  const chunks = csv[Symbol.asyncIterator]() as AsyncIterableIterator<Buffer>;
  const plain = await takeUpTo(chunks, maxBytes);
  if (plain.ended) return { kind: 'plain', content: Buffer.concat(plain.taken) };
  const deflate = createDeflateRaw();
  const read = { size: 0, crc: 0 };
  // Errors reach the reader of `deflate`.
  pipeline(measured(rejoined(plain.taken, chunks), read), deflate, () => {});
  const packed = await takeUpTo(
    deflate[Symbol.asyncIterator]() as AsyncIterator<Buffer>,
    maxBytes - zipOverhead(file.name),
  );
  const content = packed.ended ? zip({ ...file, ...read, deflated: Buffer.concat(packed.taken) }) : null;
  if (content !== null) return { kind: 'zip', content };
  csv.destroy();
  return { kind: 'too large', maxBytes };
}

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

/** Yields the chunks read so far, releasing each, and then the rest. */
async function* rejoined(taken: Buffer[], rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for (let chunk = taken.shift(); chunk !== undefined; chunk = taken.shift()) yield chunk;
  yield* rest;
}

/** Passes the chunks on; `read` has their total size and CRC at the end. */
async function* measured(chunks: AsyncIterable<Buffer>, read: { size: number; crc: number }) {
  for await (const chunk of chunks) {
    read.size += chunk.length;
    read.crc = crc32(chunk, read.crc);
    yield chunk;
  }
}
