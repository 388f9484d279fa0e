import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setInterval } from 'node:timers/promises';
import { freePort } from '../../server/site.ts';
import { createAuthority, type ServerCertificate } from '../../support/certificates.ts';
import { missingLine, peers, searched } from '../../support/peers.ts';
import type { MailServer } from './mailing.ts';

export type Exim = MailServer & {
  /** With TLS from the first byte. */
  readonly tlsUrl: string;
  /** From now on mail to `grey@…` is accepted. */
  endGreylisting(): Promise<void>;
  /** What it logged. */
  log(): Promise<string>;
  stop(): Promise<void>;
};

const password = 'mail-password';
// It doesn't deliver as root, and needs no rights: this is `nobody` on Linux.
const nobody = 65534;
const isRoot = process.getuid?.() === 0;

/**
 * Starts Exim with a certificate of an authority of its own. It demands TLS and a password, takes no line above 998 bytes
 * and no header that it can't parse, knows no `unknown@…`, and delivers all else into files.
 *
 * @param maxBytes of a message
 */
export async function startExim(maxBytes = 10_000_000): Promise<Exim> {
  const folder = await mkdtemp(path.join(tmpdir(), 'callsheet-exim-'));
  const authority = createAuthority();
  const [starttlsPort, tlsPort] = [await freePort(), await freePort()];
  await prepare(folder, authority.issue({ names: 'IP:0.0.0.0' }), configuration(folder, tlsPort, maxBytes));
  const listen = `127.0.0.1.${starttlsPort} : 127.0.0.1.${tlsPort}`;
  const child = spawn('exim4', ['-C', `${folder}/exim.conf`, '-bdf', '-oX', listen], {
    env: { PATH: searched },
    stdio: ['ignore', 'ignore', 'inherit'],
    // With a process group of its own: what still delivers would log into a folder that is gone.
    detached: true,
  });
  const failed = Promise.withResolvers<never>();
  child.once('error', () => failed.reject(new Error(missingLine(peers.exim4))));
  child.once('exit', (code) => failed.reject(new Error(`exim4 ended with ${code}`)));
  const log = async () => await readFile(`${folder}/log/main`, 'utf8').catch(() => '');
  const listening = async () => {
    for await (const _ of setInterval(20)) if ((await log()).includes('daemon started')) return;
  };
  await Promise.race([listening(), failed.promise]);
  // It reaches this machine without being taken for it: as strict as with any server.
  const login = `callsheet:${password}@0.0.0.0`;
  return {
    starttlsUrl: `smtp://${login}:${starttlsPort}`,
    tlsUrl: `smtps://${login}:${tlsPort}`,
    authority: authority.file,
    endGreylisting: () => writeFile(`${folder}/known`, ''),
    async delivered() {
      const names = await readdir(`${folder}/mail/new`).catch(() => []);
      return names.map((name) => `${folder}/mail/new/${name}`);
    },
    log,
    async stop() {
      const exited = once(child, 'exit');
      if (child.exitCode === null && process.kill(-child.pid!, 'SIGKILL')) await exited;
      authority[Symbol.dispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function prepare(folder: string, { key, cert }: ServerCertificate, text: string): Promise<void> {
  await writeFile(`${folder}/server.key`, key);
  await writeFile(`${folder}/server.pem`, cert);
  // As root it reads a configuration of root alone.
  await writeFile(`${folder}/exim.conf`, text, { mode: 0o644 });
  await chmod(folder, 0o755);
  for (const own of ['spool', 'log', 'mail']) {
    await mkdir(`${folder}/${own}`);
    if (isRoot) await chown(`${folder}/${own}`, nobody, nobody);
  }
  if (isRoot) await chown(`${folder}/server.key`, nobody, nobody);
}

const configuration = (folder: string, tlsPort: number, maxBytes: number): string => `
${isRoot ? `exim_user = ${nobody}\nexim_group = ${nobody}` : ''}
primary_hostname = mail.example.com
spool_directory = ${folder}/spool
log_file_path = ${folder}/log/%s
log_selector = +smtp_connection +smtp_incomplete_transaction
deliver_drop_privilege
host_lookup =
rfc1413_hosts =
keep_environment =
tls_on_connect_ports = ${tlsPort}
tls_certificate = ${folder}/server.pem
tls_privatekey = ${folder}/server.key
tls_advertise_hosts = *
auth_advertise_hosts = \${if eq{$tls_in_cipher}{}{}{*}}
message_size_limit = ${maxBytes}
acl_smtp_rcpt = recipient
acl_smtp_data = message
begin acl
recipient:
  deny !authenticated = *
    message = authentication required
  deny local_parts = unknown
    message = no such user here
  defer local_parts = grey
    condition = \${if exists{${folder}/known}{no}{yes}}
    message = greylisted, try again later
  accept
message:
  deny condition = \${if >{$max_received_linelength}{998}}
    message = a line is too long
  deny !verify = header_syntax
    message = a header can't be parsed: $acl_verify_message
  accept
begin routers
all:
  driver = accept
  transport = file
begin transports
file:
  driver = appendfile
  directory = ${folder}/mail
  maildir_format
  envelope_to_add
begin authenticators
plain:
  driver = plaintext
  public_name = PLAIN
  server_prompts = :
  server_condition = \${if and{{eq{$auth2}{callsheet}}{eq{$auth3}{${password}}}}}
  server_set_id = $auth2
`;
