/** Encodings in which a service, a proxy or a mail server repeats a secret. */
const code = (sign: string) => sign.codePointAt(0)!;
const signs = /[^a-z\d]/giu;
const inJson = (text: string) => JSON.stringify(text).slice(1, -1);
const asUnit = (sign: string) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`;
const names: Readonly<Record<string, string>> = {
  '+': 'plus',
  '/': 'sol',
  '=': 'equals',
  '&': 'amp',
  '%': 'percnt',
  ':': 'colon',
  '#': 'num',
  '<': 'lt',
  '>': 'gt',
  '"': 'quot',
  "'": 'apos',
  '\\': 'bsol',
  ñ: 'ntilde',
};

export const encodings = {
  percent: encodeURIComponent,
  'percent in lower case': (text) =>
    encodeURIComponent(text).replaceAll(/%[\dA-F]{2}/g, (escaped) => escaped.toLowerCase()),
  'percent, every byte': (text) => Buffer.from(text).toString('hex').replaceAll(/../g, '%$&'),
  form: (text) => new URLSearchParams({ text }).toString().slice('text='.length),
  JSON: inJson,
  'JSON of PHP': (text) => inJson(text).replaceAll('/', '\\/'),
  'JSON of Gson': (text) => text.replaceAll(/[^a-z\d]/gi, asUnit),
  'JSON, every character': (text) => text.replaceAll(/./gs, asUnit),
  'HTML of few signs': (text) =>
    text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;'),
  'HTML by names': (text) => text.replaceAll(signs, (sign) => (sign in names ? `&${names[sign]};` : sign)),
  'HTML by numbers': (text) => text.replaceAll(signs, (sign) => `&#${code(sign)};`),
  'HTML by numbers with zeros': (text) => text.replaceAll(signs, (sign) => `&#0${code(sign)};`),
  'HTML by hexadecimal numbers': (text) =>
    text.replaceAll(/./gsu, (sign) => `&#x00${code(sign).toString(16)};`),
  base64: btoaUtf8,
  'base64 for URLs': (text) => Buffer.from(text).toString('base64url'),
  'base64 in lines': (text) => btoaUtf8(text).replaceAll(/.{20}(?=[^=])/g, '$&\n'),
  'base64 of a login': (text) => btoaUtf8(`user:${text}`),
  'base64 of a key': (text) => btoaUtf8(`${text}:`),
} as const satisfies Readonly<Record<string, (text: string) => string>>;
export type Encoding = keyof typeof encodings;

function btoaUtf8(text: string): string {
  return Buffer.from(text).toString('base64');
}

export const encodedBy = (chain: readonly Encoding[], text: string): string =>
  chain.reduce((encoded, encoding) => encodings[encoding](encoded), text);

const all = Object.keys(encodings) as Encoding[];
/** The first is an address within the address of a login page. */
const chains: readonly (readonly Encoding[])[] = [
  ['percent', 'percent'],
  ['percent', 'percent', 'percent'],
  ['form', 'HTML by numbers with zeros', 'JSON of PHP'],
  ['percent', 'base64 of a login', 'percent'],
  ['base64', 'base64'],
];

/** A secret in each encoding, in some chains of them, and in upper case. */
export const spellingsOf = (secret: string): string[] => [
  secret,
  secret.toUpperCase(),
  ...all.map((encoding) => encodings[encoding](secret)),
  ...chains.map((chain) => encodedBy(chain, secret)),
];
