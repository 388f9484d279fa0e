import { spawnSync } from 'node:child_process';
import { existsSync, globSync, statSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import { generateDataset } from '../src/simulator/dataset.ts';
import { commandNames, help } from './deploy/known.ts';
import { command } from './support/command.ts';
import { anchorsOf, blocksOf, proseOf, readDocument as read, root } from './support/documents.ts';
import { openWorld, type World } from './support/world.ts';

const documents = globSync(['*.md', 'bench/*.md', 'docs/**/*.md'], { cwd: root }).sort();
/** What says how things were. */
const history = /^CHANGELOG/;
const current = documents.filter((file) => !history.test(file));

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

describe('in the documents', () => {
  it('every link leads to something', () => {
    const targets = documents.flatMap((document) => {
      const prose = proseOf(read(document)).replaceAll(/`[^`\n]*`/g, '');
      return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => ({ document, target: target! }));
    });
    const own = targets.filter(({ target }) => !/^(https?|mailto):/.test(target));
    expect(own.length).toBeGreaterThan(100);
    expect(own.filter(({ target, document }) => !leads(target, document))).toEqual([]);
  });

  it('what code and deployments mention of them exists', () => {
    const mentions = mentioning.flatMap((file) =>
      [...read(file).matchAll(mention)].map(([target]) => ({ file, target: target.replace(/\.$/, '') })),
    );
    expect(mentions.length).toBeGreaterThan(10);
    expect(mentions.filter(({ target }) => !leads(target, 'README.md'))).toEqual([]);
  });

  it('every file of the repository that they name exists', () => {
    const named = current.flatMap((document) =>
      [...read(document).matchAll(/`((?:src|test|docs|deploy|migrations|bench)\/[\w./-]+)`/g)].map(
        ([, file]) => ({
          document,
          file: file!,
        }),
      ),
    );
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter(({ file }) => !existsSync(path.join(root, file)))).toEqual([]);
  });

  it.each(current)('%s writes commands, flags, scripts and tests that exist', (document) => {
    const text = read(document);
    const inProse = [...text.matchAll(/`((?:callsheet|npm start --|docker) [^`\n]+)`/g)].map(([, line]) =>
      line!.split(' '),
    );
    const inBlocks = blocksOf(text, 'sh').flatMap(commandLines);
    for (const words of [...inProse, ...inBlocks.map((line) => line.words)]) {
      const own = ownCommand(words);
      if (own === null) continue;
      expect(commandNames(), words.join(' ')).toContain(own.command);
      for (const flag of own.flags)
        expect(help(own.command), words.join(' ')).toMatch(new RegExp(`^  ${flag}\\b`, 'm'));
    }
    for (const [, script] of text.matchAll(/\bnpm run ([\w:-]+)/g))
      expect(manifest.scripts).toHaveProperty([script!]);
    for (const { words } of inBlocks)
      for (const file of words.filter((word) => word.startsWith('test/')))
        expect([file, existsSync(path.join(root, file))]).toEqual([file, true]);
  });

  it('every block of shell can be read by bash', () => {
    const blocks = documents.flatMap((document) => blocksOf(read(document), 'sh'));
    expect(blocks.length).toBeGreaterThan(10);
    expect(spawnSync('bash', ['-n'], { input: blocks.join('\n'), encoding: 'utf8' })).toMatchObject({
      status: 0,
      stderr: '',
    });
  });
});

describe('a new installation', () => {
  /** Asks, or stays up: each has a test of its own. */
  const typedElsewhere = ['init', 'schedule', 'worker', 'simulate', 'demo'];
  let world: World;
  beforeAll(async () => {
    world = await openWorld();
  });
  afterAll(() => world.close());

  it.each(['README.md', 'docs/install.md', 'docs/operations.md'])(
    'does what %s says when its commands are typed, one after the other',
    async (document) => {
      const own = generateDataset().accounts[0]!;
      const environment = { ...world.environment, ACCOUNTS_FILE: '', SIDTOKEN: own.token };
      const lines = blocksOf(read(document), 'sh').flatMap(commandLines);
      const typed = lines.map(({ text }) => /^(?:npm start --|callsheet) (.+)$/.exec(text)?.[1]?.split(' '));
      const ending = typed.filter((words) => words !== undefined && !typedElsewhere.includes(words[0]!));
      expect(ending).not.toEqual([]);
      for (const words of ending) {
        const { code, stderr } = await command(words!, environment);
        // `status` ends with 75 where an alert needs somebody.
        expect([words, words![0] === 'status' ? [0, 75] : [0], stderr]).toEqual([
          words,
          expect.arrayContaining([code]),
          '',
        ]);
      }
    },
  );

  it.each(['docs/operations.md', 'docs/warehouse.md', 'test/pictures.ts'])(
    'can be asked in the SQL of %s',
    async (document) => {
      const [, drawn] = /^const query = `(.*?)`;/ms.exec(read(document)) ?? [];
      // Two servers are needed for a subscription: test/peers/postgres/major-upgrade.test.ts has them.
      const blocks = (drawn === undefined ? blocksOf(read(document), 'sql') : [drawn]).filter(
        (text) => !text.includes(' subscription '),
      );
      expect(blocks).not.toEqual([]);
      for (const text of blocks) {
        await world.query('begin');
        await world.query(text).finally(() => world.query('rollback'));
      }
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

/** A command in a block of shell, without comments. */
type CommandLine = { readonly text: string; readonly words: readonly string[] };

/** The commands of a block, in order. Continued lines are joined; `&&` and `|` separate commands. */
function commandLines(block: string): CommandLine[] {
  return block
    .replaceAll(/(\\|(\|))\n\s*/g, '$2 ')
    .split('\n')
    .flatMap((line) => commandsOf(line.match(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? []))
    .map((words) => ({ text: words.join(' '), words }));
}

function commandsOf(words: readonly string[]): string[][] {
  const commands: string[][] = [[]];
  for (const word of words) {
    if (word.startsWith('#')) break;
    if (word === '&&' || word === '|') commands.push([]);
    else commands.at(-1)!.push(word);
  }
  return commands.filter(({ length }) => length > 0);
}

/** Callsheet's command and its flags, however it is started; null if the words start something else. */
function ownCommand(words: readonly string[]): { command: string; flags: string[] } | null {
  const begins = [
    words.indexOf('callsheet'),
    words.slice(0, 3).join(' ') === 'npm start --' ? 2 : -1,
    words.includes('compose') ? words.indexOf('schedule') : -1,
  ].find((index) => index >= 0);
  const command = begins === undefined ? undefined : words[begins + 1];
  // The placeholder COMMAND, or the image without a command.
  if (command === undefined || !/^[a-z]/.test(command)) return null;
  return { command, flags: words.slice(begins! + 2).flatMap((word) => word.match(/^--[a-z-]+/) ?? []) };
}
