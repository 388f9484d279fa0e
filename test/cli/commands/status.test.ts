import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { formatList } from '../../../src/support/english.ts';
import { addProblems, fill } from '../../server/fill.ts';
import { recipients } from '../../server/site.ts';
import { callsheet, type Ended } from '../../support/callsheet.ts';
import { command } from '../../support/command.ts';
import { scratchFolder } from '../../support/scratch.ts';
import { openWorld, type World } from '../../support/world.ts';

let world: World;
const status = (flags: readonly string[], settings: World['environment'] = {}) =>
  command(['status', ...flags], { ...world.environment, DIGEST_TO: recipients, ...settings });

beforeAll(async () => {
  world = await openWorld();
  await fill(world, ['valley', 'coast']);
  await addProblems(world, 'valley');
});
afterAll(() => world.close());

it('shows what needs somebody, with times in TIME_ZONE, as wide as COLUMNS says, and ends with 75', async () => {
  const narrow = await status([], { TIME_ZONE: 'Asia/Kathmandu' });
  expect(narrow).toMatchObject({ code: 75, stderr: '' });
  expect(narrow.stdout).toMatch(/^\d to do: [^✕]*; \d to check\n/);
  expect(narrow.stdout).toMatch(/client list complete \d{4}-\d\d-\d\d$/m);
  const prose = narrow.stdout.split('\n').filter((line) => !line.startsWith('      '));
  expect(Math.max(...prose.map((line) => line.length))).toBeLessThanOrEqual(80);
  const wide = await status([], { COLUMNS: '120' });
  expect(wide.stdout).toMatch(/^account +complete through +not loaded +held/m);
});

it('has colours in a pipe if FORCE_COLOR says so, and none of them for machines', async () => {
  const inPipe = async (flags: readonly string[], colours: World['environment']) =>
    (await callsheet(['status', ...flags], { ...world.environment, LOG_LEVEL: 'silent', ...colours })).stdout;
  const plain = await inPipe([], {});
  const coloured = await inPipe([], { FORCE_COLOR: '1' });
  expect(plain).not.toContain('\u001B');
  expect(coloured.split('1 to do')[0]).toBe('\u001B[1m\u001B[31m');
  expect(coloured).toContain('\n\u001B[31m✕\u001B[39m \u001B[1m');
  expect(stripVTControlCharacters(coloured)).toBe(plain);
  expect(await inPipe(['--json'], { FORCE_COLOR: '1' })).not.toContain('\u001B');
});

it('prints each command as it is typed where it is read: by npm in a clone, by name in the image', async () => {
  const commandsIn = ({ stdout }: Ended) => stdout.match(/^ {6}.*$/gm)!.map((line) => line.trim());
  const inClone = commandsIn(await status([]));
  expect(inClone).toContain('npm start -- run');
  expect(inClone).toContain('npm start -- status --dismiss MAIL_GIVEN_UP/recipient/550');
  const image = { ...world.environment, DIGEST_TO: recipients, CALLSHEET_COMMAND: 'callsheet' };
  const inImage = commandsIn(await callsheet(['status'], image));
  expect(inImage).toEqual(inClone.map((line) => line.replace('npm start --', 'callsheet')));
});

it('suggests the key that was probably meant to be dismissed', async () => {
  const { alerts } = JSON.parse((await status(['--json'])).stdout) as { alerts: { key: string }[] };
  const { key } = alerts.find((alert) => alert.key.startsWith('MAIL_UNK'))!;
  expect(await status(['--dismiss', key.replace('UNKNOWN', 'UNKONWN')])).toMatchObject({
    code: 64,
    stdout: '',
    stderr: expect.stringContaining(`(did you mean ${key}?)`),
  });
});

it('lists the keys to dismiss if none is called so', async () => {
  const { alerts } = JSON.parse((await status(['--json'])).stdout) as {
    alerts: { key: string; kind: string; steps: { command: string[] | null }[] }[];
  };
  const keys = alerts
    .filter(({ kind, steps }) => kind !== 'note' && JSON.stringify(steps).includes('--dismiss'))
    .map(({ key }) => key);
  expect(keys.length).toBeLessThan(alerts.length);
  expect(keys.length).toBeGreaterThan(1);
  const { code, stderr } = await status(['--dismiss', 'FOO']);
  expect(code).toBe(64);
  expect(stderr).toContain(`no active alert has the key FOO; to dismiss: ${formatList(keys)}`);
});

it('dismisses nothing that ends only once it is fixed', async () => {
  const { code, stdout, stderr } = await status(['--dismiss', 'TOKEN_REFUSED']);
  expect([code, stdout]).toEqual([64, '']);
  expect(stderr).toContain("TOKEN_REFUSED can't be dismissed");
});

it('makes no private database where there is none: it ends with 78, and says what to do', async () => {
  const folder = await scratchFolder('callsheet-nothing-');
  const ended = await callsheet(['status'], {}, folder);
  expect(ended).toMatchObject({ code: 78, stdout: '' });
  const lines = ended.stderr.trimEnd().split('\n');
  expect(lines).toEqual([
    `callsheet: there is no database yet: DATABASE_URL is not set, and there is no private one in ${path.join(folder, '.callsheet')}: set DATABASE_URL; or, to try it out, create a private one: npm start -- init`,
  ]);
  expect(await readdir(folder)).toEqual([]);
});
