import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { commandNames, help } from '../deploy/known.ts';
import { ended } from '../support/callsheet.ts';
import { exitCodeTable } from '../support/error-tables.ts';

const more: Readonly<Record<string, string>> = {
  run: `Without dates it syncs what is due: yesterday, the last \`LOOKBACK_DAYS\`, and every day that is missing, failed, held or
not settled within \`CATCH_UP_DAYS\`. A window is synced once per run date, so a second \`run\` finds nothing to do. With
dates it syncs exactly those days. [What a run does](scheduling.md#what-a-run-does).`,
  schedule: `Any number of replicas may run: one works at a time. It starts a missed run, retries until \`RETRY_FOR\` is over, and
serves the operator's page, metrics and health on \`HTTP_HOST\` and \`HTTP_PORT\`. [Scheduling](scheduling.md).`,
  status: 'It ends with 75 if an alert needs a run or a person, else with 0.',
  digest: `For a weekly or monthly digest, \`--day\` is any day of its period. \`--resend\` repeats a message unchanged, and is the
only way to send a digest that was skipped or whose day isn't loaded. \`--skip\` without \`--day\` is for a restored backup
or a staging copy.`,
  accept: `It fetches the day again and applies the response if it is still the one that is
[held](concepts.md#held). A different response is decided on like any other.`,
  clients: 'It writes nothing to the warehouse.',
  campaigns: 'It writes nothing to the warehouse.',
  doctor: `It sends a few requests and writes nothing. It also reports how the service behaves where
[its document is silent](service-assumptions.md).`,
  migrate: 'Once, and after each upgrade. Compose and Kubernetes do it by themselves.',
  backfill: `Stop and repeat it as you like, next to a nightly run or on several machines. It sends no digests.
[History](warehouse.md#history).`,
  replay: `After an upgrade it loads what couldn't be read before; what is loaded stays as it is.
[The archive](warehouse.md#the-archive).`,
  worker: 'It needs the settings of the run: [past one machine](scaling.md).',
  forget: '[What is erased](operations.md#erase-an-account).',
  demo: 'In a clone only. It leaves the mails of each night and the page as files under `.callsheet/demo/`.',
  simulate: 'It prints its address and the session tokens of its accounts, for `init`.',
  init: `It tries address and token as \`doctor\` does, and writes nothing if they fail. Only you can read the \`.env\` that it
writes; with \`--token-file\` the token stays in its file.`,
};

const introduction = `# Commands

\`callsheet COMMAND\` in the image, \`npm start -- COMMAND\` in a clone; [here](install.md#how-to-type-a-command) is how to type
them under compose, systemd and Kubernetes. Results go to stdout, logs to stderr. SIGTERM or Ctrl-C ends a command in
order, a second one at once. This page is generated from \`--help\`.`;

const exitCodes = `## Exit codes

${exitCodeTable()}

[operations.md](operations.md#what-each-error-means) says what to do about each error.`;

// `npm run commands` writes it anew.
it('docs/commands.md is that of the help of each command and of the catalogue of errors', async () => {
  await expect(await commandsPage()).toMatchFileSnapshot('../../docs/commands.md');
});

it('the help of each command has an example of it, with options that exist', () => {
  for (const command of commandNames()) {
    const text = help(command);
    const [, example] = /^Example:\n {2}callsheet (.+)$/m.exec(text) ?? [];
    expect(example?.split(' ')[0]).toBe(command);
    for (const [flag] of example!.matchAll(/--[a-z-]+/g))
      expect(text).toMatch(new RegExp(`^ {2}${flag}\\b`, 'm'));
  }
});

/** Generates `docs/commands.md` from the help of each command, as typed in the image. */
async function commandsPage(): Promise<string> {
  const texts = await readHelps();
  const groups = [...texts.get('')!.matchAll(/^(.+):\n((?: {2}[a-z].*\n?)+)/gm)].map(
    ([, heading, lines]) => ({
      heading: heading!.toLowerCase(),
      names: lines!.match(/(?<=^ {2})[a-z]+/gm)!,
    }),
  );
  const names = groups.flatMap((group) => group.names);
  const missing = Object.keys(more).filter((name) => !names.includes(name));
  if (missing.length > 0) throw new Error(`no such command: ${missing.join(', ')}`);
  const contents = groups.map((group) => {
    const rows = group.names.map((name) => `| [\`${name}\`](#${name}) | ${summary(texts.get(name)!)} |`);
    return `| ${group.heading} | |\n|---|---|\n${rows.join('\n')}`;
  });
  const sections = names.map((name) =>
    [`## ${name}`, ...(more[name] ? [more[name]] : []), `\`\`\`\n${texts.get(name)!.trim()}\n\`\`\``].join(
      '\n\n',
    ),
  );
  return `${[introduction, ...contents, ...sections, exitCodes].join('\n\n')}\n`;
}

/** The help of the program and of each command by its name: of one process, for each takes a second to start. */
async function readHelps(): Promise<Map<string, string>> {
  const source = path.resolve(import.meta.dirname, '../../src/cli');
  const names = readdirSync(path.join(source, 'commands')).map((file) => path.parse(file).name);
  const script = `
    const { runProgram } = await import(${JSON.stringify(path.join(source, 'program.ts'))});
    for (const words of ${JSON.stringify([[], ...names.map((name) => [name])])}) {
      await runProgram([...words, '--help']);
      process.stdout.write('\\f');
    }`;
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    env: { PATH, HOME, CALLSHEET_COMMAND: 'callsheet' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const { code, stdout, stderr } = await ended(child);
  if (code !== 0) throw new Error(`--help ended with ${code}: ${stderr}`);
  const texts = stdout.split('\f');
  return new Map(['', ...names].map((name, index) => [name, texts[index]!]));
}

function summary(text: string): string {
  return text.split('\n\n')[1]!.replaceAll('\n', ' ');
}
