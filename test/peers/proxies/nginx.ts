import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setInterval } from 'node:timers/promises';
import { freePort } from '../../server/site.ts';
import { createAuthority } from '../../support/certificates.ts';
import { missingLine, peers, searched } from '../../support/peers.ts';

export type Nginx<Place extends string> = {
  /** Where each place listens. */
  readonly ports: Readonly<Record<Place, number>>;
  /** The certificate of its authority, in PEM. */
  readonly authority: string;
  /** Status and content encoding of each response of a place, oldest first: `200 gzip`. */
  responses(place: Place): Promise<string[]>;
  stop(): Promise<void>;
};

export type Places<Place extends string> = {
  /** What they share, such as upstreams: directives of `http`. */
  readonly shared: string;
  /** What nginx does in each: directives of a `server`. */
  readonly places: Readonly<Record<Place, string>>;
};

/** Starts nginx with TLS, a certificate of an authority of its own, and gzip. */
export async function startNginx<Place extends string>({
  shared,
  places,
}: Places<Place>): Promise<Nginx<Place>> {
  const folder = await mkdtemp(path.join(tmpdir(), 'callsheet-nginx-'));
  // Its workers aren't root's, and have folders in it.
  await chmod(folder, 0o711);
  const authority = createAuthority();
  const { key, cert } = authority.issue();
  await writeFile(`${folder}/server.key`, key);
  await writeFile(`${folder}/server.pem`, cert);
  const names = Object.keys(places) as Place[];
  const ports = {} as Record<Place, number>;
  for (const place of names) ports[place] = await freePort();
  const servers = names.map(
    (place) => `server {
    listen 127.0.0.1:${ports[place]} ssl;
    access_log ${folder}/${place}.log brief;
    ${places[place]}
  }`,
  );
  await writeFile(`${folder}/nginx.conf`, configuration(folder, [shared, ...servers].join('\n  ')));
  const child = spawn(peers.nginx.program, ['-p', folder, '-c', 'nginx.conf', '-e', 'error.log'], {
    env: { PATH: searched },
    stdio: ['ignore', 'ignore', 'inherit'],
    // With a process group of its own: its workers end with it.
    detached: true,
  });
  const failed = Promise.withResolvers<never>();
  child.once('error', () => failed.reject(new Error(missingLine(peers.nginx))));
  child.once('exit', (code) => failed.reject(new Error(`nginx ended with ${code}`)));
  const isListening = () =>
    access(`${folder}/pid`).then(
      () => true,
      () => false,
    );
  const listening = async () => {
    for await (const _ of setInterval(20)) if (await isListening()) return;
  };
  await Promise.race([listening(), failed.promise]);
  return {
    ports,
    authority: authority.file,
    async responses(place) {
      const log = await readFile(`${folder}/${place}.log`, 'utf8');
      return log.split('\n').filter((line) => line !== '');
    },
    async stop() {
      const exited = once(child, 'exit');
      if (child.exitCode === null && process.kill(-child.pid!, 'SIGKILL')) await exited;
      authority[Symbol.dispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const configuration = (folder: string, http: string): string => `
daemon off;
worker_processes 1;
pid ${folder}/pid;
events {}
http {
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  scgi_temp_path ${folder}/scgi;
  uwsgi_temp_path ${folder}/uwsgi;
  log_format brief '$status $sent_http_content_encoding';
  ssl_certificate ${folder}/server.pem;
  ssl_certificate_key ${folder}/server.key;
  gzip on;
  gzip_min_length 1;
  gzip_proxied any;
  gzip_types application/json;
  ${http}
}
`;
