import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';

/** A program that no npm package has, or the folder of a library, and the packages that install it. */
export type Peer = {
  readonly program: string;
  readonly debian: string;
  readonly brew?: string;
  /** Unpacked into a folder: Debian installs only one mail server. */
  readonly unpacked?: true;
};

/** `.ci/run` installs the same ones, which test/peers/packages.test.ts checks. */
export const peers = {
  pgbouncer: { program: 'pgbouncer', debian: 'pgbouncer', brew: 'pgbouncer' },
  promtool: { program: 'promtool', debian: 'prometheus', brew: 'prometheus' },
  soffice: { program: 'soffice', debian: 'libreoffice-calc', brew: '--cask libreoffice' },
  postfix: { program: 'postfix', debian: 'postfix', unpacked: true },
  saslpasswd2: { program: 'saslpasswd2', debian: 'sasl2-bin' },
  python3: { program: '/usr/bin/python3', debian: 'python3' },
  ...pythonPackages('pandas', 'psycopg2', 'sqlalchemy'),
  pg_dump: { program: 'pg_dump', debian: 'postgresql', brew: 'postgresql@18' },
  buildah: { program: 'buildah', debian: 'buildah' },
  runc: { program: 'runc', debian: 'runc' },
  debootstrap: { program: 'debootstrap', debian: 'debootstrap' },
  podman: { program: 'podman', debian: 'podman' },
  'systemd-analyze': { program: 'systemd-analyze', debian: 'systemd' },
} as const satisfies Record<string, Peer>;

/** Folders that Debian's own Python imports from. */
function pythonPackages(...names: readonly string[]): Record<string, Peer> {
  const peerOf = (name: string) => ({
    program: `/usr/lib/python3/dist-packages/${name}`,
    debian: `python3-${name}`,
  });
  return Object.fromEntries(names.map((name) => [name, peerOf(name)]));
}

const caches = process.env.XDG_CACHE_HOME || path.join(homedir(), '.cache');
/** `.ci/run` unpacks packages here that it doesn't install. */
const unpackedFolder = path.join(caches, 'callsheet-peers');

/** Includes the folders of daemons, which only root has in its PATH. */
export const searched = `${process.env.PATH}:/usr/sbin:/usr/local/sbin:/opt/homebrew/bin:${unpackedFolder}/usr/sbin`;

/** A line for each missing program, which says how to install it. */
export function missingPeers(): string[] {
  return Object.values(peers)
    .filter((peer) => findPeer(peer) === undefined)
    .map(missingLine);
}

export function findPeer({ program }: Peer): string | undefined {
  const files = searched.split(path.delimiter).map((folder) => path.resolve(folder, program));
  return files.find(isProgram);
}

export function missingLine({ program, debian, brew, unpacked }: Peer): string {
  if (unpacked)
    return `no program ${program} here: bash .ci/run unpacks Debian's package ${debian} into ${unpackedFolder}`;
  const elsewhere = brew === undefined ? '; elsewhere as its project says' : `, brew install ${brew}`;
  return `no program ${program} here: apt-get install ${debian} (bash .ci/run does)${elsewhere}`;
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

export type Printed = { readonly code: number | null; readonly output: string };

/** No program here takes as long, however busy the machine is: what hangs is killed, and its test fails. */
const maxMs = 9 * 60_000;

/** Options of `spawn` for a program of the tests. */
export const bounded = () => ({
  signal: AbortSignal.timeout(maxMs),
  killSignal: 'SIGKILL' as const,
  stdio: ['ignore', 'pipe', 'pipe'] as ['ignore', 'pipe', 'pipe'],
});

export async function runPeer(
  { program }: Pick<Peer, 'program'>,
  args: readonly string[],
  environment: NodeJS.ProcessEnv = {},
): Promise<Printed> {
  const child = spawn(program, args, {
    env: { ...process.env, PATH: searched, ...environment },
    ...bounded(),
  });
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  return { code, output: `${stdout}${stderr}` };
}
