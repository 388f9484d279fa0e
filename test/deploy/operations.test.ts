import { existsSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { alertCodes } from '../../src/model/alert.ts';
import { metrics } from '../../src/server/metrics.ts';
import { commandNames, help, read, root, settingNames } from './known.ts';

const text = read('docs/operations.md');

it('docs/operations.md shows commands and flags that exist', async () => {
  const typed = [...text.matchAll(/(?:`|^)callsheet ([a-z]+)([^`\n]*)/gm)].map(([, command, rest]) => ({
    command: command!,
    flags: rest!.match(/--[a-z-]+/g) ?? [],
  }));
  expect(typed.length).toBeGreaterThan(15);
  const known = commandNames();
  const byCommand = Map.groupBy(typed, ({ command }) => command);
  for (const [command, uses] of byCommand) {
    expect(known).toContain(command);
    const usage = help(command);
    for (const flag of uses.flatMap(({ flags }) => flags)) expect(usage, command).toContain(flag);
  }
});

it('docs/operations.md names settings and metrics that exist, and links to what is there', () => {
  const names = [...text.matchAll(/`([A-Z][A-Z_]{5,})(?:=[^`]*)?`/g)].map((match) => match[1]!);
  expect(names.length).toBeGreaterThan(10);
  expect(
    names.filter((name) => !settingNames.includes(name) && !alertCodes.some((code) => code === name)),
  ).toEqual([]);
  for (const [name] of text.matchAll(/\bcallsheet_(?!reader)\w+/g))
    expect(Object.keys(metrics)).toContain(name);
  for (const [, file] of text.matchAll(/\]\(([^)#]+)/g))
    expect([file, existsSync(path.join(root, 'docs', file!))]).toEqual([file, true]);
});
