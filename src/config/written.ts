// How settings are written in files, and what is left of that in a variable. A shell, Node, compose and systemd take
// quotes off, `docker run --env-file` (up to 28) and `kubectl create --from-env-file` don't; some end a value at a #, some
// replace $NAME, some unescape. test/config/readers.test.ts compares them. All agree on single quotes around a whole value.

/** What a variable was meant to hold: without white space and one pair of quotes around it. */
export function meantValue(value: string): string {
  const trimmed = value.trim();
  return (quoted.exec(trimmed)?.[2] ?? trimmed).trim();
}

/** A quote, what it surrounds, which has none of that kind, and the same quote. */
const quoted = /^(['"])((?:(?!\1).)*)\1$/su;

/** What readers disagree on within double quotes. */
const special = /[$\\`]/;

/** How a comment behind a value looks: in settings that hold no #, and in those of people's names and of files. */
export const comments = { anyHash: /\s#|#\s/, hashByItself: /\s#\s/ };

/** Why a variable's value may not be what was meant, and what to write; null if nothing speaks against it. */
export function writingError(value: string, comment: RegExp = comments.anyHash): string | null {
  const trimmed = value.trim();
  if (comment.test(trimmed)) return 'has a comment behind its value: write the comment on a line of its own';
  if (trimmed.startsWith('"') && trimmed.endsWith('"') && special.test(trimmed))
    return `is in double quotes with ${special.exec(trimmed)![0]} in it: write it in single quotes`;
  return null;
}

/** The line of a file that every reader takes alike; null for a value that there is no such line for. */
export function writtenLine(name: string, value: string): string | null {
  if (/^[\p{L}\p{N}_@%+=:,./?-]*$/u.test(value)) return `${name}=${value}`;
  if (/[\n\r]|\s#|#\s/.test(value)) return null;
  if (!/'|\\$/.test(value)) return `${name}='${value}'`;
  return special.test(value) || value.includes('"') ? null : `${name}="${value}"`;
}

/**
 * What is wrong with the lines of a file of settings that are ours, each with its number and what to write: what one reader would take
 * otherwise than the others, in silence. Repeats no value, for it may be a secret.
 */
export function fileErrors(text: string, isOurs: (name: string) => boolean = () => true): string[] {
  const bom = text.startsWith('\uFEFF')
    ? ['begins with a byte order mark: save it as UTF-8 without one']
    : [];
  const lines = text.split(/\r?\n/).flatMap((line, index) => {
    const [, name = ''] = /\s*(?:export\s+)?(\w*)/.exec(line)!;
    const error = /^\s*(#|$)/.test(line) || !isOurs(name) ? null : lineError(line);
    return error === null ? [] : [`line ${index + 1}: ${error}`];
  });
  return [...bom, ...lines];
}

function lineError(line: string): string | null {
  const match = /^\s*(export\s+)?([A-Za-z_]\w*)(\s*)=(\s*)(.*)/su.exec(line);
  if (match === null) return 'is not NAME=VALUE';
  const [, exported, name, before, after, rest] = match;
  if (exported !== undefined) return `write ${name}=… without export`;
  if (before !== '' || after !== '') return `write ${name}=… without spaces around the =`;
  const value = rest!.trim();
  const inner = quoted.exec(value)?.[2] ?? value;
  const quote = inner === value ? '' : value[0];
  const taken = quote === "'" ? /\\$/.exec(inner) : (quote === '"' ? special : /[#$\\`'"]/).exec(inner);
  if (taken === null) return null;
  const what = `${name} has ${taken[0]} in its value, which some readers of the file take otherwise`;
  if (/\s#/.test(value)) return `${what}: write a comment on a line of its own`;
  if (quote === "'") return `${what}: leave it out at the end`;
  if (inner.includes("'")) return `${what}: write it in double quotes, or a secret into a file of its own`;
  return `${what}: write ${name}='…', in single quotes`;
}
