/** The ways in which a URL, a form, JSON and HTML spell a token that a service repeats. */
const code = (sign: string) => sign.charCodeAt(0);
const signs = /[^\w\s]/g;

export const spellings: { readonly [name: string]: (text: string) => string } = {
  plain: (text) => text,
  percent: encodeURIComponent,
  'percent in lower case': (text) => encodeURIComponent(text).toLowerCase(),
  'percent, all signs': (text) => text.replaceAll(signs, (sign) => `%${code(sign).toString(16)}`),
  form: (text) => new URLSearchParams({ t: text }).toString().slice(2),
  JSON: (text) => JSON.stringify(text).slice(1, -1),
  'JSON of PHP': (text) => JSON.stringify(text).slice(1, -1).replaceAll('/', '\\/'),
  'JSON of Gson': (text) => text.replaceAll(signs, (sign) => `\\u00${code(sign).toString(16)}`),
  'HTML by names': (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;'),
  'HTML by numbers': (text) => text.replaceAll(signs, (sign) => `&#${code(sign)};`),
  'HTML by hexadecimal numbers': (text) => text.replaceAll(signs, (sign) => `&#x${code(sign).toString(16)};`),
  'another case': (text) => text.toUpperCase(),
};

export const spellingsOf = (token: string): string[] => Object.values(spellings).map((spell) => spell(token));
