import { readFileSync } from 'node:fs';
import type { Environment } from './environment.ts';
import type { Parser } from './parsers.ts';
import type { PlainName, SecretName } from './setting-names.ts';

/** Reads settings one by one and collects every fault, so that all are told in one go. */
export type SettingReader = {
  readonly faults: string[];
  optional<T>(name: PlainName, parse: Parser<T>, example: string): T | null;
  withDefault<T>(name: PlainName, parse: Parser<T>, standard: T, example: string): T;
  required<T>(name: PlainName, parse: Parser<T>, example: string): T | null;
  /** The value of NAME, or the content of the file that NAME_FILE names. */
  secret(name: SecretName, parse: Parser<string>, example: string): string | null;
  isSet(name: PlainName | SecretName): boolean;
};

export function createReader(environment: Environment): SettingReader {
  const faults: string[] = [];
  const raw = (name: string) => environment[name] || null;

  function parsed<T>(
    what: string,
    value: string,
    parse: Parser<T>,
    shown: string,
    example: string,
  ): T | null {
    try {
      return parse(value);
    } catch (error) {
      faults.push(`${what} is ${(error as Error).message}${shown}; right would be ${example}`);
      return null;
    }
  }

  const optional: SettingReader['optional'] = (name, parse, example) => {
    const value = raw(name);
    if (value === null) return null;
    // An address may have a token in its query, or a password.
    const shown = name.endsWith('_URL') ? '' : ` (${JSON.stringify(value)})`;
    return parsed(name, value, parse, shown, `${name}=${example}`);
  };

  return {
    faults,
    optional,
    withDefault: (name, parse, standard, example) => optional(name, parse, example) ?? standard,
    required(name, parse, example) {
      if (raw(name) === null) faults.push(`${name} is missing; right would be ${name}=${example}`);
      return optional(name, parse, example);
    },
    secret(name, parse, example) {
      const value = raw(name);
      const file = raw(`${name}_FILE`);
      if (value !== null && file !== null) {
        faults.push(`${name} and ${name}_FILE are both set: keep one of them`);
        return null;
      }
      if (value !== null) return parsed(name, value, parse, '', `${name}=${example}`);
      if (file === null) return null;
      const content = readSecretFile(file);
      if (typeof content === 'string') return parsed(`what ${name}_FILE holds`, content, parse, '', example);
      // Not which file: the secret itself may have been put there.
      faults.push(
        `${name}_FILE names a file that ${content.fault}; right would be ${name}_FILE=/run/secrets/…`,
      );
      return null;
    },
    isSet: (name) => raw(name) !== null || raw(`${name}_FILE`) !== null,
  };
}

/** The trimmed content of a file that holds one secret, or what is wrong with it. */
export function readSecretFile(path: string): string | { readonly fault: string } {
  try {
    const content = readFileSync(path, 'utf8').trim();
    return content === '' ? { fault: 'is empty' } : content;
  } catch (error) {
    return { fault: `can't be read (${(error as NodeJS.ErrnoException).code ?? 'unknown error'})` };
  }
}
