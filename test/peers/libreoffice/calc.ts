import { mkdtempDisposable, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { peers, runPeer } from '../../support/peers.ts';

/** A cell as Calc has it: `formula` is null unless it is a live one. */
export type Cell = {
  readonly type: 'string' | 'float' | 'date' | 'percentage' | 'currency' | 'time' | 'boolean' | null;
  /** The exact number, the date as `YYYY-MM-DD`, or the text. */
  readonly value: string;
  readonly formula: string | null;
};

/** How Calc opens a CSV: what separates its fields, and the language of its numbers. */
export type Opening = { readonly separators: readonly string[]; readonly language: 'en-US' | 'es-ES' };

const languages = { 'en-US': 1033, 'es-ES': 1034 };

/**
 * The sheet that LibreOffice makes of a CSV in UTF-8, row by row. Formulas are evaluated, as its older versions do without
 * being asked.
 */
export async function openInCalc(csv: string, { separators, language }: Opening): Promise<Cell[][]> {
  await using folder = await mkdtempDisposable(path.join(tmpdir(), 'callsheet-calc-'));
  const file = path.join(folder.path, 'digest.csv');
  await writeFile(file, csv);
  const codes = separators.map((separator) => separator.charCodeAt(0)).join('/');
  // Quote, UTF-8, from line 1, columns as found, language, quoted numbers are numbers, no special numbers; as for its
  // dialog's defaults. The last one evaluates formulas.
  const filter = `CSV:${codes},34,76,1,,${languages[language]},false,false,false,false,false,-1,true`;
  const { code, output } = await runPeer(peers.soffice, [
    `-env:UserInstallation=${pathToFileURL(path.join(folder.path, 'profile'))}`,
    '--headless',
    '--convert-to',
    'fods',
    `--infilter=${filter}`,
    '--outdir',
    folder.path,
    file,
  ]);
  if (code !== 0) throw new Error(output);
  return readRows(await readFile(path.join(folder.path, 'digest.fods'), 'utf8'));
}

/** The rows of a flat OpenDocument sheet, without the empty ones at its end. */
function readRows(document: string): Cell[][] {
  const rows = [...document.matchAll(/<table:table-row\b[^>]*>(.*?)<\/table:table-row>/gs)];
  return rows.map(([, row]) =>
    [...row!.matchAll(/<table:table-cell\b([^>]*?)(?:\/>|>(.*?)<\/table:table-cell>)/gs)].flatMap(
      ([, attributes, content]) => {
        const read = (name: string) => new RegExp(`\\b${name}="([^"]*)"`).exec(attributes!)?.[1] ?? null;
        const paragraphs = [...(content ?? '').matchAll(/<text:p>(.*?)<\/text:p>/gs)].map(
          ([, text]) => text!,
        );
        const cell: Cell = {
          type: read('office:value-type') as Cell['type'],
          value: plain(read('office:date-value') ?? read('office:value') ?? paragraphs.join('\n')),
          formula: read('table:formula'),
        };
        return Array<Cell>(Number(read('table:number-columns-repeated') ?? 1)).fill(cell);
      },
    ),
  );
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

const plain = (xml: string): string =>
  xml
    .replaceAll(/<text:s(?: text:c="(\d+)")?\/>/g, (_, count) => ' '.repeat(Number(count ?? 1)))
    .replaceAll('<text:tab/>', '\t')
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/&(\w+);/g, (entity, name) => entities[name] ?? entity);
