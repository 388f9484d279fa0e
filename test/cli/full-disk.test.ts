import { mkdir, readdir } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { npmStart, runIn } from '../support/callsheet.ts';
import { openWorld, type World } from '../support/world.ts';

let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

/** Types a command in a shell, which redirects its output or limits the size of its files: a disk without room. */
const inShell = (line: string, ...args: readonly string[]) =>
  runIn(world.folder, 'sh', ['-c', line, process.execPath, ...npmStart, ...args], world.environment);

const runs = () => world.query<{ outcome: string }>('select outcome from warehouse.runs order by run_id');

it.each(['json', 'pretty'])('a log that cannot be written costs the log alone: %s', async (format) => {
  const { code } = await inShell(
    `export LOG_FORMAT=${format} LOG_LEVEL=trace; exec "$0" "$@" 2>/dev/full`,
    'run',
  );
  expect(code).toBe(0);
  expect(await readdir(world.outbox)).toHaveLength(1);
  expect(await runs()).toEqual([{ outcome: 'done' }]);
});

it('results that cannot be written are an error, and are said to be cut', async () => {
  const { code, stderr } = await inShell('exec "$0" "$@" >/dev/full', 'clients');
  expect([code, stderr]).toEqual([64, "callsheet: the output can't be written (ENOSPC): it is cut\n"]);
});

it('an outbox without room fails its mails, and is never said to be the database', async () => {
  const { code, stderr } = await inShell('ulimit -f 8; exec "$0" "$@"', 'run');
  expect(code).toBe(75);
  expect(stderr).toMatch(
    /OUTBOX_DIR \(\/.*outbox\) can't be written: the file would be larger than this process may write \(EFBIG\)/,
  );
  expect(stderr).not.toContain('the database');
  expect(await runs()).toEqual([{ outcome: 'partial' }]);
});

it('a preview without room, or with a folder in place of a file, names its folder', async () => {
  await inShell('exec "$0" "$@"', 'run', '--no-digest');
  const day = Temporal.Now.plainDateISO('UTC').subtract({ days: 1 }).toString();
  const preview = ['digest', '--day', day, '--preview', 'preview'];
  const folder = path.join(world.folder, 'preview');
  const why = async (limit: string) => {
    const { code, stderr } = await inShell(`${limit} exec "$0" "$@"`, ...preview);
    expect(code).toBe(64);
    return stderr;
  };
  const line = (reason: string) =>
    `callsheet: the preview can't be written to ${folder}: ${reason}: name another folder with --preview, or make room there\n`;
  expect(await why('ulimit -f 0;')).toBe(
    line('the file would be larger than this process may write (EFBIG)'),
  );
  await mkdir(path.join(folder, `campaigns-${day}.csv`));
  expect(await why('')).toBe(line('it has a folder where a file should be written (EISDIR)'));
});
