import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { explain } from '../../src/cli/explain.ts';
import type { Environment } from '../../src/config/environment.ts';
import { loadConfig } from '../../src/config/load.ts';
import { retriedRun } from '../../src/job/retried-runs.ts';
import { type AppContext, createContext } from '../../src/job/run/app-context.ts';
import { openDatabase, requireSchema } from '../../src/job/run/database.ts';
import { createLogger } from '../../src/support/logger.ts';
import { createRedactor, redacted } from '../../src/support/redaction.ts';
import { isDatabaseOutage } from '../../src/warehouse/failures.ts';
import { never, undated } from '../support/nights.ts';
import { createRole, type TestRole } from '../support/role.ts';
import { openWorld, type World } from '../support/world.ts';

let world: World;
let role: TestRole;
let file: string;
beforeEach(async () => {
  world = await openWorld();
  role = await createRole();
  file = path.join(world.folder, 'database_url');
});
afterEach(async () => {
  await world.close();
  await role.drop();
});

function addressWith(password: string): string {
  return Object.assign(new URL(role.url(world.databaseUrl)), { password }).href;
}

/** Gives the role another password, and ends its sessions: those live on otherwise. */
async function rotate(password: string): Promise<void> {
  await role.alter(`password '${password}'`);
  await world.query('select pg_terminate_backend(pid, 10000) from pg_stat_activity where usename = $1', [
    role.name,
  ]);
}

/** A process that stays up. */
async function start(settings: Environment) {
  const redactor = createRedactor();
  const environment = { ...world.environment, ...settings };
  const loaded = loadConfig(environment, { service: true }, redactor);
  const log = createLogger('silent', 'json', redactor);
  const { url } = await openDatabase(loaded, log);
  let now = Temporal.Instant.from('2026-03-02T06:30:00Z');
  const app = createContext(loaded, url, log, () => now);
  const wait = async (milliseconds: number) => {
    now = now.add({ milliseconds });
  };
  return { app, redactor, wait };
}

const fromFile = () => start({ DATABASE_URL: '', DATABASE_URL_FILE: file });

/** Each kind of connection that a process opens. */
async function useAll({ warehouse, takeRunLock, openPlainSql, openWarehouse }: AppContext): Promise<string> {
  await requireSchema(warehouse);
  await (await takeRunLock())!.release();
  const plain = openPlainSql(1);
  await plain.executeSql('select 1');
  await plain.end();
  await using another = openWarehouse(1);
  const { rows } = await sql<{ role: string }>`select current_user as role`.execute(another);
  return rows[0]!.role;
}

describe('a process that stays up with DATABASE_URL_FILE', () => {
  it('goes on once the file has the password of today, and another user and host, too', async () => {
    await rotate('password-of-monday');
    await writeFile(file, addressWith('password-of-monday'));
    const { app, redactor } = await fromFile();
    expect(await useAll(app)).toBe(role.name);

    await rotate('password-of-tuesday');
    const refused = await useAll(app).catch((error) => error);
    expect(explain(refused, redactor)).toEqual({
      exitCode: 78,
      lines: [
        expect.stringMatching(
          /^the database rejected the password \(28P01: .*\): check .* DATABASE_URL_FILE, correct the file: each new connection reads it again$/,
        ),
      ],
    });

    await writeFile(file, addressWith('password-of-tuesday'));
    expect(await useAll(app)).toBe(role.name);
    expect(redactor.redact('password-of-monday password-of-tuesday')).toBe(`${redacted} ${redacted}`);

    await writeFile(file, Object.assign(new URL(world.databaseUrl), { hostname: 'localhost' }).href);
    await rotate('password-of-wednesday');
    expect(await useAll(app)).toBe(new URL(world.databaseUrl).username);
    await app.warehouse.destroy();
  });

  it('says in one line what is wrong with the file, without what is in it', async () => {
    await rotate('password-of-monday');
    await writeFile(file, addressWith('password-of-monday'));
    const { app, redactor } = await fromFile();
    await requireSchema(app.warehouse);
    for (const content of ['db.example.com/pass%word', 'postgres://u:pass%word@db/x', `${file}?sslmode=on`]) {
      await writeFile(file, content);
      await rotate('password-of-monday');
      for (const use of [() => requireSchema(app.warehouse), app.takeRunLock]) {
        const { lines, exitCode } = explain(await use().catch((error) => error), redactor);
        expect({ lines, exitCode }).toEqual({
          exitCode: 78,
          lines: [
            expect.stringMatching(
              /^.*database_url is a file whose content is (not )?an address .*: correct the file: it is read again$/,
            ),
          ],
        });
        expect(lines.join()).not.toContain('pass%word');
      }
    }
    await writeFile(file, addressWith('password-of-monday'));
    await requireSchema(app.warehouse);
    await app.warehouse.destroy();
  });

  it('counts what the file may heal as an outage, and what a setting alone can heal not', async () => {
    await rotate('password-of-monday');
    for (const [settings, isOutage] of [
      [{ DATABASE_URL: '', DATABASE_URL_FILE: file }, true],
      [{ DATABASE_URL: addressWith('wrong') }, false],
    ] as const) {
      await writeFile(file, addressWith('wrong'));
      const { app } = await start(settings);
      for (const use of [() => requireSchema(app.warehouse), app.takeRunLock])
        expect(isDatabaseOutage(await use().catch((error) => error))).toBe(isOutage);
      await app.warehouse.destroy();
    }
  });
});

describe('run --retry-for, started between the new password and the new file', () => {
  it('goes on once the file is rewritten', async () => {
    await rotate('password-of-monday');
    await writeFile(file, addressWith('password-of-sunday'));
    const { app, wait } = await fromFile();
    let waits = 0;
    const report = await retriedRun(app, undated, never, {
      retryForMs: 3 * 3_600_000,
      async wait(ms) {
        await wait(ms);
        if (++waits === 2) await writeFile(file, addressWith('password-of-monday'));
      },
    });
    expect(report).toMatchObject({ outcome: 'done', number: 3 });
    await app.warehouse.destroy();
  });

  it('ends where the password is in DATABASE_URL itself', async () => {
    await rotate('password-of-monday');
    const { app, wait } = await start({ DATABASE_URL: addressWith('password-of-sunday') });
    const run = retriedRun(app, undated, never, { retryForMs: 3 * 3_600_000, wait });
    await expect(run).rejects.toMatchObject({ code: '28P01' });
    await app.warehouse.destroy();
  });
});
