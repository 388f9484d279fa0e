import { existsSync, mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { duration } from '../../src/config/formats.ts';
import { loadConfig } from '../../src/config/load.ts';
import { exitCode } from '../../src/model/exit-code.ts';
import { createRedactor } from '../../src/support/redaction.ts';
import { commandNames, help, read, root, settingNames } from './known.ts';

/** The lines of a unit as [section, name, value]. */
function readUnit(file: string): (readonly [string, string, string])[] {
  let section = '';
  return read(`deploy/systemd/${file}`)
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .flatMap((line) => {
      const heading = /^\[(\w+)\]$/.exec(line);
      if (heading) section = heading[1]!;
      const entry = /^(\w+)=(.*)$/.exec(line);
      if (!heading && !entry) throw new Error(`not a line of a unit: ${line}`);
      return entry ? [[section, entry[1]!, entry[2]!] as const] : [];
    });
}

const service = readUnit('callsheet.service');
const severalAccounts = readUnit('callsheet.service.d/accounts.conf');
const valuesOf = (unit: typeof service, name: string) =>
  unit.filter((entry) => entry[1] === name).map((entry) => entry[2]);

describe('deploy/systemd', () => {
  it('runs a command that exists, from a file that exists', async () => {
    const [node, main, command] = valuesOf(service, 'ExecStart')[0]!.split(' ');
    const [home] = valuesOf(service, 'WorkingDirectory');
    expect(node).toBe(path.join(home!, 'node_modules/.bin/node'));
    expect(existsSync(path.join(root, path.relative(home!, main!)))).toBe(true);
    expect(commandNames()).toContain(command);
    const documentation = valuesOf(service, 'Documentation')[0]!.replace(`file://${home}/`, '');
    expect(existsSync(path.join(root, documentation))).toBe(true);
  });

  it('retries for three hours, and gives the run more time than that', async () => {
    const [, , command, flag, retryFor] = valuesOf(service, 'ExecStart')[0]!.split(' ');
    expect(help(command!)).toContain(flag);
    const [timeout] = valuesOf(service, 'TimeoutStartSec');
    expect(duration.parse(timeout!)).toBeGreaterThan(duration.parse(retryFor!));
  });

  it('sets settings that exist', () => {
    const names = valuesOf(service, 'Environment').map((value) => value.split('=')[0]!);
    expect(names).toContain('SIDTOKEN_FILE');
    expect(names.filter((name) => !settingNames.includes(name))).toEqual([]);
    expect(valuesOf(service, 'LoadCredential')).toEqual(['sidtoken:/etc/callsheet/sidtoken']);
  });

  it('takes an accounts file instead of a token, with the drop-in: the same run, and no setting against another', () => {
    const environment = new Map(
      valuesOf(service, 'Environment').map((value) => value.split('=') as [string, string]),
    );
    for (const name of valuesOf(severalAccounts, 'UnsetEnvironment')) environment.delete(name);
    const [emptied, command] = valuesOf(severalAccounts, 'ExecStart');
    const [env, accounts, ...run] = command!.split(' ');
    expect([emptied, env, accounts]).toEqual(['', '/usr/bin/env', 'ACCOUNTS_FILE=%d/accounts.yaml']);
    expect(run).toEqual(valuesOf(service, 'ExecStart')[0]!.split(' '));
    expect(valuesOf(severalAccounts, 'LoadCredential')).toEqual([
      '',
      'accounts.yaml:/etc/callsheet/accounts.yaml',
    ]);

    using credentials = mkdtempDisposableSync(path.join(tmpdir(), 'callsheet-credentials-'));
    const file = path.join(credentials.path, 'accounts.yaml');
    const content =
      '- { name: north, sidtoken: one-session-token }\n- { name: south, sidtoken: other-session-token }\n';
    writeFileSync(file, content, { mode: 0o400 });
    const settings = {
      ...Object.fromEntries(environment),
      SERVICE_BASE_URL: 'https://service.example.com/api',
      ACCOUNTS_FILE: file,
    };
    const { config, warnings } = loadConfig(settings, { service: true }, createRedactor());
    expect(config.accounts.map(({ name }) => name)).toEqual(['north', 'south']);
    expect(warnings).toEqual([]);
  });

  it('restarts after exit codes that another start may heal, and not after the others', () => {
    expect(valuesOf(service, 'Restart')).toEqual(['on-failure']);
    const heals: number[] = [exitCode.done, exitCode.internal, exitCode.unavailable, exitCode.runAgain];
    const others = Object.values(exitCode).filter((code) => !heals.includes(code));
    const prevented = valuesOf(service, 'RestartPreventExitStatus')[0]!.split(' ').map(Number);
    expect(prevented.sort((a, b) => a - b)).toEqual(others.sort((a, b) => a - b));
  });

  it('gives the run no privilege, no other user or process to see, and no more memory than it needs', () => {
    const confined = {
      DynamicUser: 'yes',
      CapabilityBoundingSet: '',
      NoNewPrivileges: 'yes',
      LockPersonality: 'yes',
      PrivateUsers: 'yes',
      ProcSubset: 'pid',
      ProtectSystem: 'strict',
      SystemCallFilter: '@system-service',
      SystemCallErrorNumber: 'EPERM',
      LimitCORE: '0',
      MemoryMax: '512M',
      UMask: '0077',
    };
    for (const [name, value] of Object.entries(confined))
      expect([name, valuesOf(service, name)]).toEqual([name, [value]]);
  });
});
