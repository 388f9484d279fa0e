import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { plainSettings, secretSettings } from '../src/config/schema.ts';
import { commandNames, help } from './deploy/known.ts';

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

  it('the README names every command that exists, and no other, with flags that exist', () => {
    const [, section] = read('README.md').split('\n## Commands\n');
    const rows = [...section!.split('\n## ')[0]!.matchAll(/^\| `([a-z]+)\b(.*)/gm)];
    expect(rows.map(([, command]) => command).sort()).toEqual(commandNames().sort());
    for (const [, command, text] of rows)
      for (const flag of text!.match(/--[a-z-]+/g) ?? [])
        expect(help(command!), command).toMatch(new RegExp(`^  (-h, )?${flag}\\b`, 'm'));
  });
});
