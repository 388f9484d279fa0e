import { existsSync, globSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { blocksOf } from '../support/documents.ts';
import { read, root } from './known.ts';

// What the documents say to type to programs that no test can have: Docker, kubectl and systemctl.

const text = ['README.md', 'docs/install.md', 'docs/operations.md'].map(read).join('\n');
const inProse = [...text.matchAll(/`((?:docker|kubectl|systemctl) [^`\n]+)`/g)].map(([, line]) => line!);
const lines = blocksOf(text, 'sh')
  .join('\n')
  .replaceAll(/(\\|(\|))\n\s*/g, '$2 ')
  .split('\n')
  .concat(inProse)
  .map((line) => line.replace(/ +#.*/, '').trim());
const typedTo = (program: string) => lines.filter((line) => line.startsWith(`${program} `));

describe('the documents name', () => {
  it('services that compose.yaml has', () => {
    const services = Object.keys(
      (parse(read('compose.yaml'), { merge: true }) as { services: object }).services,
    );
    const named = typedTo('docker compose').map((line) => {
      const words = line.split(' ').slice(2);
      const [verb, ...rest] = words.filter((word) => !word.startsWith('-') && !word.startsWith('./'));
      return { line, verb, service: rest[0] };
    });
    expect(named.length).toBeGreaterThan(10);
    for (const { line, verb, service } of named) {
      expect([line, ['up', 'run', 'exec', 'stop', 'pull', 'logs', 'restart', 'down']]).toEqual([
        line,
        expect.arrayContaining([verb]),
      ]);
      if (service !== undefined && verb !== 'restart')
        expect([line, services]).toEqual([line, expect.arrayContaining([service])]);
    }
  });

  it('objects and files that deploy/kubernetes has', () => {
    const files = globSync('deploy/kubernetes/*.yaml', { cwd: root });
    const objects = files
      .flatMap((file) => parseAllDocuments(read(file)))
      .map((document) => document.toJS() as { kind: string; metadata: { name: string } })
      .map(({ kind, metadata }) => `${kind.toLowerCase()}/${metadata.name}`);
    const typed = lines.flatMap((line) => line.split(' | ')).filter((line) => line.startsWith('kubectl '));
    expect(typed.length).toBeGreaterThan(10);
    for (const line of typed) {
      for (const [object] of line.matchAll(/\b(deployment|cronjob)[/ ][a-z]+\b/g))
        expect([line, objects]).toEqual([line, expect.arrayContaining([object.replace(' ', '/')])]);
      for (const [, file] of line.matchAll(/--filename[ =]([\w.]+)/g))
        expect([line, files]).toEqual([line, expect.arrayContaining([`deploy/kubernetes/${file}`])]);
    }
  });

  it('units and files that deploy/systemd has', () => {
    const typed = typedTo('systemctl');
    expect(typed.length).toBeGreaterThan(3);
    for (const line of typed)
      for (const unit of line
        .split(' ')
        .slice(2)
        .filter((word) => !word.startsWith('-'))) {
        const file = path.join(root, 'deploy/systemd', unit.includes('.') ? unit : `${unit}.service`);
        expect([line, existsSync(file)]).toEqual([line, true]);
      }
    const installed = typedTo('install').flatMap((line) => line.match(/\bdeploy\S+/g) ?? []);
    expect(installed).toEqual(['deploy/systemd/callsheet.service', 'deploy/systemd/callsheet']);
    for (const file of installed) expect(existsSync(path.join(root, file))).toBe(true);
  });
});
