import type { Day } from '../../model/day.ts';

/** A compressed file: `deflated` is raw deflate; `crc` and `size`, in bytes, belong to the plain content. */
export type DeflatedFile = {
  readonly name: string;
  /** Date of the file in the archive, so that the same file makes the same bytes. */
  readonly day: Day;
  readonly deflated: Buffer;
  readonly crc: number;
  readonly size: number;
};

/** Larger sizes need ZIP64, which not every program reads. */
const maxFileSize = 2 ** 32 - 1;

/** Bytes that an archive adds to its deflated file. */
export const zipOverhead = (name: string): number => 98 + 2 * Buffer.byteLength(name);

/**
 * Builds a ZIP archive of one file (PKWARE's APPNOTE 6.3.3: local header, content, central directory, its end); null if
 * the file is 4 GiB or larger.
 */
export function zip(file: DeflatedFile): Buffer | null {
  if (file.size > maxFileSize) return null;
  const name = Buffer.from(file.name);
  const local = Buffer.concat([header('PK\x03\x04', commonFields(file)), name, file.deflated]);
  const central = Buffer.concat([
    header('PK\x01\x02', [[2, 20], ...commonFields(file), [2, 0], [2, 0], [2, 0], [4, 0], [4, 0]]),
    name,
  ]);
  const end = header('PK\x05\x06', [
    [2, 0],
    [2, 0],
    [2, 1],
    [2, 1],
    [4, central.length],
    [4, local.length],
    [2, 0],
  ]);
  return Buffer.concat([local, central, end]);
}

type Field = readonly [bytes: number, value: number];

function commonFields({ name, day, deflated, crc, size }: DeflatedFile): Field[] {
  const { year, month, day: date } = Temporal.PlainDate.from(day);
  return [
    // Needs version 2.0 to extract.
    [2, 20],
    // The name is UTF-8.
    [2, 0x0800],
    // Deflate.
    [2, 8],
    // At midnight.
    [2, 0],
    [2, ((year - 1980) << 9) | (month << 5) | date],
    [4, crc],
    [4, deflated.length],
    [4, size],
    [2, Buffer.byteLength(name)],
    // No extra field.
    [2, 0],
  ];
}

function header(signature: string, fields: readonly Field[]): Buffer {
  const bytes = fields.map(([width, value]) => {
    const field = Buffer.alloc(width);
    field.writeUIntLE(value, 0, width);
    return field;
  });
  return Buffer.concat([Buffer.from(signature, 'latin1'), ...bytes]);
}
