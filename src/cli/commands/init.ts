import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseEnv } from 'node:util';
import type { Command } from 'commander';
import { type Environment, settingLine } from '../../config/environment.ts';
import { examineService } from '../../job/doctor.ts';
import type { Finding } from '../../model/alert.ts';
import { usageFailure } from '../../model/errors.ts';
import { exitCode } from '../../model/exit-code.ts';
import { systemClock } from '../../support/clock.ts';
import { asTyped } from '../../support/commands.ts';
import { openQuestions } from '../ask.ts';
import { type Context, readSettings } from '../context.ts';
import { exampleOf } from '../options.ts';
import { describeFinding } from './doctor.ts';

type Options = {
  readonly url?: string;
  readonly tokenFile?: string;
  readonly force?: true;
};

/** `npm start` reads this file from the working directory. */
const file = '.env';

/** `init`: tries address and token, and writes them to `.env`. A shell would remember a token argument. */
export function addInit(program: Command, context: Context): void {
  program
    .command('init')
    .description('Ask for address and token, try them and write .env')
    .option('--url <URL>', 'address of the service (default: asked for)')
    .option('--token-file <FILE>', 'file with the session token (default: asked for)')
    .option('--force', 'replace a .env that is there')
    .addHelpText(
      'after',
      '\nWhat is asked for may also be piped in, a line each: first the address, then the token.',
    )
    .addHelpText('after', exampleOf('init', '--url', 'https://service.example.com/api'))
    .action(async (options: Options) => {
      if (!options.force && existsSync(file))
        throw usageFailure(`${path.resolve(file)} exists: edit it, or replace it with --force`);
      const settings = await askSettings(options, context.signal);
      const text = Object.entries(settings).map(line).join('\n');
      if (!(await tryService(context, settings))) {
        context.print(`\nNothing is written: correct address or token, and run the same command again.`);
        return;
      }
      // An existing file would keep its mode.
      if (options.force) await rm(file, { force: true });
      await writeFile(file, `# Written by init. docs/settings.md has the others.\n${text}\n`, {
        mode: 0o600,
        flag: 'wx',
      });
      context.print(`\nWritten: ${path.resolve(file)}. Next:\n`);
      context.print(`  ${asTyped('clients')}\n  ${asTyped('run')}`);
    });
}

/** The settings to write. A token that is in a file stays in that file, where it can be replaced. */
async function askSettings({ url, tokenFile }: Options, signal: AbortSignal): Promise<Environment> {
  const questions = openQuestions(signal);
  try {
    const SERVICE_BASE_URL = url ?? (await questions.ask('address of the service'));
    if (tokenFile !== undefined) return { SERVICE_BASE_URL, SIDTOKEN_FILE: tokenFile };
    return { SERVICE_BASE_URL, SIDTOKEN: await questions.askSecret('session token') };
  } finally {
    questions.close();
  }
}

/** Prints the findings about the service. Stops at the first error, sets the exit code and returns false. */
async function tryService(context: Context, given: Environment): Promise<boolean> {
  // Only these count: the other variables may come from the `.env` that is about to be replaced.
  const { ALLOW_INSECURE_HTTP, NODE_EXTRA_CA_CERTS, LOG_LEVEL, LOG_FORMAT } = context.environment;
  const environment = { ALLOW_INSECURE_HTTP, NODE_EXTRA_CA_CERTS, LOG_LEVEL, LOG_FORMAT, ...given };
  const settings = readSettings({ ...context, environment }, { service: true });
  for await (const finding of examineService(settings, systemClock, context.signal)) {
    context.print(context.redactor.redact(describeFinding(withOwnAdvice(finding))));
    if (finding.status !== 'error') continue;
    // Further findings would report the same error.
    context.end(finding.exitCode);
    return false;
  }
  return true;
}

/** No setting holds the token yet. */
function withOwnAdvice(finding: Finding): Finding {
  if (finding.status !== 'error' || finding.exitCode !== exitCode.tokenRefused) return finding;
  return { ...finding, advice: 'run init again with a valid session token' };
}

function line([name, value = '']: readonly [string, string | undefined]): string {
  const written = settingLine(name, value);
  if (parseEnv(written)[name] === value) return written;
  throw usageFailure(`${name} can't be written to ${file}: write it to a file for --token-file`);
}
