import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseEnv } from 'node:util';
import type { Command } from 'commander';
import { type Environment, settingLine } from '../../config/environment.ts';
import { fileName } from '../../digest/compose.ts';
import { backfill } from '../../job/backfill.ts';
import { previewDigest } from '../../job/digests/preview-digest.ts';
import { examineService } from '../../job/doctor.ts';
import { nightly } from '../../job/nightly.ts';
import { logPrivateDatabase } from '../../job/run/database.ts';
import type { Finding } from '../../model/alert.ts';
import { addDays, yesterday } from '../../model/day.ts';
import { usageFailure } from '../../model/errors.ts';
import { exitCode } from '../../model/exit-code.ts';
import { periodOf } from '../../model/period.ts';
import { systemClock } from '../../support/clock.ts';
import { asTyped } from '../../support/commands.ts';
import { openQuestions, type Questions } from '../ask.ts';
import { type Context, logReport, readSettings, type Settings, withApp } from '../context.ts';
import { exampleOf } from '../options.ts';
import { createProgress } from '../progress/live-line.ts';
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
    .description('Write .env, and load the first weeks if you like')
    .option('--url <URL>', 'address of the service (default: asked for)')
    .option('--token-file <FILE>', 'file with the session token (default: asked for)')
    .option('--force', 'replace a .env that is there')
    .addHelpText(
      'after',
      '\nWhat is asked for may also be piped in, a line each: the address, the token, and y to load five weeks.',
    )
    .addHelpText('after', exampleOf('init', '--url', 'https://service.example.com/api'))
    .action(async (options: Options) => {
      if (!options.force && existsSync(file))
        throw usageFailure(`${path.resolve(file)} exists: edit it, or replace it with --force`);
      const { tokenFile } = options;
      if (tokenFile !== undefined && !existsSync(tokenFile))
        throw usageFailure(`${path.resolve(tokenFile)} doesn't exist`);
      const questions = openQuestions(context.signal);
      try {
        await initialize(context, questions, options);
      } finally {
        questions.close();
      }
    });
}

async function initialize(context: Context, questions: Questions, options: Options): Promise<void> {
  const given = await askSettings(questions, options);
  const text = Object.entries(given).map(line).join('\n');
  if (!(await tryService(context, given))) {
    context.print(`\nNothing is written: correct address or token, and run the same command again.`);
    return;
  }
  const isReplaced = existsSync(file);
  // An existing file would keep its mode.
  if (isReplaced) await rm(file);
  await writeFile(file, `# Written by init. docs/settings.md has the others.\n${text}\n`, {
    mode: 0o600,
    flag: 'wx',
  });
  context.print(`\nWritten: ${path.resolve(file)}.`);
  const settings = readSettings(
    { ...context, environment: { ...context.environment, ...given } },
    { service: true },
  );
  // This process still has the variables of a replaced file.
  const wanted = !isReplaced && (await questions.confirm('Load five weeks and mail the first digest now?'));
  if (wanted) await loadFirst(context, settings);
  else printNext(context, settings);
}

const previewFolder = 'preview';

function printNext({ print }: Context, { config }: Settings): void {
  const last = yesterday(systemClock(), config.planning.timeZone);
  print('\nNext, load five weeks and mail the first digest:\n');
  print(`  ${asTyped('backfill', '--from', addDays(last, -34), '--to', last)}\n  ${asTyped('run')}`);
  const [digest] = config.digests;
  if (digest === undefined) return;
  const period = periodOf(digest.every, last);
  print(`  ${asTyped('digest', '--day', last, '--digest', digest.name, '--preview', previewFolder)}`);
  const page = `${fileName({ name: digest.name, period })}.html`;
  print(`\nThen open:\n\n  ${path.resolve(previewFolder, page)}`);
}

/** Loads five weeks, does one run, and writes the newest digest as files. */
async function loadFirst(context: Context, settings: Settings): Promise<void> {
  const { command, signal, print, end } = context;
  const files = await withApp(settings, async (parts) => {
    const app = { ...parts, onProgress: createProgress(context.live, settings.log) };
    const last = yesterday(app.clock(), settings.config.planning.timeZone);
    const history = { command, from: addDays(last, -34), to: last, accounts: null };
    logReport(settings.log, await backfill(app, history, signal));
    const run = await nightly(app, { command, days: null, accounts: null, digest: true }, signal);
    logReport(settings.log, run);
    end(run.exitCode);
    const [digest] = settings.config.digests;
    return digest === undefined
      ? []
      : await previewDigest(app, digest, periodOf(digest.every, last), previewFolder);
  });
  logPrivateDatabase(settings, settings.log);
  const page = files.find((each) => each.endsWith('.html'));
  if (page !== undefined) print(`\nThe first digest is written. Open:\n\n  ${path.resolve(page)}`);
}

/** The settings to write. A token that is in a file stays in that file, where it can be replaced. */
async function askSettings(questions: Questions, { url, tokenFile }: Options): Promise<Environment> {
  const SERVICE_BASE_URL = url ?? (await questions.ask('address of the service'));
  if (tokenFile !== undefined) return { SERVICE_BASE_URL, SIDTOKEN_FILE: tokenFile };
  return { SERVICE_BASE_URL, SIDTOKEN: await questions.askSecret('session token') };
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
