import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ended } from '../support/callsheet.ts';
import { createAuthority } from '../support/certificates.ts';

const authority = createAuthority();
const folder = mkdtempSync(path.join(tmpdir(), 'callsheet-settings-'));
afterAll(() => {
  authority[Symbol.dispose]();
  rmSync(folder, { recursive: true });
});

const listed = {
  apirid: '',
  page: 1,
  pages: 1,
  limit: 100,
  clients: 1,
  results: 1,
  count: 1,
  data: [{ clientid: 7, clientname: 'Ana Gray', checksum: '1' }],
};

/** The service over TLS; counts connections, and what got as far as a request. */
async function startTlsService() {
  let [requests, connections] = [0, 0];
  const server = createServer(authority.issue(), (_, response) => {
    requests++;
    response.end(JSON.stringify(listed));
  });
  server.on('connection', () => connections++);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `https://localhost:${(server.address() as AddressInfo).port}`,
    counts: () => ({ requests, connections }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** `clients` as `npm start` runs it: all settings come from `.env`. */
async function listClients(settings: Record<string, string>, environment: NodeJS.ProcessEnv = {}) {
  const all = { SIDTOKEN: 't0ken-of-the-service', LOG_FORMAT: 'json', RETRIES: '3', ...settings };
  const lines = Object.entries(all).map(([name, value]) => `${name}='${value}'\n`);
  writeFileSync(path.join(folder, '.env'), lines.join(''), { mode: 0o600 });
  const source = path.resolve(import.meta.dirname, '../../src');
  const files = ['--import', path.join(source, 'config/dotenv.ts'), path.join(source, 'main.ts')];
  const child = spawn(process.execPath, [...files, 'clients', '--format', 'csv'], {
    cwd: folder,
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return await ended(child);
}

describe('a certificate of the service that is refused', () => {
  const trusted = { NODE_EXTRA_CA_CERTS: authority.file };

  it('ends the command at the first attempt, with what to do, before it sends anything', async () => {
    await using service = await startTlsService();
    const { code, stderr } = await listClients({ SERVICE_BASE_URL: service.url });
    expect(stderr).toMatch(/not trusted here \(UNABLE_TO_.*NODE_EXTRA_CA_CERTS/);
    expect(stderr).not.toMatch(/t0ken|^ {4}at /m);
    expect(code).toBe(69);
    expect(service.counts()).toEqual({ requests: 0, connections: 1 });
  });

  it('is trusted once its authority is named in NODE_EXTRA_CA_CERTS, in .env, too', async () => {
    await using service = await startTlsService();
    const { code, stdout, stderr } = await listClients({ SERVICE_BASE_URL: service.url, ...trusted });
    expect(stderr).toBe('');
    expect(stdout).toContain('Ana Gray');
    expect(code).toBe(0);
  });

  it('is trusted where the machine trusts its authority, and NODE_OPTIONS=--use-system-ca stands in .env', async () => {
    await using service = await startTlsService();
    // Where OpenSSL, and so Node on Linux, finds what the machine trusts.
    const machine = { SSL_CERT_FILE: authority.file };
    const settings = { SERVICE_BASE_URL: service.url, RETRIES: '0' };
    const { code, stdout } = await listClients({ ...settings, NODE_OPTIONS: '--use-system-ca' }, machine);
    expect([code, stdout]).toEqual([0, expect.stringContaining('Ana Gray')]);
  });
});

it('NODE_EXTRA_CA_CERTS that names no file is a configuration error', async () => {
  const { code, stderr } = await listClients({
    SERVICE_BASE_URL: 'https://localhost',
    NODE_EXTRA_CA_CERTS: path.join(folder, 'missing.pem'),
  });
  expect(stderr).toMatch(/NODE_EXTRA_CA_CERTS is a file that doesn't exist/);
  expect(code).toBe(78);
});
