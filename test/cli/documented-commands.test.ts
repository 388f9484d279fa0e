import { expect, it } from 'vitest';
import { commandsPage } from '../support/commands-page.ts';

// `npm run commands` writes it anew.
it('docs/commands.md is that of the help of each command and of the catalogue of errors', async () => {
  await expect(await commandsPage()).toMatchFileSnapshot('../../docs/commands.md');
});
