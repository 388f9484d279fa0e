import { execFileSync } from 'node:child_process';
import { mkdtempDisposableSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

export type ServerCertificate = { readonly key: Buffer; readonly cert: Buffer };

/** Creates a certificate authority that no system trusts; openssl keeps its files in a temporary folder. */
export function createAuthority() {
  const folder = mkdtempDisposableSync(path.join(tmpdir(), 'callsheet-authority-'));
  const openssl = (command: string) =>
    execFileSync('openssl', command.split(' '), { cwd: folder.path, stdio: 'ignore' });
  const newKey = '-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes';
  openssl(`req -x509 ${newKey} -keyout authority.key -out authority.pem -days 1 -subj /CN=authority`);
  return {
    file: path.join(folder.path, 'authority.pem'),
    /** A server's certificate for these names, valid for a day. */
    issue({ names = 'DNS:localhost,IP:127.0.0.1' } = {}): ServerCertificate {
      const request = `req ${newKey} -keyout server.key -out server.csr -subj /CN=server`;
      openssl(`${request} -addext subjectAltName=${names}`);
      const signer = '-CA authority.pem -CAkey authority.key -CAcreateserial -copy_extensions copyall';
      openssl(`x509 -req -in server.csr ${signer} -out server.pem -days 1`);
      const read = (file: string) => readFileSync(path.join(folder.path, file));
      return { key: read('server.key'), cert: read('server.pem') };
    },
    [Symbol.dispose]: folder.remove,
  };
}
