import type { Day } from '../../model/day.ts';

/** A file that is compressed already: `deflated` is its content as raw deflate, the rest is of the plain content. */
export type DeflatedFile = {
  readonly name: string;
  /** Date of the file: the same file gives the same bytes. */
  readonly day: Day;
  readonly deflated: Buffer;
  readonly crc: number;
  readonly size: number;
};

/** A size has 32 bits, but for extensions that not every program knows. */
const maxFileSize = 2 ** 32 - 1;

/** By how many bytes an archive is larger than its deflated file. */
export const zipOverhead = (name: string): number => 98 + 2 * Buffer.byteLength(name);

/**
 * A ZIP archive of one file (PKWARE's APPNOTE 6.3.3: local header, content, central directory, its end); null where the
 * file is larger than its headers can say.
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

/** Bytes of a field, and its value. */
type Field = readonly [bytes: number, value: number];

/** What both headers of a file have. */
function commonFields({ name, day, deflated, crc, size }: DeflatedFile): Field[] {
  const { year, month, day: date } = Temporal.PlainDate.from(day);
  return [
    // Version 2.0 is needed to extract it.
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
