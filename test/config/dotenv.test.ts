import path from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { readEnvironment } from '../../src/config/environment.ts';
import { file } from './loading.ts';

/** Loads what `npm start` loads first: the variables it sets, what it prints, and how it exits, null if it doesn't. */
async function start(settings: string) {
  const before = readEnvironment();
  vi.stubEnv('CALLSHEET_SETTINGS', settings);
  const printed: string[] = [];
  const write = vi.spyOn(process.stderr, 'write').mockImplementation((text) => printed.push(`${text}`) > 0);
  onTestFinished(() => {
    write.mockRestore();
    vi.unstubAllEnvs();
    for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
  });
  vi.resetModules();
  const exit = await import('../../src/config/dotenv.ts').then(
    () => null,
    ({ message }: Error) => /^process\.exit .* "(\d+)"/.exec(message)?.[1] ?? message,
  );
  const { CALLSHEET_SETTINGS, ...after } = readEnvironment();
  const set = Object.entries(after).filter(([name, value]) => value !== before[name]);
  return { set: Object.fromEntries(set), printed: printed.join(''), exit };
}

describe('the file of settings that npm start loads', () => {
  test('sets its variables, those of others too, beside the ones that are set, which win', async () => {
    vi.stubEnv('RETRIES', '7');
    const settings = file('settings', "RETRIES=2\nPGSSLMODE='require'\nMONTHS=a$b\n");
    expect(await start(settings)).toEqual({
      set: { PGSSLMODE: 'require', MONTHS: 'a$b' },
      printed: '',
      exit: null,
    });
  });

  test('may be missing', async () => {
    const missing = `${file('settings', '')}.gone`;
    expect(await start(missing)).toEqual({ set: {}, printed: '', exit: null });
  });

  test('ends the process with 78 and a line for each error of ours, and sets nothing', async () => {
    const settings = file(
      'settings',
      [
        'RETRIES = 2',
        'export SIDTOKEN_OF_NORTH=a-token',
        'export PGPASSWORD=a-password',
        'export MY_SIDTOKEN=other',
        'export PGADMIN_EMAIL=other',
        'export MYPGHOST=other',
        'MONTHS=3',
      ].join('\n'),
    );
    expect(await start(settings)).toEqual({
      set: {},
      printed: `callsheet: ${settings}, line 1: write RETRIES=… without spaces around the =
callsheet: ${settings}, line 2: write SIDTOKEN_OF_NORTH=… without export
callsheet: ${settings}, line 3: write PGPASSWORD=… without export
`,
      exit: '78',
    });
  });

  test('that can’t be read ends the process with 78 and the reason', async () => {
    const folder = path.dirname(file('settings', ''));
    expect(await start(folder)).toEqual({
      set: {},
      printed: `callsheet: ${folder} can't be read (EISDIR): check what it is, and the rights to it\n`,
      exit: '78',
    });
  });
});
