import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import yaml from 'yaml';
import manifest from '../package.json' with { type: 'json' };
import { settingLine } from '../src/config/environment.ts';
import { loadConfig } from '../src/config/load.ts';
import { createRedactor } from '../src/support/redaction.ts';
import { help, settingNames } from './deploy/known.ts';
import { type CommandLine, commandLines, isSetting, ownCommand } from './support/command-lines.ts';
import { type DocumentWorld, openDocumentWorld, type Typed } from './support/document-world.ts';
import { type Block, blocksOf, documentsWithCommands, readDocument } from './support/documents.ts';
import { missingOf } from './support/samples.ts';

/** What stays up, and what it writes once it is: it is interrupted at the end of its block. */
const staysUp: Readonly<Record<string, RegExp>> = {
  schedule: /schedule: waiting for/,
  worker: /waiting for windows/,
  simulate: /^SIDTOKEN=/m,
};

/** What ends otherwise than with 0 where all is well with the command. */
const endsWith: Readonly<Record<string, readonly number[]>> = { status: [0, 75] };

/** Scripts of package.json that are typed for real; of the others, which take minutes, script and flags have to exist. */
const typedScripts: readonly string[] = ['demo'];

/** Programs that nobody needs here: what they are handed of ours has to exist. */
const foreign = [
  'docker',
  'kubectl',
  'systemctl',
  'jq',
  'psql',
  'pg_dump',
  'pg_restore',
  'createdb',
  'cp',
  'git',
];

let scratch: string;
const typedBefore = new Set<string>();

beforeAll(async () => {
  scratch = await mkdtemp(path.join(tmpdir(), 'callsheet-examples-'));
});
afterAll(() => rm(scratch, { recursive: true, force: true }));

describe.each(documentsWithCommands)('%s', (document) => {
  const blocks = blocksOf(readDocument(document));
  const of = (language: string) => blocks.filter((block) => block.language === language);
  let world: DocumentWorld;
  beforeAll(async () => {
    if (of('sh').length + of('sql').length > 0) world = await openDocumentWorld();
  });
  afterAll(() => world?.close());

  it('has blocks that are known here: commands, output, YAML and SQL', () => {
    const known = ['', 'sh', 'yaml', 'sql'];
    expect(blocks.filter(({ language }) => !known.includes(language))).toEqual([]);
  });

  it.each(of('sh'))('line $line: its commands do what they say', async (block) => {
    expect(spawnSync('bash', ['-n'], { input: block.text, encoding: 'utf8' })).toMatchObject({
      status: 0,
      stderr: '',
    });
    const lines = commandLines(block.text);
    checkSettings(lines.filter(isSetting));
    await typeAll(
      world,
      lines.filter((line) => !isSetting(line)),
      block,
    );
  });

  it.each(of('yaml'))('line $line: its YAML can be read', async ({ text }) => {
    await checkYaml(yaml.parse(text), text);
  });

  it.each(of('sql'))('line $line: its SQL runs', async ({ text }) => {
    await world.query('begin');
    await world.query(text).finally(() => world.query('rollback'));
  });
});

/** Lines of a file of settings, in quotes where a value needs some, that Callsheet accepts. */
function checkSettings(lines: readonly CommandLine[]): void {
  const set = parseEnv(lines.map((line) => line.text).join('\n')) as Record<string, string>;
  const written = Object.entries(set).map(([name, value]) => settingLine(name, value));
  expect(written.sort()).toEqual(lines.map((line) => line.text).sort());
  expect(Object.keys(set).filter((name) => ![...settingNames, 'NODE_OPTIONS'].includes(name))).toEqual([]);
  read({ DIGEST_FROM: 'a@example.com', ...set });
}

const read = (environment: Record<string, string>) =>
  loadConfig(
    { SERVICE_BASE_URL: 'https://service.example.com', SIDTOKEN: 'a-token-of-an-account', ...environment },
    { service: true },
    createRedactor(),
  );

