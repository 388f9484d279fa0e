import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import pg from 'pg';
import { generateDataset } from '../../src/simulator/dataset.ts';
import { commandLine } from '../../src/support/commands.ts';
import { createDatabase } from './database.ts';
import { scratchFolder } from './scratch.ts';
import { startSimulator } from './simulator.ts';

const root = path.resolve(import.meta.dirname, '../..');

/** The parts of a clone that commands need. They write into the copy, which also has its own `.env`. */
const cloned = ['src', 'migrations', 'package.json', 'node_modules', 'bench', 'test', '.env.example'];

export type Typed = { readonly code: number | null; readonly written: string };
export type DocumentWorld = Awaited<ReturnType<typeof openDocumentWorld>>;

/** Opens a clone to type commands in; its shell has the settings of a simulator and a migrated database. */
export async function openDocumentWorld() {
  const folder = await scratchFolder('callsheet-documents-');
  for (const name of cloned) await symlink(path.join(root, name), path.join(folder, name));
  await mkdir(path.join(folder, 'bin'));
  const launcher = 'CALLSHEET_COMMAND=callsheet exec node --import ./src/config/dotenv.ts src/main.ts "$@"';
  await writeFile(path.join(folder, 'bin/callsheet'), `#!/bin/sh\n${launcher}\n`, { mode: 0o755 });
  const simulator = await startSimulator();
  const database = await createDatabase({ template: 'migrated' });
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const { token } = generateDataset().accounts[0]!;
  const { PATH, HOME } = process.env;
  const environment = {
    PATH: [path.join(folder, 'bin'), path.join(root, 'node_modules/.bin'), PATH].join(path.delimiter),
    HOME,
    TERM: 'xterm-256color',
    npm_config_update_notifier: 'false',
    SERVICE_BASE_URL: simulator.url,
    SIDTOKEN: token,
    DATABASE_URL: database.url,
    DIGEST_TO: 'ana@example.com',
    HTTP_PORT: '0',
  };

  /** Runs the line in a new shell and answers its prompts; on a terminal if `terminal` is set. */
  function start(line: string, { terminal = false, without = [] as readonly string[] } = {}) {
    const [program, args]: [string, string[]] = terminal
      ? ['script', onTerminal(`stty cols 80; ${line}`)]
      : ['bash', ['-c', line]];
    const set = Object.fromEntries(Object.entries(environment).filter(([name]) => !without.includes(name)));
    // A new process group: npm, the shell and Node get a signal together, as from a terminal.
    const child = spawn(program, args, { cwd: folder, env: set, detached: true });
    child.stdin.on('error', () => {});
    child.stdin.end(`${simulator.url}\n${token}\n`);
    let written = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (piece: string) => {
        written += piece;
      });
    const closed = once(child, 'close').then(([code]): Typed => ({ code, written }));
    return {
      closed,
      /** Resolves once the output matches; rejects if the process ends before. */
      wrote: (pattern: RegExp): Promise<void> =>
        new Promise((resolve, reject) => {
          const look = () => pattern.test(written) && resolve();
          for (const stream of [child.stdout, child.stderr]) stream.on('data', look);
          look();
          void closed.then(({ code }) => reject(new Error(`${line} ended with ${code}: ${written}`)));
        }),
      async interrupt(): Promise<Typed> {
        process.kill(-child.pid!, 'SIGTERM');
        return await closed;
      },
    };
  }

  return {
    folder,
    start,
    query: async (text: string) => await client.query(text),
    async close() {
      await client.end();
      await simulator.close();
      await database.drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The arguments of `script` for this system. */
function onTerminal(line: string): string[] {
  if (process.platform === 'linux') return ['-qec', `bash -c ${commandLine(line)}`, '/dev/null'];
  return ['-q', '/dev/null', 'bash', '-c', line];
}
