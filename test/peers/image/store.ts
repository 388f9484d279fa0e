import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { bounded, runPeer, searched } from '../../support/peers.ts';

/** Images and containers that nobody else has. */
export type Store = {
  readonly folder: string;
  buildah(...args: readonly string[]): Promise<string>;
  podman(...args: readonly string[]): ReturnType<typeof runPeer>;
  startPodman(...args: readonly string[]): ReturnType<typeof spawnPodman>;
  /** How a shell calls podman here. */
  readonly podmanLine: string;
  close(): Promise<void>;
};

/** Four times what the images here take. */
const enoughBytes = 8 * 2 ** 30;
/** A health check runs when it is asked for, without a timer of systemd. */
const environment = { DISABLE_HC_SYSTEMD: 'true' };
/** Before the number of the process that has it. */
const prefix = '/run/callsheet-image-';

/**
 * Opens one under /run: in memory where there is enough of it, for each container has a copy of its image (`vfs`, which
 * works on any file system).
 */
export async function openStore(): Promise<Store> {
  if (process.getuid?.() !== 0)
    throw new Error('the tests of the image mount and make containers: run them as root');
  await removeAbandoned();
  const folder = `${prefix}${process.pid}`;
  await mkdir(folder);
  if (process.availableMemory() > enoughBytes) await run('mount', '-t', 'tmpfs', 'callsheet-image', folder);
  const podman = podmanOptions(folder);
  return {
    folder,
    buildah: (...args) => run('buildah', ...storeOptions(folder), ...args),
    podman: (...args) => runPeer({ program: 'podman' }, [...podman, ...args], environment),
    startPodman: (...args) => spawnPodman([...podman, ...args]),
    podmanLine: [
      'env',
      ...Object.entries(environment).map((each) => each.join('=')),
      'podman',
      ...podman,
    ].join(' '),
    close: () => remove(folder),
  };
}

const storeOptions = (folder: string) => [
  `--root=${folder}/images`,
  `--runroot=${folder}/run`,
  '--storage-driver=vfs',
];

const podmanOptions = (folder: string) => [
  ...storeOptions(folder),
  '--runtime=runc',
  '--cgroup-manager=cgroupfs',
  '--events-backend=file',
  '--log-level=error',
];

const spawnPodman = (args: readonly string[]) =>
  spawn('podman', args, {
    env: { ...process.env, PATH: searched, ...environment },
    ...bounded(),
  });

/** Tests that were killed would leave gigabytes of memory behind. */
async function removeAbandoned(): Promise<void> {
  const folders = (await readdir('/run')).map((name) => `/run/${name}`);
  for (const folder of folders.filter((each) => each.startsWith(prefix)))
    if (!existsSync(`/proc/${folder.slice(prefix.length)}`)) await remove(folder);
}

async function remove(folder: string): Promise<void> {
  await run('podman', ...podmanOptions(folder), 'rm', '--all', '--force', '--time=0');
  // Where it isn't in memory, that fails.
  await runPeer({ program: 'umount' }, ['--recursive', folder]);
  await rm(folder, { recursive: true });
}

/** Runs a program to its end; gives what it printed, or throws that where it fails. */
export async function run(program: string, ...args: readonly string[]): Promise<string> {
  const { code, output } = await runPeer({ program }, args);
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${code}: ${output}`);
  return output.trim();
}
