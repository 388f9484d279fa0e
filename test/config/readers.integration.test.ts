import { readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { meantValue, writingError, writtenLine } from '../../src/config/written.ts';
import { type ReaderName, readerNames, readers } from '../support/env-file-readers.ts';

const example = readFileSync(path.resolve(import.meta.dirname, '../../.env.example'), 'utf8');

/** What becomes of a line, reader by reader: `refused` by the reader, `78` by Callsheet, `unset`, or the value. */
function outcomesOf(line: string): Record<ReaderName, string> {
  const outcome = (reader: ReaderName) => {
    try {
      const value = readers[reader](`${line}\n`).NAME;
      if (value === undefined) return 'unset';
      return writingError(value) === null ? meantValue(value) : '78';
    } catch {
      return 'refused';
    }
  };
  return Object.fromEntries(readerNames.map((reader) => [reader, outcome(reader)])) as Record<
    ReaderName,
    string
  >;
}

const [refused, ended] = ['refused', '78'];
/** A line, what it means, and which readers don't hand that on. */
const table: readonly [line: string, meant: string, otherwise?: Partial<Record<ReaderName, string>>][] = [
  [`NAME='30 6 * * *'`, '30 6 * * *'],
  ['NAME="30 6 * * *"', '30 6 * * *'],
  ['NAME=30 6 * * *', '30 6 * * *', { shell: refused }],
  [`NAME='pa$word'`, 'pa$word'],
  [String.raw`NAME='C:\new'`, String.raw`C:\new`],
  [`NAME='a#b'`, 'a#b'],
  [`NAME="O'Brien <ana@example.com>"`, `O'Brien <ana@example.com>`],
  ['NAME=a   ', 'a'],
  ['  NAME=a', 'a'],
  ['NAME=a\r', 'a'],
  [`NAME='a b'\r`, 'a b'],
  ["NAME=''", ''],
  ['NAME=a#b', 'a#b', { 'npm start': refused }],
  [
    'NAME=a # why',
    'a',
    { 'npm start': refused, 'docker and kubectl': ended, 'newer docker': ended, systemd: ended },
  ],
  [
    `NAME='a' # why`,
    'a',
    { 'npm start': refused, 'docker and kubectl': ended, 'newer docker': ended, systemd: ended },
  ],
  [
    'NAME = a',
    'a',
    { shell: refused, 'npm start': refused, 'docker and kubectl': refused, 'newer docker': refused },
  ],
  ['\uFEFFNAME=a', 'a', { shell: refused, 'npm start': refused, systemd: 'unset' }],
  [
    'export NAME=a',
    'a',
    { 'npm start': refused, 'docker and kubectl': refused, 'newer docker': refused, systemd: 'unset' },
  ],
  // What these hand on can't be told from what was meant: hence single quotes, and `npm start` insists.
  ['NAME=pa$word', 'pa$word', { shell: 'pa', 'npm start': refused, compose: 'pa' }],
  [
    'NAME="pa$word"',
    'pa$word',
    { shell: 'pa', 'npm start': refused, compose: 'pa', 'docker and kubectl': ended },
  ],
  [String.raw`NAME=C:\new`, String.raw`C:\new`, { shell: 'C:new', 'npm start': refused, systemd: 'C:new' }],
  [
    String.raw`NAME="C:\new"`,
    String.raw`C:\new`,
    { 'npm start': refused, compose: 'C:\new', 'docker and kubectl': ended },
  ],
];

describe('a line of a file of settings', () => {
  it.each(table)(
    '%j means the same to all readers, but for those that are known',
    (line, meant, otherwise = {}) => {
      const all = Object.fromEntries(readerNames.map((reader) => [reader, meant]));
      expect(outcomesOf(line)).toEqual({ ...all, ...otherwise });
    },
  );

  it('as Callsheet writes it means the same to all of them', () => {
    const values = fc.oneof(
      fc.stringMatching(/^[ -~]{0,20}$/),
      fc.string({ unit: 'grapheme', maxLength: 20 }),
    );
    const isOfShell = ({ length }: string) => length % 8 === 0;
    fc.assert(
      fc.property(values, (value) => {
        const line = writtenLine('NAME', value.trim());
        if (line === null || value.includes('\0') || !value.isWellFormed()) return;
        for (const reader of readerNames)
          if (reader !== 'shell' || isOfShell(value))
            expect([reader, meantValue(readers[reader](`${line}\n`).NAME!)]).toEqual([reader, value.trim()]);
      }),
    );
  });
});

describe('.env.example', () => {
  const meantBy = (reader: ReaderName, text: string) =>
    Object.fromEntries(
      Object.entries(readers[reader](text))
        .filter(([name]) => text.includes(`${name}=`))
        .map(([name, value]) => [name, meantValue(value!)]),
    );

  it.each([
    ['as it is', example, readerNames],
    ['with every line that is commented out', example.replaceAll(/^#(?=[A-Z_]+=)/gm, ''), readerNames],
    // A shell takes an empty line's end for a command.
    ['saved on Windows', example.replaceAll('\n', '\r\n'), readerNames.filter((name) => name !== 'shell')],
  ] as const)('%s means the same to all readers', (_, text, names) => {
    const meant = meantBy('npm start', text);
    expect(Object.keys(meant).length).toBeGreaterThan(3);
    expect(meant.SCHEDULE).toBe('30 6 * * *');
    for (const reader of names) expect([reader, meantBy(reader, text)]).toEqual([reader, meant]);
  });
});
