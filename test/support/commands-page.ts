import { callsheet } from './callsheet.ts';
import { exitCodeTable } from './error-tables.ts';

const more: Readonly<Record<string, string>> = {
  run: `Without dates it syncs what is due: yesterday, the last \`LOOKBACK_DAYS\`, and whatever is missing, failed, held or not
yet settled within \`CATCH_UP_DAYS\`. A due window is synced once per run date: a second \`run\` finds nothing to do. With
dates it syncs exactly those days, and mails only about days since the account's first, within \`CATCH_UP_DAYS\`.
\`--dry-run\` fetches, and shows who would be mailed, too. [What is retryable](scheduling.md#when-something-is-down).`,
  backfill: `It may be stopped and repeated, and run beside a nightly run or on several machines at once. The digests of its days are
skipped, except for yesterday's. [More](warehouse.md#history).`,
  worker: 'On any number of machines, with the same settings: [scaling.md](scaling.md).',
  replay: `It follows the load decisions of the time; \`--reread\` also decides anew what couldn't be read then.
[More](warehouse.md#the-archive).`,
  schedule: `Never runs twice at once, in any number of replicas; retries what is retryable until \`RETRY_FOR\` is over; serves the
operator's page, metrics and health on \`HTTP_HOST\` and \`HTTP_PORT\`. [More](scheduling.md).`,
  digest: `Of a weekly or monthly digest, \`--day\` is any day of its period. A digest of a day that isn't loaded, isn't over or
was skipped is built with \`--resend\` alone. Of one that was built, \`--resend\` repeats the message unchanged. \`--skip\`
without \`--day\` is for a restored backup or a staging copy.`,
  accept: `A response is held if it would withdraw most of a day: [when a number changes](warehouse.md#when-a-number-changes).
It fetches the day again and applies the response if it is still the same; another one goes through the load decision like
any other.`,
  status: `For each account: complete through which day, gaps, held responses, suspicious and settling days, quarantine, and the last
complete client walk. Then the last runs and undelivered mail. It is as wide as the terminal, or \`COLUMNS\`, or 80.`,
  doctor: `In few requests and without writing. Of what [the service's document doesn't show](service-assumptions.md), it reports
whatever decides a setting: page size, balance field and the end of a date range; and whether each token is good.`,
  migrate: 'Once, and after each upgrade; compose and Kubernetes do it by themselves.',
  forget: "[What is erased, and what isn't](operations.md#erase-an-account).",
  clients: 'Nothing is written to the warehouse.',
  campaigns: 'Nothing is written to the warehouse.',
  init: `It tries them as \`doctor\` does, and writes nothing if they fail. \`.env\` is readable by its owner alone; with
\`--token-file\` the token stays in its file.`,
  simulate: 'It prints its address and the session tokens of its accounts, for `init` to rehearse with.',
  demo: 'In a clone, not in the image. It leaves the mails of each night, and the page, as files under `.callsheet/demo/`.',
};

/** Generates `docs/commands.md` from the help of each command, as typed in the image. */
export async function commandsPage(): Promise<string> {
  const names = [...(await help()).matchAll(/^ {2}([a-z]+)\b/gm)].map((match) => match[1]!);
  const commands = await Promise.all(
    names.filter((name) => name !== 'help').map(async (name) => ({ name, text: await help(name) })),
  );
  const missing = Object.keys(more).filter((name) => !names.includes(name));
  if (missing.length > 0) throw new Error(`no such command: ${missing.join(', ')}`);
  const contents = commands.map(({ name, text }) => `| [\`${name}\`](#${name}) | ${summary(text)} |`);
  const sections = commands.map(({ name, text }) =>
    [`## ${name}`, ...(more[name] ? [more[name]] : []), `\`\`\`\n${text.trim()}\n\`\`\``].join('\n\n'),
  );
  return `${[introduction, `| command | does |\n|---|---|\n${contents.join('\n')}`, ...sections, exitCodes].join('\n\n')}\n`;
}

const introduction = `# Commands

\`callsheet COMMAND\` in the image, \`npm start -- COMMAND\` in a clone; [operations.md](operations.md) says how to type them
under compose, systemd and Kubernetes. Results go to stdout, logs to stderr. Each command ends with an
[exit code](#exit-codes) that a scheduler can decide by. SIGTERM or Ctrl-C ends it in order, a second one at once.

This page is generated from the help of each command and the catalogue of errors: \`npm run commands\` writes it again.`;

const exitCodes = `## Exit codes

${exitCodeTable()}

[operations.md](operations.md#what-each-error-means) says what to do about each error.`;

async function help(...command: string[]): Promise<string> {
  const { code, stdout, stderr } = await callsheet([...command, '--help'], {
    CALLSHEET_COMMAND: 'callsheet',
  });
  if (code !== 0) throw new Error(`${command.join(' ')} --help ended with ${code}: ${stderr}`);
  return stdout;
}

function summary(text: string): string {
  return text.split('\n\n')[1]!.replaceAll('\n', ' ');
}
