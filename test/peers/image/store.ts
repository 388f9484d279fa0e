import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { runPeer, searched } from '../../support/peers.ts';

/** Images and containers that nobody else has. */
export type Store = {
  readonly folder: string;
  /** Ends with what it printed, or throws it where it fails. */
  buildah(...args: readonly string[]): Promise<string>;
  podman(...args: readonly string[]): ReturnType<typeof runPeer>;
  startPodman(...args: readonly string[]): ReturnType<typeof spawnPodman>;
  close(): Promise<void>;
};

/** Four times what the images here take. */
const enoughBytes = 8 * 2 ** 30;
/** A health check runs when it is asked for, without a timer of systemd. */
const environment = { DISABLE_HC_SYSTEMD: 'true' };

/**
 * Opens one under /run: in memory where there is enough of it, for each container has a copy of its image (`vfs`, which
 * works on any file system).
 */
export async function openStore(): Promise<Store> {
  if (process.getuid?.() !== 0)
    throw new Error('the tests of the image mount and make containers: run them as root');
  const folder = await mkdtemp('/run/callsheet-image-');
  const inMemory = process.availableMemory() > enoughBytes;
  if (inMemory) await run('mount', '-t', 'tmpfs', 'callsheet-image', folder);
  const store = [`--root=${folder}/images`, `--runroot=${folder}/run`, '--storage-driver=vfs'];
  const podman = [
    ...store,
    '--runtime=runc',
    '--cgroup-manager=cgroupfs',
    '--events-backend=file',
    '--log-level=error',
  ];
  return {
    folder,
    buildah: (...args) => run('buildah', ...store, ...args),
    podman: (...args) => runPeer({ program: 'podman' }, [...podman, ...args], environment),
    startPodman: (...args) => spawnPodman([...podman, ...args]),
    async close() {
      await run('podman', ...podman, 'rm', '--all', '--force', '--time=0');
      if (inMemory) await run('umount', '--recursive', folder);
      await rm(folder, { recursive: true });
    },
  };
}

const spawnPodman = (args: readonly string[]) =>
  spawn('podman', args, {
    env: { ...process.env, PATH: searched, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });

export async function run(program: string, ...args: readonly string[]): Promise<string> {
  const { code, output } = await runPeer({ program }, args);
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${code}: ${output}`);
  return output.trim();
}
