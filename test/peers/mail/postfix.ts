import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setInterval } from 'node:timers/promises';
import { freePort } from '../../server/site.ts';
import { runIn } from '../../support/callsheet.ts';
import { createAuthority } from '../../support/certificates.ts';
import { findPeer, missingLine, peers, searched } from '../../support/peers.ts';
import { hostname, mainCf, masterCf, recipients, smtpdConf } from './postfix-configuration.ts';

const password = 'mail-password';
// The same on every Debian: the accounts that its daemons and its deliveries run as.
const [mail, nobody] = [8, 65534];
const queues =
  'active bounce corrupt defer deferred flush hold incoming maildrop private public saved trace'.split(' ');

/**
 * Starts Postfix with a certificate of an authority of its own. It demands STARTTLS and a password of Cyrus SASL, knows
 * no recipients but its own, asks a policy server for greylisting, and delivers into files.
 */
export async function startPostfix() {
  if (process.getuid?.() !== 0) throw new Error('Postfix starts as root alone: run these tests as root');
  const program = findPeer(peers.postfix);
  if (program === undefined) throw new Error(missingLine(peers.postfix));
  const usr = path.resolve(path.dirname(program), '..');
  const folder = await mkdtemp(path.join(tmpdir(), 'callsheet-postfix-'));
  const greylisting = await startGreylisting();
  const port = await freePort();
  const authority = createAuthority();
  const own = authority.issue({ names: 'IP:0.0.0.0' });
  await prepare(folder, {
    'main.cf': mainCf(folder, usr, greylisting.port),
    'master.cf': masterCf(port),
    'sasl/smtpd.conf': smtpdConf(folder),
    'own.key': own.key,
    'own.pem': own.cert,
  });
  const child = spawn(`${usr}/lib/postfix/sbin/master`, ['-c', folder, '-d'], {
    env: { PATH: searched, MAIL_CONFIG: folder, LD_LIBRARY_PATH: `${usr}/lib/postfix` },
    stdio: ['ignore', 'ignore', 'inherit'],
    // With a process group of its own: its daemons end with it.
    detached: true,
  });
  const log = async () => await readFile(`${folder}/log/main`, 'utf8').catch(() => '');
  const failed = Promise.withResolvers<never>();
  child.once('error', failed.reject);
  child.once('exit', (code) => failed.reject(new Error(`Postfix ended with ${code}`)));
  const listening = async () => {
    for await (const _ of setInterval(20)) if ((await log()).includes('daemon started')) return;
  };
  await Promise.race([listening(), failed.promise]);
  const deliveredTo = async (localPart: string) => {
    const names = await readdir(`${folder}/mail/${localPart}/new`).catch(() => []);
    return names.map((name) => `${folder}/mail/${localPart}/new/${name}`);
  };
  return {
    // The address reaches this machine without being taken for it: Callsheet is as strict as with any server.
    url: `smtp://callsheet:${password}@0.0.0.0:${port}`,
    /** The certificate of its authority, in PEM. */
    authority: authority.file,
    /** From now on mail to `grey@…` is accepted. */
    endGreylisting: greylisting.end,
    /** The delivered messages as files, in the order of the recipients. */
    delivered: async () => (await Promise.all(recipients.map(deliveredTo))).flat(),
    log,
    async stop() {
      const exited = once(child, 'exit');
      if (child.exitCode === null && process.kill(-child.pid!, 'SIGKILL')) await exited;
      greylisting.stop();
      authority[Symbol.dispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Writes its files, with its password, and makes its folders. */
async function prepare(folder: string, files: Readonly<Record<string, string | Buffer>>): Promise<void> {
  await chmod(folder, 0o755);
  await mkdir(`${folder}/sasl`);
  for (const [name, content] of Object.entries(files))
    await writeFile(`${folder}/${name}`, content, { mode: name.endsWith('.key') ? 0o600 : 0o644 });
  for (const name of ['log', 'queue', 'queue/pid']) await mkdir(`${folder}/${name}`);
  for (const name of ['data', ...queues.map((queue) => `queue/${queue}`)]) {
    await mkdir(`${folder}/${name}`);
    await chown(`${folder}/${name}`, mail, mail);
  }
  await mkdir(`${folder}/mail`);
  await chown(`${folder}/mail`, nobody, nobody);
  const options = ['-p', '-c', '-f', `${folder}/sasldb`, '-u', hostname, 'callsheet'];
  const { program } = peers.saslpasswd2;
  const { code, stderr } = await runIn(folder, program, options, { PATH: searched }, password);
  if (code !== 0) throw new Error(`${program} ended with ${code}: ${stderr}`);
  await chown(`${folder}/sasldb`, mail, mail);
}

/**
 * A policy server, as Postfix asks one before it accepts a recipient (its SMTPD_POLICY_README): lines `name=value` and an
 * empty one, answered by an action and an empty line. It puts off mail to `grey@…` until `end` is called.
 */
async function startGreylisting() {
  let isOver = false;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}));
    let isGrey = false;
    createInterface(socket).on('line', (line) => {
      if (line.startsWith('recipient=')) isGrey = line.startsWith('recipient=grey@');
      if (line !== '') return;
      const action = isGrey && !isOver ? 'defer_if_permit greylisted, try again later' : 'dunno';
      socket.write(`action=${action}\n\n`);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    end: () => {
      isOver = true;
    },
    stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
