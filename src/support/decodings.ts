/** How many encodings may lie on each other: a proxy's page about a URL within JSON is three. */
const maxRounds = 4;

/**
 * Every text that `text` may stand for: itself, and what percent-encoding, entities, JSON's escapes and base64 in it
 * decode to, and that again, up to four rounds. Nothing that decodes gets longer and the rounds are bounded, so their
 * lengths add up to a multiple of the text's.
 *
 * @param minRun characters from which a run of letters and digits may be base64 of something that is searched for
 */
export function* decodings(text: string, minRun: number, rounds = maxRounds): Generator<string, void> {
  yield text;
  if (rounds === 0) return;
  const plain = unescaped(text);
  if (plain !== text) yield* decodings(plain, minRun, rounds - 1);
  for (const decoded of fromBase64(text, minRun)) yield* decodings(decoded, minRun, rounds - 1);
}

const escapes =
  /(?:%[\da-f]{2})+|[%\\]u[\da-f]{4}|\\u\{[\da-f]+\}|\\x[\da-f]{2}|&#x[\da-f]+;?|&#\d+;?|&[a-z]{2,6};|\\[\s\S]/gi;

/** Undoes one round of percent-encoding, entities and the escapes of JSON and JavaScript, whatever is mixed. */
export function unescaped(text: string): string {
  // Without groups, which cost several times as much where a text is nothing but escapes.
  return text.replaceAll(escapes, (code) => {
    if (code[0] === '&') return unescapedEntity(code);
    if (code[0] === '\\' && code.length === 2) return controls.get(code[1]!) ?? code[1]!;
    if (code[0] === '\\' || code[1] === 'u' || code[1] === 'U')
      return codePoint(Number.parseInt(code.slice(code[2] === '{' ? 3 : 2), 16));
    return Buffer.from(code.replaceAll('%', ''), 'hex').toString('utf8');
  });
}

function unescapedEntity(code: string): string {
  if (code[1] !== '#') return entities.get(code.slice(1, -1).toLowerCase()) ?? code;
  const isHexadecimal = code[2] === 'x' || code[2] === 'X';
  return codePoint(Number.parseInt(code.slice(isHexadecimal ? 3 : 2), isHexadecimal ? 16 : 10));
}

const codePoint = (code: number) => (code > 0x10ffff ? '\ufffd' : String.fromCodePoint(code));
const pairs = (list: string) => new Map(list.split(' ').map((pair) => [pair.slice(0, -1), pair.at(-1)!]));

/** HTML's names of the signs in ASCII. */
const entities = pairs(
  `excl! quot" num# dollar$ percnt% amp& apos' lpar( rpar) ast* plus+ comma, period. sol/ colon: semi; lt< equals= gt> quest? commat@ lsqb[ lbrack[ bsol\\ rsqb] rbrack] hat^ lowbar_ grave\` lcub{ lbrace{ verbar| vert| rcub} rbrace}`,
);
const controls = pairs('n\n t\t r\r b\b f\f');

/**
 * What the runs of a text that may be base64, or base64url, decode to, a character a byte. Joined, for the four places
 * where a group of characters may begin are the same for all of them: each is decoded as it was meant in one of the four.
 */
function fromBase64(text: string, minRun: number): string[] {
  // Mail breaks base64 into lines.
  const unbroken = text.replaceAll(/\r?\n[ \t]*/g, '');
  // Only from a run's beginning, or each of a short one is tried; not `{n,}`, which overflows the stack in a run of millions.
  const runs = unbroken.match(new RegExp(`(?<![\\w+/-])[\\w+/-]{${minRun}}[\\w+/-]*`, 'g'));
  if (runs === null) return [];
  const joined = runs.join('');
  return ['', 'A', 'AA', 'AAA'].map((shift) => Buffer.from(shift + joined, 'base64').toString('latin1'));
}
