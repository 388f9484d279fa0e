import { readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { commandNames, help } from '../deploy/known.ts';
import { typedInTurn } from '../support/callsheet.ts';
import { exitCodeTable } from '../support/error-tables.ts';

const more: Readonly<Record<string, string>> = {
  run: `Without dates, it syncs [what is due](scheduling.md#what-a-run-does), each window once per run date. So a second \`run\` finds little to do.`,
  schedule: `Of several replicas, one runs at a time. It starts a missed run, retries until \`RETRY_FOR\` is over, and serves page, metrics and health on \`HTTP_HOST\` and \`HTTP_PORT\`. [Scheduling](scheduling.md).`,
  status: 'It exits with 75 if an alert needs a run or a person, otherwise with 0.',
  digest: `\`--resend\` repeats a message unchanged. Only it sends a digest that was skipped, or one about a day that isn't loaded. Use \`--skip --all\` after you restore a backup or make a staging copy.`,
  accept: `It fetches the day again, and applies the response if it is still the [held](concepts.md#held) one. A different one is treated as in any run.`,
  clients: 'It writes nothing to the warehouse.',
  campaigns: 'It writes nothing to the warehouse.',
  doctor: `It sends a few requests and writes nothing. It also reports what it detects about [open points of the service's document](service-assumptions.md).`,
  migrate: 'Type it once, and after each upgrade. Compose and Kubernetes do it automatically.',
  backfill: `You can stop and repeat it, also next to a nightly run or on several machines. It sends no digests. [History](warehouse.md#history).`,
  replay: `After an upgrade, it loads what couldn't be read before. [The archive](warehouse.md#the-archive).`,
  worker: 'It needs the settings of the run: [past one machine](scaling.md).',
  forget: '[What is erased](operations.md#erase-an-account).',
  demo: 'Only in a clone. It writes mails and page to `.callsheet/demo/`.',
  simulate: 'It prints its address and the session tokens of its accounts, for `init`.',
  init: `It writes nothing if address or token fail. Only you can read the \`.env\` that it writes. With \`--token-file\`, the token stays in its file.`,
};

const introduction = `# Commands

Type \`callsheet COMMAND\` in the image and \`npm start -- COMMAND\` in a clone. [Install](install.md#how-to-type-a-command) has Compose, systemd and Kubernetes. Results go to stdout, logs to stderr. SIGTERM or Ctrl-C ends a command in order; a second one ends it at once. This page is generated from \`--help\`.`;

const exitCodes = `## Exit codes

${exitCodeTable()}

[Operations](operations.md#what-each-error-means) says what to do about each error.`;

// `npm run generate` writes it anew.
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
  const groups = [...texts.get('')!.matchAll(/^(.+):\n((?: {2}(?:[a-z]| {2}).*\n?)+)/gm)].map(
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

/** The help of the program and of each command by its name. */
async function readHelps(): Promise<Map<string, string>> {
  const commands = path.resolve(import.meta.dirname, '../../src/cli/commands');
  const names = readdirSync(commands).map((file) => path.parse(file).name);
  const helps = await typedInTurn(
    [[], ...names.map((name) => [name])].map((words) => [...words, '--help']),
    { CALLSHEET_COMMAND: 'callsheet' },
  );
  return new Map(['', ...names].map((name, index) => [name, helps[index]!.stdout]));
}

function summary(text: string): string {
  return text.split('\n\n')[1]!.replaceAll('\n', ' ');
}
