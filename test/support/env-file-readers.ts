import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { fileErrors } from '../../src/config/written.ts';

/** What a reader of a file of settings hands to a process; throws where it refuses the file. */
export type Reader = (text: string) => { readonly [name: string]: string | undefined };

const withoutBom = (text: string) => text.replace(/^\uFEFF/, '');

/**
 * `docker run --env-file` up to 28, and `kubectl create configmap --from-env-file`: a line is a name and, behind the first
 * `=`, its value as it is. White space before a line goes, and one within the name is an error.
 */
export const readAsDocker: Reader = (text) => {
  const lines = withoutBom(text)
    .split(/\r?\n/)
    .map((line) => line.trimStart())
    .filter((line) => line !== '' && !line.startsWith('#') && line.includes('='));
  return Object.fromEntries(
    lines.map((line) => {
      const end = line.indexOf('=');
      const name = line.slice(0, end);
      if (name === '' || /\s/.test(name)) throw new Error(`variable '${name}' contains whitespaces`);
      return [name, line.slice(end + 1)];
    }),
  );
};

/** Later ones, which take one pair of quotes off where a value begins and ends with it. */
export const readAsNewDocker: Reader = (text) =>
  Object.fromEntries(
    Object.entries(readAsDocker(text)).map(([name, value]) => [
      name,
      value!.replace(/^(['"])(.*)\1$/s, '$2'),
    ]),
  );

/**
 * `env_file` of compose: quotes go; within double quotes backslashes escape; there and without quotes `$NAME` is replaced,
 * and without quotes a value ends at ` #`.
 */
export const readAsCompose: Reader = (text) => {
  const variables: Record<string, string> = {};
  let rest = withoutBom(text).replaceAll('\r\n', '\n');
  for (;;) {
    rest = rest.replace(/^(\s+|#.*)+/, '');
    if (rest === '') return variables;
    const [begin, name] = /^(?:export\s+)?([\w.[\]-]+)[^\S\n]*[=:][^\S\n]*/.exec(rest) ?? [];
    if (begin === undefined) throw new Error('unexpected character in variable name');
    rest = rest.slice(begin.length);
    const quote = /^['"]/.exec(rest)?.[0];
    if (quote === undefined) {
      const [line] = /^.*/.exec(rest)!;
      variables[name!] = substituted(line.split(' #')[0]!.trimEnd());
      rest = rest.slice(line.length);
    } else {
      const [whole, inner] = new RegExp(`^${quote}(.*?)(?<!\\\\)${quote}`, 's').exec(rest) ?? [];
      if (whole === undefined) throw new Error('unterminated quoted value');
      variables[name!] = quote === "'" ? inner! : substituted(unescaped(inner!));
      rest = rest.slice(whole.length);
    }
  }
};

const substituted = (value: string) =>
  value.replaceAll(/\$(\$|\{\w+\}|\w+)/g, (_, name: string) => (name === '$' ? '$' : ''));

const controls: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };
const unescaped = (value: string) =>
  value.replaceAll(/\\([nrt"\\])/g, (_, letter: string) => controls[letter] ?? letter);

/** `EnvironmentFile=` of systemd: as a shell, but that nothing is replaced, and a # ends no value. */
export const readAsSystemd: Reader = (text) => {
  const variables: Record<string, string> = {};
  const assignments =
    /(?:^|[\r\n])[ \t]*(?<name>[^=#;\r\n\s][^=\r\n]*)=(?<value>(?:'[^']*'|"(?:\\.|[^"\\])*"|\\.|[^\r\n\\])*)/gsu;
  for (const { groups } of text.matchAll(assignments)) {
    const name = groups!.name!.trimEnd();
    // One that is no name is ignored, and logged.
    if (/^[A-Za-z_]\w*$/.test(name)) variables[name] = readSystemdValue(groups!.value!);
  }
  return variables;
};

/** Quoted parts at the beginning, one behind another, and then the rest without the white space around it. */
function readSystemdValue(text: string): string {
  let [value, rest] = ['', text];
  for (;;) {
    const [whole, single, double] = /^\s*(?:'([^']*)'|"((?:\\.|[^"\\])*)")/su.exec(rest) ?? [];
    if (whole === undefined) break;
    value += single ?? double!.replaceAll(/\\(?:(["\\`$])|\n)/g, '$1');
    rest = rest.slice(whole.length);
  }
  // White space that is escaped stays.
  const [own] = /^(?:\s*(?:\\.|[^\s\\]))*/su.exec(rest.trimStart())!;
  return value + own.replaceAll(/\\(?:\n|(.))/gsu, '$1');
}

/** A shell's `set -a; . FILE`; throws where the shell complains. */
export const readAsShell: Reader = (text) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'callsheet-shell-'));
  const file = path.join(folder, 'settings');
  try {
    writeFileSync(file, text);
    const shell = spawnSync('sh', ['-c', 'set -a; . "$0"; env -0', file], {
      env: { PATH: process.env.PATH },
    });
    if (shell.stderr.length > 0) throw new Error(shell.stderr.toString());
    const lines = shell.stdout
      .toString()
      .split('\0')
      .filter((line) => line !== '');
    return Object.fromEntries(lines.map((line) => /^([^=]*)=(.*)$/s.exec(line)!.slice(1)));
  } finally {
    rmSync(folder, { recursive: true });
  }
};

/** `npm start`, which reads `.env`: src/config/dotenv.ts. */
export const readAsStart: Reader = (text) => {
  const errors = fileErrors(text);
  if (errors.length > 0) throw new Error(errors.join('\n'));
  return parseEnv(text) as Record<string, string>;
};

export const readers = {
  shell: readAsShell,
  'npm start': readAsStart,
  'docker and kubectl': readAsDocker,
  'newer docker': readAsNewDocker,
  compose: readAsCompose,
  systemd: readAsSystemd,
} as const satisfies Record<string, Reader>;
export type ReaderName = keyof typeof readers;
export const readerNames = Object.keys(readers) as readonly ReaderName[];
