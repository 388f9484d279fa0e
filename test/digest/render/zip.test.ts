import { crc32, deflateRawSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { zip } from '../../../src/digest/render/zip.ts';
import { unzipped } from '../unzipped.ts';

const content = Buffer.from('"north"\r\n');
const file = {
  name: 'año.csv',
  day: '2026-11-19',
  deflated: deflateRawSync(content),
  crc: crc32(content),
  size: content.length,
};

test('an archive has its file’s name, content and day', () => {
  const archive = zip(file)!;
  expect(unzipped(archive)).toEqual({ name: 'año.csv', content });
  const date = archive.readUInt16LE(12);
  expect([1980 + (date >> 9), (date >> 5) & 0b1111, date & 0b11111]).toEqual([2026, 11, 19]);
});

test('there is no archive of a file whose size has more than 32 bits', () => {
  expect(zip({ ...file, size: 2 ** 32 - 1 })).not.toBeNull();
  expect(zip({ ...file, size: 2 ** 32 })).toBeNull();
});
