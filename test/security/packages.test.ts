import { expect, it } from 'vitest';
import { read } from '../deploy/known.ts';

type Locked = { integrity?: string; hasInstallScript?: boolean };
const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, Locked> };
const manifest = JSON.parse(read('package.json'));
const installed = Object.entries(packages).filter(([place]) => place !== '');

it('every package that is installed has its hash in the lockfile, and one exact version', () => {
  expect(installed.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'))).toEqual([]);
  const { dependencies, devDependencies, optionalDependencies = {} } = manifest;
  const versions = Object.values({ ...dependencies, ...devDependencies, ...optionalDependencies });
  for (const version of versions) expect(version).toMatch(/^\d+\.\d+\.\d+(-[\w.]+)?$/);
});

it('no package runs a script when it is installed but those that are allowed to', () => {
  const scripted = installed.filter(([, { hasInstallScript }]) => hasInstallScript);
  const names = scripted.map(([place]) => place.split('node_modules/').at(-1)!);
  const allowed = Object.keys(manifest.allowScripts);
  expect(names.filter((name) => !allowed.includes(name))).toEqual([]);
});
