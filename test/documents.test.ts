import { existsSync, globSync, statSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import { plainSettings, secretSettings } from '../src/config/schema.ts';
import { commandNames, help } from './deploy/known.ts';
import { ownCommand } from './support/command-lines.ts';
import { anchorsOf, proseOf, readDocument as read, root } from './support/documents.ts';

const names = [...plainSettings, ...secretSettings];

const documents = globSync(['*.md', 'bench/*.md', 'docs/**/*.md'], { cwd: root }).sort();
/** What says how things were. */
const history = /^CHANGELOG|^docs\/decisions/;

/** Files that aren't documents, and mention them. */
const mentioning = globSync(
  [
    'src/**/*.{ts,css,js}',
    'deploy/**/*',
    'migrations/*.ts',
    '.github/**/*.*',
    '{Dockerfile,compose.yaml,package.json,.env.example}',
  ],
  { cwd: root },
).filter((file) => statSync(path.join(root, file)).isFile());
const mention =
  /(?<![\w:]\/\/\S*)\b(?:docs\/[\w./-]+|(?:README|CONTRIBUTING|ARCHITECTURE|CHANGELOG)\.md)(?:#[\w-]+)?/g;

describe('the documents', () => {
  it('.env.example names every setting', () => {
    const text = read('.env.example');
    expect(names.filter((name) => !new RegExp(`\\b${name}\\b`).test(text))).toEqual([]);
  });

  it('.env.example names nothing that is no setting', () => {
    const named = [...read('.env.example').matchAll(/^#?([A-Z_]+)=/gm)].map((match) =>
      match[1]!.replace(/_FILE$/, ''),
    );
    const known: readonly string[] = names.map((name) => name.replace(/_FILE$/, ''));
    expect(named.filter((name) => !known.includes(name))).toEqual([]);
  });

  it('the README has 7,000 bytes at most: the rest is in docs', () => {
    expect(Buffer.byteLength(read('README.md'))).toBeLessThanOrEqual(7_000);
  });

  it.each(documents)('the links of %s lead to something', (document) => {
    const prose = proseOf(read(document)).replaceAll(/`[^`\n]*`/g, '');
    const targets = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map((match) => match[1]!);
    const own = targets.filter((target) => !/^(https?|mailto):/.test(target));
    expect(own.filter((target) => !leads(target, document))).toEqual([]);
  });

  it('what is mentioned of documents elsewhere exists', () => {
    const mentions = mentioning.flatMap((file) =>
      [...read(file).matchAll(mention)].map(([target]) => ({ file, target: target.replace(/\.$/, '') })),
    );
    expect(mentions.length).toBeGreaterThan(10);
    expect(mentions.filter(({ target }) => !leads(target, 'README.md'))).toEqual([]);
  });

  it.each(documents.filter((file) => !history.test(file)))(
    '%s writes commands and flags that exist',
    (document) => {
      const written = [...read(document).matchAll(/`((?:callsheet|npm start --|docker) [^`\n]+)`/g)];
      for (const [, text] of written) {
        const own = ownCommand(text!.split(' '));
        for (const flag of own?.flags ?? [])
          expect(help(own!.command), text).toMatch(new RegExp(`^  ${flag}\\b`, 'm'));
        if (own !== null) expect(commandNames(), text).toContain(own.command);
      }
      for (const [, script] of read(document).matchAll(/\bnpm run ([\w:-]+)/g))
        expect(manifest.scripts).toHaveProperty([script!]);
    },
  );
});

/** Whether there is such a file and, behind #, such a heading in it. */
function leads(target: string, from: string): boolean {
  const [place, anchor] = target.split('#') as [string, string?];
  const file = place === '' ? from : path.join(path.dirname(from), place);
  if (!existsSync(path.join(root, file))) return false;
  return anchor === undefined || anchorsOf(read(file)).includes(anchor);
}
