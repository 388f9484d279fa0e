import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { asTyped } from '../../../src/support/commands.ts';
import { diagnosed, message } from './states.ts';

test('whatever an address is made of, a shell reads it as one word and runs nothing', () => {
  const recipients = fc
    .sample(fc.stringMatching(/^[!-~]{1,20}$/), { numRuns: 50, seed: 7 })
    .concat("o'neil@x.com", '$(id)@x.com', '`id`@x.com');
  const commands = recipients.map((recipient) => {
    const [alert] = diagnosed({ deliveries: [message({ state: 'unknown', recipient })] });
    return alert!.steps.find(({ command }) => command?.[0] === 'digest')!.command!;
  });
  expect(commands.map((words) => words[words.indexOf('--to') + 1])).toEqual(recipients);
  const script = commands.map((words) => asTyped(...words).replace(/^npm start -- /, `printf '%s\\n' `));
  const read = execFileSync('sh', ['-c', script.join('\n')], { encoding: 'utf8' });
  expect(read.trimEnd().split('\n')).toEqual(commands.flat());
});
