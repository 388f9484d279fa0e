import { chmodSync } from 'node:fs';
import { expect, it, onTestFinished, vi } from 'vitest';
import { file, load } from '../config/loading.ts';

const warningsOf = (path: string, mode: number) => {
  chmodSync(path, mode);
  return load({ SIDTOKEN: '', SIDTOKEN_FILE: path }).warnings;
};

it('a file with a secret that every user may read is warned of, with what to type', () => {
  const path = file('token', 'a-token-of-some-length');
  const warning = `${path} holds a secret, and every user of this machine can read it: chmod 600 ${path}, as the user that runs Callsheet`;
  expect(warningsOf(path, 0o644)).toEqual([warning]);
  expect(warningsOf(path, 0o604)).toEqual([warning]);
  for (const mode of [0o600, 0o400, 0o640]) expect(warningsOf(path, mode)).toEqual([]);
});

it('so is a file of accounts with tokens in it, once, and their token files, and none without a token', () => {
  const token = file('token', 'a-token-of-some-length');
  const ofTokens = file(
    'accounts.yaml',
    '[{name: a, sidtoken: another-long-token}, {name: b, sidtoken: a-third-long-token}]',
  );
  const ofFiles = file('files.yaml', `[{name: a, sidtoken_file: ${token}}]`);
  for (const path of [token, ofTokens, ofFiles]) chmodSync(path, 0o644);
  const warned = (path: string) => load({ SIDTOKEN: '', ACCOUNTS_FILE: path }).warnings;
  expect(warned(ofTokens)).toEqual([expect.stringContaining(`chmod 600 ${ofTokens}`)]);
  expect(warned(ofFiles)).toEqual([expect.stringContaining(`chmod 600 ${token}`)]);
});

it.runIf(process.platform === 'linux')('nor is one in memory, where a container has its secrets', () => {
  vi.stubEnv('TMPDIR', '/dev/shm');
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(warningsOf(file('token', 'a-token-of-some-length'), 0o444)).toEqual([]);
});

it('none is warned of on Windows, which has other rights than these', () => {
  const path = file('token', 'a-token-of-some-length');
  const { platform } = process;
  onTestFinished(() => void Object.defineProperty(process, 'platform', { value: platform }));
  Object.defineProperty(process, 'platform', { value: 'win32' });
  expect(warningsOf(path, 0o644)).toEqual([]);
});
