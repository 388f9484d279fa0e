import childProcess from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';
import pg from 'pg';

/** Replaces a function that a test of the project `unit` must not call. */
function refuse(what: string) {
  return () => {
    throw new Error(`a unit test ${what}: name its file *.integration.test.ts (CONTRIBUTING.md, "Tests")`);
  };
}

for (const start of ['exec', 'execFile', 'execFileSync', 'execSync', 'fork', 'spawn', 'spawnSync'])
  Object.assign(childProcess, { [start]: refuse('starts a process') });
syncBuiltinESMExports();
pg.Client.prototype.connect = refuse('connects to Postgres');
