import { Readable } from 'node:stream';
import { crc32, inflateRawSync } from 'node:zlib';

/** The one file of a ZIP archive, found as programs find it: from the end of the archive to its directory. */
export function unzipped(archive: Uint8Array): { readonly name: string; readonly content: Buffer } {
  const bytes = Buffer.from(archive);
  const end = bytes.lastIndexOf(Buffer.from('PK\x05\x06'));
  if (bytes.readUInt16LE(end + 10) !== 1) throw new Error('not one file');
  const central = bytes.readUInt32LE(end + 16);
  if (bytes.toString('latin1', central, central + 4) !== 'PK\x01\x02') throw new Error('no directory');
  const [crc, packed, size] = [16, 20, 24].map((at) => bytes.readUInt32LE(central + at)) as [
    number,
    number,
    number,
  ];
  const local = bytes.readUInt32LE(central + 42);
  const nameLength = bytes.readUInt16LE(local + 26);
  const start = local + 30 + nameLength + bytes.readUInt16LE(local + 28);
  const content = inflateRawSync(bytes.subarray(start, start + packed));
  if (content.length !== size || crc32(content) !== crc) throw new Error('damaged');
  return { name: bytes.toString('utf8', local + 30, local + 30 + nameLength), content };
}

/** A file as it is read: in pieces. */
export const inChunks = (content: Buffer, size: number) =>
  Readable.from(
    (function* () {
      for (let at = 0; at < content.length; at += size) yield content.subarray(at, at + size);
    })(),
  );
