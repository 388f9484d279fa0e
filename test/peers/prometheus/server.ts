import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { stringify } from 'yaml';
import { freePort } from '../../server/site.ts';
import { missingLine, peers, searched } from '../../support/peers.ts';
import { rulesFile } from './promtool.ts';

/** A scrape job: where it scrapes, and with which bearer token. */
export type ScrapeJob = { readonly name: string; readonly target: string; readonly token: string };

export type Prometheus = {
  /** What its HTTP API says at that path. */
  api<T>(request: string): Promise<T>;
  stop(): Promise<void>;
};

/** Starts Prometheus with our rules; it scrapes and evaluates each second. */
export async function startPrometheus(jobs: readonly ScrapeJob[]): Promise<Prometheus> {
  const folder = await mkdtemp(path.join(tmpdir(), 'callsheet-prometheus-'));
  for (const { name, token } of jobs) await writeFile(path.join(folder, name), token, { mode: 0o600 });
  const config = {
    global: { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' },
    rule_files: [rulesFile],
    scrape_configs: jobs.map(({ name, target }) => ({
      job_name: name,
      authorization: { credentials_file: path.join(folder, name) },
      static_configs: [{ targets: [target] }],
    })),
  };
  await writeFile(path.join(folder, 'prometheus.yaml'), stringify(config));
  const port = await freePort();
  const args = [
    `--config.file=${folder}/prometheus.yaml`,
    `--storage.tsdb.path=${folder}/data`,
    `--web.listen-address=127.0.0.1:${port}`,
  ];
  const child = spawn(peers.prometheus.program, args, {
    env: { PATH: searched },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const lines: string[] = [];
  const ready = Promise.withResolvers<void>();
  createInterface(child.stderr).on('line', (line) => {
    lines.push(line);
    if (line.includes('ready to receive web requests')) ready.resolve();
  });
  child.once('error', () => ready.reject(new Error(missingLine(peers.prometheus))));
  child.once('exit', (code) =>
    ready.reject(new Error(`prometheus ended with ${code}:\n${lines.join('\n')}`)),
  );
  await ready.promise;
  return {
    async api<T>(request: string) {
      const response = await fetch(`http://127.0.0.1:${port}/api/v1/${request}`);
      return ((await response.json()) as { data: T }).data;
    },
    async stop() {
      const exited = once(child, 'exit');
      if (child.kill('SIGTERM')) await exited;
      await rm(folder, { recursive: true });
    },
  };
}
