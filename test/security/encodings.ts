import fc from 'fast-check';

/** An encoding that a token may be put in on its way through proxies, pages and logs. */
export type Encoding = { readonly name: string; readonly encode: (text: string) => string };

const bytes = (text: string) => [...Buffer.from(text, 'utf8')];
const units = (text: string) => Array.from({ length: text.length }, (_, index) => text.charCodeAt(index));
const points = (text: string) => [...text].map((character) => character.codePointAt(0)!);
const hex = (number: number, digits = 2) => number.toString(16).padStart(digits, '0');
const base64 = (text: string, before = '', after = '') =>
  Buffer.from(`${before}${text}${after}`, 'utf8').toString('base64');

export const encodings: readonly Encoding[] = [
  { name: 'percent', encode: encodeURIComponent },
  {
    name: 'percent, lower case',
    encode: (text) =>
      bytes(text)
        .map((byte) => `%${hex(byte)}`)
        .join(''),
  },
  {
    name: 'decimal entities',
    encode: (text) =>
      points(text)
        .map((point) => `&#${point};`)
        .join(''),
  },
  {
    name: 'hexadecimal entities',
    encode: (text) =>
      points(text)
        .map((point) => `&#x00${hex(point)};`)
        .join(''),
  },
  {
    name: 'entities of signs alone',
    encode: (text) => text.replaceAll(/[^\w\s]/g, (sign) => `&#${sign.charCodeAt(0)};`),
  },
  {
    name: 'named entities',
    encode: (text) =>
      text
        .replaceAll('&', '&amp;')
        .replaceAll('<', '&lt;')
        .replaceAll('+', '&plus;')
        .replaceAll('/', '&sol;'),
  },
  { name: 'JSON', encode: (text) => JSON.stringify(text).slice(1, -1) },
  { name: 'JSON of PHP', encode: (text) => JSON.stringify(text).slice(1, -1).replaceAll('/', '\\/') },
  {
    name: 'escapes',
    encode: (text) =>
      units(text)
        .map((unit) => `\\u${hex(unit, 4)}`)
        .join(''),
  },
  { name: 'base64', encode: base64 },
  { name: 'base64, one further', encode: (text) => base64(text, 'λ', 'x') },
  { name: 'base64, two further', encode: (text) => base64(text, '\0', ':y') },
  {
    name: 'base64url',
    encode: (text) => base64(text, 'user:').replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', ''),
  },
  { name: 'base64 behind a word', encode: (text) => `Basic/x${base64(text)}` },
  { name: 'base64 in lines', encode: (text) => base64(text, 'no').replaceAll(/.{7}/g, '$&\r\n ') },
];

/** Up to four encodings, one on the other. */
export const stacks = fc.array(fc.constantFrom(...encodings), { minLength: 1, maxLength: 4 });

export const encodeBy = (stack: readonly Encoding[], text: string): string =>
  stack.reduce((inner, { encode }) => encode(inner), text);
