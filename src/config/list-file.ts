import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { onDemand } from '../support/on-demand.ts';

/**
 * Reads a YAML or JSON file that holds a list, and checks each entry.
 * Faults name the setting, the entry and the key; no value of the file is quoted, for it may be a token.
 */
export function readListFile<T>(
  setting: string,
  path: string,
  entry: z.ZodType<T>,
  faults: string[],
): readonly T[] | null {
  const content = read(setting, path, faults);
  if (content === null) return null;
  const result = z.array(entry).min(1).safeParse(content.value);
  if (result.success) return result.data;
  for (const issue of result.error.issues) {
    const [index, ...keys] = issue.path;
    const place = index === undefined ? 'the file' : `entry ${Number(index) + 1}`;
    const key = keys.length > 0 ? `, ${keys.join('.')}` : '';
    faults.push(`${setting} (${path}): ${place}${key}: ${told(issue)}`);
  }
  return null;
}

// `sidtoken:abc`, without a space, is a key: only a plain word is named.
function told(issue: z.core.$ZodIssue): string {
  if (issue.code !== 'unrecognized_keys') return issue.message;
  const words = issue.keys.every((key) => /^[a-z_]+$/i.test(key));
  return words ? `unknown key ${issue.keys.join(', ')}` : 'unknown key, not even a word';
}

function read(setting: string, path: string, faults: string[]): { value: unknown } | null {
  const yaml: typeof import('yaml') = onDemand('yaml');
  try {
    return { value: yaml.parse(readFileSync(path, 'utf8'), { logLevel: 'error' }) };
  } catch (error) {
    const { code, linePos } = error as NodeJS.ErrnoException & { linePos?: [{ line: number }] };
    const fault = linePos
      ? `isn't YAML or JSON (line ${linePos[0].line})`
      : `can't be read (${code ?? 'unknown error'})`;
    faults.push(`${setting} names a file that ${fault}: ${path}`);
    return null;
  }
}

/** Names the accounts and digests of a list that stand in it more than once. */
export function repeated(names: readonly string[]): string[] {
  return [...new Set(names.filter((name, index) => names.indexOf(name) !== index))];
}
