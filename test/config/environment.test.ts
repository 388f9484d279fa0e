import { afterEach, expect, test, vi } from 'vitest';
import { readEnvironment, settingsFile, useUtc } from '../../src/config/environment.ts';

afterEach(() => void vi.unstubAllEnvs());

test('the environment is a copy that nothing changes', () => {
  vi.stubEnv('RETRIES', '7');
  const environment = readEnvironment();
  vi.stubEnv('RETRIES', '8');
  expect(environment.RETRIES).toBe('7');
  expect(Object.isFrozen(environment)).toBe(true);
});

test('the file of settings is .env, unless the launcher names another', () => {
  vi.stubEnv('CALLSHEET_SETTINGS', undefined);
  expect(settingsFile()).toBe('.env');
  vi.stubEnv('CALLSHEET_SETTINGS', '/etc/callsheet.env');
  expect(settingsFile()).toBe('/etc/callsheet.env');
});

test('the local time of the process can be made UTC, whatever the machine’s zone', () => {
  vi.stubEnv('TZ', 'America/New_York');
  useUtc();
  expect(process.env.TZ).toBe('UTC');
});
