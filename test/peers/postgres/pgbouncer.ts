import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from '../../server/site.ts';
import { missingLine, peers, searched } from '../../support/peers.ts';

export type PgBouncer = {
  /** The URL of the same database through the pooler. */
  url(databaseUrl: string): string;
  stop(): Promise<void>;
};

// PgBouncer refuses to run as root. This is `nobody` on Linux.
const nobody = 65534;
const identity = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {};

/**
 * Starts PgBouncer in front of a server, in transaction mode and with few connections. It refuses startup parameters, as
 * by default.
 *
 * @param settings replace these settings of PgBouncer
 */
export async function startPgBouncer(
  adminUrl: string,
  settings: Record<string, string | number> = {},
): Promise<PgBouncer> {
  const folder = await mkdtemp(path.join(tmpdir(), 'callsheet-pgbouncer-'));
  const port = await freePort();
  await writeFiles(folder, new URL(adminUrl), {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'scram-sha-256',
    pool_mode: 'transaction',
    default_pool_size: 3,
    max_client_conn: 200,
    ...settings,
  });
  const child = await launch(folder);
  return {
    url(databaseUrl) {
      const url = new URL(databaseUrl);
      url.host = `127.0.0.1:${port}`;
      return url.href;
    },
    async stop() {
      const exited = once(child, 'exit');
      if (child.exitCode === null && child.kill('SIGKILL')) await exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function writeFiles(folder: string, server: URL, settings: Record<string, string | number>) {
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`);
  const files = {
    'userlist.txt': `"${server.username}" "${decodeURIComponent(server.password)}"\n`,
    'pgbouncer.ini': `[databases]
* = host=${server.hostname} port=${server.port}
[pgbouncer]
auth_file = ${folder}/userlist.txt
; Other roles are looked up on the server.
auth_user = ${server.username}
${lines.join('\n')}
`,
  };
  for (const [name, text] of Object.entries(files)) await writeFile(path.join(folder, name), text);
  await chmod(folder, 0o711);
  if (identity.uid) await chown(path.join(folder, 'userlist.txt'), identity.uid, identity.gid);
  await chmod(path.join(folder, 'userlist.txt'), 0o600);
}

async function launch(folder: string): Promise<ChildProcess> {
  const child = spawn('pgbouncer', [path.join(folder, 'pgbouncer.ini')], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { PATH: searched },
    cwd: folder,
    ...identity,
  });
  const logged: string[] = [];
  const up = Promise.withResolvers<void>();
  createInterface(child.stderr).on('line', (line) => {
    if (logged.push(line) > 20) logged.shift();
    if (line.includes('process up')) up.resolve();
  });
  child.once('error', () => {
    up.reject(new Error(missingLine(peers.pgbouncer)));
  });
  child.once('exit', (code) => up.reject(new Error(`pgbouncer ended with ${code}:\n${logged.join('\n')}`)));
  await up.promise;
  return child;
}
