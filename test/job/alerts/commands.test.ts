import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { asTyped } from '../../../src/support/commands.ts';
import { diagnosed, message } from './states.ts';

test('whatever an address is made of, a shell reads it as one word and runs nothing', () => {
  const recipients = fc
    .sample(fc.stringMatching(/^[!-~]{1,20}$/), { numRuns: 50, seed: 7 })
    .concat("o'neil@x.com", '$(id)@x.com', '`id`@x.com');
  for (const recipient of recipients) {
    const [alert] = diagnosed({ deliveries: [message({ state: 'unknown', recipient })] });
    const { command } = alert!.steps.at(-1)!;
    const words = asTyped(...command!).replace(/^npm start -- /, `printf '%s\\n' `);
    const read = execFileSync('sh', ['-c', words], { encoding: 'utf8' }).trimEnd().split('\n');
    expect(read).toEqual([
      'digest',
      '--day',
      '2026-11-20',
      '--digest',
      'Campaigns',
      '--to',
      recipient,
      '--resend',
    ]);
  }
});
