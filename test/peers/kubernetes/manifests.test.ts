import { readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { read, root } from '../../deploy/known.ts';
import { faultsOf, type Manifest, pathsOf } from './schemas.ts';

const folder = 'deploy/kubernetes';
const manifests = readdirSync(path.join(root, folder)).flatMap((file) =>
  parseAllDocuments(read(`${folder}/${file}`)).map((each): [string, string, Manifest] => {
    const manifest: Manifest = each.toJS();
    return [manifest.kind, file, manifest];
  }),
);

/** Names of maps, whose keys are anybody's. */
const maps = ['data', 'labels', 'limits', 'matchLabels', 'requests', 'stringData'];
/** Fields that may be a number or a text. */
const either = ['cpu', 'memory', 'port'];

type Fields = Record<string, unknown>;

/** The manifest with another value at a path. */
function changed(manifest: Manifest, at: string, change: (value: unknown) => unknown): Manifest {
  // Not structuredClone, which keeps what YAML's anchors share shared.
  const copy = JSON.parse(JSON.stringify(manifest));
  const names = namesOf(at);
  const last = names.pop()!;
  const parent = names.reduce<Fields>((fields, name) => fields[name] as Fields, copy);
  parent[last] = change(parent[last]);
  return copy;
}

const valueAt = (manifest: Manifest, at: string) =>
  namesOf(at).reduce<unknown>((fields, name) => (fields as Fields)[name], manifest);

const namesOf = (at: string) =>
  at
    .slice(1)
    .split('/')
    .map((name) => name.replaceAll('~1', '/'));
const nameOf = (at: string) => namesOf(at).at(-1)!;

it('the manifests are of these kinds', () => {
  expect(manifests.map(([kind]) => kind)).toEqual([
    'Secret',
    'ConfigMap',
    'NetworkPolicy',
    'CronJob',
    'Deployment',
  ]);
});

describe.each(manifests)('Kubernetes’ own schema of the %s in %s', (_kind, _file, manifest) => {
  const paths = [...pathsOf(manifest)];

  it('finds nothing wrong and nothing unknown', async () => {
    expect(await faultsOf(manifest)).toEqual([]);
  });

  it('would find a field that it doesn’t know, wherever it stood', async () => {
    const places = paths.filter((at) => {
      const value = valueAt(manifest, at);
      return typeof value === 'object' && !Array.isArray(value) && !maps.includes(nameOf(at));
    });
    for (const at of places) {
      const surplus = changed(manifest, at, (value) => ({ ...(value as Fields), surplus: 'x' }));
      expect([at, await faultsOf(surplus)]).toEqual([at, [`${at}/surplus unknown`]]);
    }
    expect(await faultsOf({ ...manifest, surplus: 'x' } as Manifest)).toEqual(['/surplus unknown']);
  });

  it('would find a value of another type, wherever it stood', async () => {
    const others = paths.filter((at) => !['/apiVersion', '/kind'].includes(at));
    for (const at of others) {
      const value = valueAt(manifest, at);
      const other = either.includes(nameOf(at)) ? true : typeof value === 'string' ? 7 : 'x';
      const faults = await faultsOf(changed(manifest, at, () => other));
      expect([at, faults.filter((fault) => fault.startsWith(`${at} `))]).not.toEqual([at, []]);
    }
  });
});