/** Types the commands of a block, one after the other. What stays up does so until its last one has ended. */
async function typeAll(world: DocumentWorld, lines: readonly CommandLine[], block: Block): Promise<void> {
  const up: ReturnType<DocumentWorld['start']>[] = [];
  let last: Typed | null = null;
  for (const line of lines) {
    const stays = staysUp[isOurs(line) ? (ownCommand(line.words)?.command ?? '') : ''];
    if (stays !== undefined) {
      const running = world.start(line.text);
      up.push(running);
      await running.wrote(stays);
    } else last = (await type(world, line, block.sample !== null)) ?? last;
  }
  for (const running of up) await running.interrupt();
  if (block.sample !== null) expect(missingOf(block.sample, last?.written ?? ''), last?.written).toEqual([]);
}

const isOurs = ({ words }: CommandLine) =>
  words[0] === 'callsheet' || words.slice(0, 2).join(' ') === 'npm start';

/** Types a command that is ours and quick; of any other, checks that what it names exists. */
async function type(world: DocumentWorld, line: CommandLine, terminal: boolean): Promise<Typed | null> {
  const { words, text } = line;
  const own = ownCommand(words);
  if (own !== null)
    for (const flag of own.flags) expect(help(own.command), text).toMatch(new RegExp(`^  ${flag}\\b`, 'm'));
  const isScript = words[0] === 'npm' && words[1] === 'run' && typedScripts.includes(words[2]!);
  if (!isOurs(line) && !isScript) {
    checkNames(line);
    return null;
  }
  if (isScript && !terminal && typedBefore.has(text)) return null;
  typedBefore.add(text);
  const typed = await world.start(text, { terminal }).closed;
  expect(endsWith[own?.command ?? ''] ?? [0], `${text}: ${typed.written}`).toContain(typed.code);
  return typed;
}

function checkNames({ words, text }: CommandLine): void {
  const [program, second, third] = words as [string, string?, string?];
  if (program === 'npm') {
    if (second === 'ci') return;
    const script = second === 'run' ? third! : second!;
    expect(manifest.scripts, text).toHaveProperty([script]);
    const flags = words
      .slice(words.indexOf('--') + 1)
      .filter((word) => words.includes('--') && word.startsWith('--'));
    for (const flag of flags) expect(flagsOf(script), text).toContain(flag);
  } else if (program === 'npx') {
    expect(manifest.devDependencies, text).toHaveProperty([second!]);
    const files = words.filter((word) => word.startsWith('test/'));
    for (const file of files)
      expect(existsSync(path.resolve(import.meta.dirname, '..', file)), text).toBe(true);
  } else expect(foreign, text).toContain(program);
}

/** The flags of a script that takes some: what the help of its file says. */
function flagsOf(script: string): string[] {
  const [, file] = /^node (\S+)/.exec(manifest.scripts[script as keyof typeof manifest.scripts])!;
  const { stdout } = spawnSync(process.execPath, [path.resolve(import.meta.dirname, '..', file!), '--help'], {
    encoding: 'utf8',
  });
  return stdout.match(/--[a-z-]+/g) ?? [];
}

/** A list of accounts or digests is read as such; anything else is somebody else's YAML. */
async function checkYaml(parsed: unknown, text: string): Promise<void> {
  const keys = Array.isArray(parsed) ? parsed.flatMap((entry) => Object.keys(entry ?? {})) : [];
  const file = async (name: string, content: string) => {
    const written = path.join(scratch, name);
    await writeFile(written, content, { mode: 0o600 });
    return written;
  };
  const token = await file('token', 'a-token-of-an-account');
  const accounts = (content: string) =>
    file('accounts.yaml', content.replaceAll(/sidtoken_file: \S+/g, `sidtoken_file: ${token}`));
  const tokens = Object.fromEntries(
    [...text.matchAll(/sidtoken_env: (\w+)/g)].map(([, name]) => [name!, 'a-token-in-a-variable']),
  );
  if (keys.some((key) => key.startsWith('sidtoken')))
    read({ SIDTOKEN: '', ...tokens, ACCOUNTS_FILE: await accounts(text) });
  if (keys.includes('to'))
    read({
      SIDTOKEN: '',
      SIDTOKEN_COAST: 'a-token-in-a-variable',
      ACCOUNTS_FILE: await accounts(readDocument('docs/examples/accounts.yaml')),
      DIGESTS_FILE: await file('digests.yaml', text),
    });
}
