import { expect, it } from 'vitest';
import { callsheet } from '../support/callsheet.ts';

it.each([
  ['run --dry', /unknown option '--dry' \(did you mean --dry-run\?\)/],
  ['campaigns --day 2026-03-02', /unknown option '--day'/],
  ['run --account=', /--account is empty/],
])('%s ends with 64, and says what is wrong with it', async (line, error) => {
  const ended = await callsheet(line.split(' '), {});
  expect(ended).toMatchObject({ code: 64, stdout: '' });
  expect(ended.stderr.split('\n')[0]).toMatch(error);
});

it('help and help COMMAND are --help', async () => {
  for (const args of [[], ['run']]) {
    const help = await callsheet(['help', ...args], {});
    expect(help).toEqual(await callsheet([...args, '--help'], {}));
    expect(help).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Usage: /) });
  }
});
