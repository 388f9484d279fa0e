import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { plainSettings, secretSettings } from '../src/config/schema.ts';
import { callsheet } from './support/callsheet.ts';

const read = (file: string) => readFileSync(path.resolve(import.meta.dirname, '..', file), 'utf8');
const names = [...plainSettings, ...secretSettings];

describe('the documents', () => {
  it('.env.example names every setting', () => {
    const text = read('.env.example');
    expect(names.filter((name) => !new RegExp(`\\b${name}\\b`).test(text))).toEqual([]);
  });

  it('.env.example names nothing that is no setting', () => {
    const named = [...read('.env.example').matchAll(/^#?([A-Z_]+)=/gm)].map((match) =>
      match[1]!.replace(/_FILE$/, ''),
    );
    const known: readonly string[] = names.map((name) => name.replace(/_FILE$/, ''));
    expect(named.filter((name) => !known.includes(name))).toEqual([]);
  });

  it('the README shows every command and flag that exists, and no other', async () => {
    const help = async (...args: string[]) => (await callsheet([...args, '--help'], {})).stdout;
    const commands = [...(await help()).matchAll(/^ {2}([a-z]+)\b.*?(?=\[options\]| {2})/gm)].map(
      (match) => match[1]!,
    );
    const table = [...read('README.md').matchAll(/^\| `([a-z]+)\b([^|]*(?:\\\|[^|]*)*)`/gm)];
    expect(table.map((match) => match[1]).sort()).toEqual(commands.filter((name) => name !== 'help').sort());
    for (const [, command, usage] of table) {
      const flags = new Set((await help(command!)).match(/--[a-z-]+/g)!.filter((flag) => flag !== '--help'));
      expect(new Set(usage!.match(/--[a-z-]+/g) ?? []), command).toEqual(flags);
    }
  });
});
