import { isUtf8 } from 'node:buffer';

/** A part of a text: where it begins and ends. */
export type Range = readonly [start: number, end: number];

/** Escapes of URLs and forms, of JSON and of programs, and of HTML. */
const escapes =
  /(?:%[89a-f][\da-f])+|%u[\da-f]{4}|%[\da-f]{2}|\\(?:u[\da-f]{4}|x[\da-f]{2}|["'\\/bfnrt])|&(?:#\d+|#x[\da-f]+|[a-z\d]+);/gi;

/** Undoes one encoding of each part of a text. Plus signs stay. */
export function decode(text: string): string {
  if (!text.includes('%') && !text.includes('\\') && !text.includes('&')) return text;
  const signs = new Map<string, string>();
  return text.replaceAll(escapes, (written) => signs.getOrInsertComputed(written, signOf));
}

const controls: { readonly [letter: string]: string } = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

const ofCode = (digits: string) => String.fromCharCode(Number.parseInt(digits, 16));

/** Returns what an escape stands for, or the escape itself. */
function signOf(written: string): string {
  const kind = written.charAt(1).toLowerCase();
  if (written.startsWith('%')) {
    if (kind === 'u') return ofCode(written.slice(2));
    if (written.length === 3) return ofCode(written.slice(1));
    const bytes = Buffer.from(written.replaceAll('%', ''), 'hex');
    return bytes.toString(isUtf8(bytes) ? 'utf8' : 'latin1');
  }
  if (written.startsWith('\\')) {
    if (kind === 'u' || kind === 'x') return ofCode(written.slice(2));
    return controls[kind] ?? kind;
  }
  const name = written.slice(1, -1).toLowerCase();
  if (kind !== '#') return names.get(name) ?? written;
  const code = name.startsWith('#x') ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
  return code <= 0x10_ffff ? String.fromCodePoint(code) : written;
}

const namesInOrder = (names: string, firstCode: number) =>
  names.split(' ').map((name, index): [string, string] => [name, String.fromCharCode(firstCode + index)]);

/** HTML's names for the signs of ASCII, Latin-1 and print; a letter's is in lower case. */
const names: ReadonlyMap<string, string> = new Map([
  ...'tab\t newline\n excl! quot" num# dollar$ percnt% amp& apos\' lpar( rpar) ast* midast* plus+ comma, period. sol/ colon: semi; lt< equals= gt> quest? commat@ lsqb[ lbrack[ bsol\\ rsqb] rbrack] hat^ lowbar_ underbar_ grave` lcub{ lbrace{ verbar| vert| verticalline| rcub} rbrace} euro€ ndash– mdash— lsquo‘ rsquo’ ldquo“ rdquo” bull• hellip… trade™'
    .split(' ')
    .map((each): [string, string] => [each.slice(0, -1), each.slice(-1)]),
  ...namesInOrder(
    'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest',
    0xa0,
  ),
  ...namesInOrder(
    'szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml',
    0xdf,
  ),
]);

/** Returns the sign that HTML has this name for: `eacute`, `Eacute`; undefined for a name that isn't in the table. */
export function namedSign(name: string): string | undefined {
  const sign = names.get(name.toLowerCase());
  return /^[A-Z]/.test(name) ? sign?.toUpperCase() : sign;
}

/** Returns where parts of the decoded text are in the text. */
export function sourcesOf(text: string, ranges: readonly Range[]): Range[] {
  if (ranges.length === 0) return [];
  const found: { readonly decoded: Range; readonly source: Range }[] = [];
  let removed = 0;
  for (const { 0: written, index } of text.matchAll(escapes)) {
    const start = index - removed;
    const end = index + written.length;
    removed += written.length - signOf(written).length;
    found.push({ decoded: [start, end - removed], source: [index, end] });
  }
  /** The source of one character. */
  const sourceOf = (at: number): Range => {
    let [low, high] = [0, found.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (found[middle]!.decoded[0] <= at) low = middle + 1;
      else high = middle;
    }
    const before = found[low - 1];
    if (before === undefined) return [at, at + 1];
    const after = at - before.decoded[1];
    if (after < 0) return before.source;
    return [before.source[1] + after, before.source[1] + after + 1];
  };
  return ranges.map(([start, end]) => [sourceOf(start)[0], sourceOf(end - 1)[1]]);
}

const lineBreak = 64;
const noBase64 = 255;

/** What each character stands for in base64, in both of its alphabets. Some programs break it into lines. */
const base64Values = new Uint8Array(128).fill(noBase64);
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_';
for (const [index, sign] of alphabet.split('').entries())
  base64Values[sign.charCodeAt(0)] = index < 64 ? index : index - 2;
for (const sign of ['\r', '\n']) base64Values[sign.charCodeAt(0)] = lineBreak;

/** Returns where at least so many characters of base64 follow each other. Skips most of a text without them. */
export function base64Runs(text: string, minLength: number): Range[] {
  const isBase64 = (at: number) => (base64Values[text.charCodeAt(at)] ?? noBase64) !== noBase64;
  const runs: Range[] = [];
  for (let at = minLength - 1; at < text.length; at += minLength) {
    if (!isBase64(at)) continue;
    let start = at;
    while (isBase64(start - 1)) start--;
    while (isBase64(at)) at++;
    let end = at;
    while (text.charAt(end) === '=') end++;
    if (at - start >= minLength) runs.push([start, end]);
  }
  return runs;
}

/**
 * Decodes runs of base64. Returns only what may be text, in pieces of at least so many bytes. Letters and slashes before the
 * base64 look like a part of it: each run is decoded from its first four characters on.
 */
export function textsInBase64(text: string, runs: readonly Range[], minLength: number): string {
  const bytes = Buffer.allocUnsafe(runs.reduce((sum, [start, end]) => sum + 4 * (end - start), 0));
  let length = 0;
  for (const [start, end] of runs)
    for (let from = start; from < start + 4; from++) {
      let pieceStart = length;
      let [bits, bitCount, missingBytes] = [0, 0, 0];
      for (let at = from; at < end; at++) {
        const value = base64Values[text.charCodeAt(at)]!;
        if (value >= lineBreak) continue;
        bits = (bits << 6) | value;
        bitCount += 6;
        if (bitCount < 8) continue;
        bitCount -= 8;
        const byte = (bits >> bitCount) & 0xff;
        bytes[length++] = byte;
        const isAscii = (byte >= 0x20 && byte < 0x7f) || (byte >= 0x09 && byte <= 0x0d);
        if (isAscii) continue;
        if (missingBytes > 0 && (byte & 0xc0) === 0x80) missingBytes--;
        else if (byte >= 0xc2 && byte < 0xf5) missingBytes = byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
        // Not UTF-8: it ends a piece, which is dropped if it is too short.
        else if (length - pieceStart <= minLength) length = pieceStart;
        else pieceStart = length;
      }
      if (length - pieceStart < minLength) length = pieceStart;
    }
  return bytes.toString('utf8', 0, length);
}
