import { expect, it } from 'vitest';
import { typedInTurn } from '../support/callsheet.ts';

it('an unknown, abbreviated or empty option ends with 64, and a line says what is wrong with it', async () => {
  const lines = ['run --dry', 'campaigns --day 2026-03-02', 'run --account='];
  const refused = await typedInTurn(
    lines.map((line) => line.split(' ')),
    {},
  );
  expect(refused.map(({ code, stdout }) => `${code} ${stdout}`)).toEqual(Array(3).fill('64 '));
  expect(refused.map(({ stderr }) => stderr.trimEnd())).toEqual([
    "callsheet: unknown option '--dry' (did you mean --dry-run?): see --help",
    expect.stringMatching(/^callsheet: unknown option '--day'/),
    'callsheet: --account is empty: see --help',
  ]);
});

it('help and help COMMAND are --help', async () => {
  const [help, helpOfRun, ...others] = await typedInTurn(
    [['help'], ['help', 'run'], ['--help'], ['run', '--help']],
    {},
  );
  expect([help, helpOfRun]).toEqual(others);
  for (const each of others)
    expect(each).toEqual({ code: 0, stdout: expect.stringMatching(/^Usage: /), stderr: '' });
});
