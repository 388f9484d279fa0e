import { chown, copyFile, mkdir, readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished } from 'vitest';
import { migrate } from '../../../src/job/run/database.ts';
import { itIsARun, type Refusing } from '../../crash/refusing.ts';
import { openOutage } from '../../schedule/outage.ts';
import { queryAt } from '../../support/database.ts';
import { runPeer } from '../../support/peers.ts';
import { type KeptPostgres, keepPostgres } from '../../support/postgres-keeper.ts';
import { startPostgresProxy } from '../../support/postgres-proxy.ts';
import { scratchFolder } from '../../support/scratch.ts';
import { stockPrograms } from './stock.ts';

let folder: string;
let programs: string;
let primary: KeptPostgres;
let pairs = 0;
beforeAll(async () => {
  folder = await scratchFolder('callsheet-standby-');
  programs = await stockPrograms();
  primary = await keepPostgres({
    directory: path.join(folder, 'primary'),
    binaries: programs,
    temporary: true,
  });
});
afterAll(async () => {
  await primary?.stop();
  await rm(folder, { recursive: true, force: true });
});

async function run(program: string, args: readonly string[]): Promise<void> {
  const { code, output } = await runPeer({ program: path.join(programs, program) }, args);
  if (code !== 0) throw new Error(`${program}: ${output}`);
}

/** Copies the primary while it runs, and lets the copy follow it. */
async function startStandby(name: string): Promise<KeptPostgres> {
  const directory = path.join(folder, name);
  const home = path.join(directory, 'postgres');
  const data = path.join(home, 'data');
  await mkdir(home, { recursive: true });
  await run('pg_basebackup', ['-d', primary.adminUrl, '-D', data, '-R', '-c', 'fast', '-X', 'stream']);
  await copyFile(path.join(primary.directory, 'password'), path.join(home, 'password'));
  await rm(path.join(data, 'postmaster.pid'), { force: true });
  // As root, it runs as the user of the primary.
  const { uid, gid } = await stat(path.join(primary.directory, 'data'));
  for (const file of await readdir(directory, { recursive: true }))
    await chown(path.join(directory, file), uid, gid);
  const server = await keepPostgres({ directory, binaries: programs, temporary: true });
  onTestFinished(server.stop);
  return server;
}

describe('a database whose name leads to a standby until that is promoted', () =>
  itIsARun(async (): Promise<Refusing> => {
    const name = `night_${++pairs}`;
    const urlAt = (server: KeptPostgres) => Object.assign(new URL(server.adminUrl), { pathname: name }).href;
    await queryAt(primary.adminUrl, `create database ${name}`);
    await migrate(urlAt(primary));
    const standby = await startStandby(`standby-${pairs}`);
    const proxy = await startPostgresProxy(urlAt(primary));
    onTestFinished(proxy.close);
    const outage = await openOutage({
      place: {
        url: proxy.url,
        query: (text, values) => queryAt(proxy.url, text, values),
        close: async () => {},
      },
    });
    return {
      outage,
      url: proxy.url,
      async refuse() {
        proxy.refuse(true);
        await proxy.cut();
        const [at] = await queryAt<{ written: string }>(
          primary.adminUrl,
          'select pg_current_wal_flush_lsn() as written',
        );
        const replayed = `select pg_last_wal_replay_lsn() >= '${at!.written}' as "isCaughtUp"`;
        await expect.poll(() => queryAt(standby.adminUrl, replayed)).toEqual([{ isCaughtUp: true }]);
        proxy.lead(urlAt(standby));
        proxy.refuse(false);
      },
      accept: async () => void (await queryAt(standby.adminUrl, 'select pg_promote(wait => true)')),
      refusal: 'the database is read-only: it is a standby',
    };
  }));
