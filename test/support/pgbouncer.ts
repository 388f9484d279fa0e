import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';

export type PgBouncer = {
  /** The same database by way of the pooler. */
  url(databaseUrl: string): string;
  stop(): Promise<void>;
};

// It refuses to run as root, and needs no rights: this is `nobody` on Linux.
const nobody = 65534;
const identity = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {};
// Debian puts it where only root looks.
const searched = `${process.env.PATH}:/usr/sbin:/usr/local/sbin:/opt/homebrew/bin`;

/**
 * Starts PgBouncer in front of a server, in transaction mode and with few connections.
 * Startup parameters are refused, as they are by its own defaults.
 */
export async function startPgBouncer(adminUrl: string, { poolSize = 3 } = {}): Promise<PgBouncer> {
  const server = new URL(adminUrl);
  const folder = await mkdtemp(path.join(tmpdir(), 'callsheet-pgbouncer-'));
  const port = await freePort();
  const files = {
    'userlist.txt': `"${server.username}" "${decodeURIComponent(server.password)}"\n`,
    'pgbouncer.ini': `[databases]
* = host=${server.hostname} port=${server.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${folder}/userlist.txt
pool_mode = transaction
default_pool_size = ${poolSize}
max_client_conn = 200
`,
  };
  for (const [name, text] of Object.entries(files)) await writeFile(path.join(folder, name), text);
  await chmod(folder, 0o711);
  if (identity.uid) await chown(path.join(folder, 'userlist.txt'), identity.uid, identity.gid);
  await chmod(path.join(folder, 'userlist.txt'), 0o600);

  const child = spawn('pgbouncer', [path.join(folder, 'pgbouncer.ini')], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { PATH: searched },
    cwd: folder,
    ...identity,
  });
  const said: string[] = [];
  const up = Promise.withResolvers<void>();
  createInterface(child.stderr).on('line', (line) => {
    if (said.push(line) > 20) said.shift();
    if (line.includes('process up')) up.resolve();
  });
  child.once('error', () => {
    up.reject(
      new Error(
        'no pgbouncer here: apt-get install pgbouncer (bash .ci/run does), or brew install pgbouncer',
      ),
    );
  });
  child.once('exit', (code) => up.reject(new Error(`pgbouncer ended with ${code}:\n${said.join('\n')}`)));
  await up.promise;
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

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}
