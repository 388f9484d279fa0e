import { expect, it } from 'vitest';
import { commandNames, help } from '../deploy/known.ts';
import { commandsPage } from '../support/commands-page.ts';

// `npm run commands` writes it anew.
it('docs/commands.md is that of the help of each command and of the catalogue of errors', async () => {
  await expect(await commandsPage()).toMatchFileSnapshot('../../docs/commands.md');
});

it('the help of each command has an example of it, with options that exist', () => {
  for (const command of commandNames()) {
    const text = help(command);
    const [, example] = /^Example:\n {2}callsheet (.+)$/m.exec(text) ?? [];
    expect(example?.split(' ')[0]).toBe(command);
    for (const [flag] of example!.matchAll(/--[a-z-]+/g))
      expect(text).toMatch(new RegExp(`^ {2}${flag}\\b`, 'm'));
  }
});
