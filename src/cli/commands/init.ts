import { existsSync } from 'node:fs';
import { access, chmod, constants, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseEnv } from 'node:util';
import type { Command } from 'commander';
import { type Environment, settingLine } from '../../config/environment.ts';
import { ConfigurationFailure, type LoadedConfig, loadConfig } from '../../config/load.ts';
import { exampleLine, insecureErrors, settingError } from '../../config/schema.ts';
import { fileName } from '../../digest/compose.ts';
import { acceptAlways } from '../../job/accept-always.ts';
import { backfill } from '../../job/backfill.ts';
import { previewDigest } from '../../job/digests/preview-digest.ts';
import {
  examineDatabaseUrl,
  examineMail,
  examineService,
  possibleSilences,
  toFinding,
} from '../../job/doctor.ts';
import { nightly } from '../../job/nightly.ts';
import type { AppContext } from '../../job/run/app-context.ts';
import { migrate, privateDataFolder, psqlCommand } from '../../job/run/database.ts';
import { describeAnomaly } from '../../job/windows/describe-anomaly.ts';
import { signId, starred } from '../../model/accepted.ts';
import { addDays, yesterday } from '../../model/day.ts';
import { Failure, usageFailure } from '../../model/errors.ts';
import type { Finding } from '../../model/finding.ts';
import { periodOf } from '../../model/period.ts';
import { systemClock } from '../../support/clock.ts';
import { asTyped, commandLine } from '../../support/commands.ts';
import { formatCountOf } from '../../support/english.ts';
import { paint } from '../../support/paint.ts';
import { openWarehouse } from '../../warehouse/db/database.ts';
import { readWaitingSigns, type WaitingSign } from '../../warehouse/ledger/accepted.ts';
import { openQuestions, type Question, type Questions } from '../ask.ts';
import { type Context, logReport, readSettings, type Settings, withApp } from '../context.ts';
import { exampleOf } from '../options.ts';
import { createProgress } from '../progress/live-line.ts';
import { printFinding } from './doctor.ts';

type Options = {
  readonly url?: string;
  readonly tokenFile?: string;
};

/** The options at first; later the address at which the token wasn't accepted. */
type Given = Options & { readonly refusedAt?: string | undefined };

/** `npm start` reads this file from the working directory. */
const file = '.env';

/** `init`: asks for what `.env` lacks, tries it, and writes it there. A shell would remember a token argument. */
export function add(program: Command, context: Context): void {
  program
    .command('init')
    .description('Ask for what production needs, try it, and write .env')
    .option('--url <URL>', 'address of the service (default: asked for)')
    .option('--token-file <FILE>', 'file with the session token (default: asked for)')
    .addHelpText(
      'after',
      `
Asks for what .env lacks, in this order: address of the service, session token,
time zone, digest recipients, mail server with sender and alert recipients,
database, watchdog. Each answer is tested and written at once: if you stop, run
the command again to continue. Answers can be piped in, one per line; an empty
line takes the default. A last line, y, loads five weeks.`,
    )
    .addHelpText('after', exampleOf('init', '--url', 'https://service.example.com/api'))
    .action(async (options: Options) => {
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
  // Before anybody types a token.
  const target = path.resolve(existsSync(file) ? file : '.');
  await access(target, constants.W_OK).catch(() => {
    const advice = 'run init as its owner, or in a folder of your own';
    throw new Failure('INVALID_ARGUMENTS', `${target} can't be written`, { advice });
  });
  let environment = withoutExamples(context.environment);
  // Without a sender next to it, no setting is read.
  const sender = hasMailServer(environment) ? await askSender(questions, environment) : {};
  await writeSettings(sender);
  environment = { ...environment, ...sender };
  let settings = readSettings({ ...context, environment }, { service: false });
  for (const step of steps) {
    const taken = await takeStep(context, questions, step, { environment, settings }, options);
    if (taken === null) return;
    ({ environment, settings } = taken);
  }
  if (!(await isLoaded(settings))) {
    const { config, secrets } = settings;
    const to = config.digests.flatMap((digest) => digest.to);
    const isMailed = secrets.smtpUrl() !== null && to.length > 0;
    const mail = isMailed ? `mail the first digest to ${to.join(', ')}` : 'write the first digest';
    if (await questions.confirm(`Load five weeks and ${mail} now?`, 'yes'))
      await loadFirst(context, questions, settings);
    else printNext(context, settings);
  }
  printProduction(context, settings);
}

/** Returns whether any run has begun in this warehouse: `init` may have been interrupted, or settings written by hand. */
async function isLoaded({ secrets }: Settings): Promise<boolean> {
  const url = secrets.databaseUrl();
  if (url === null) return existsSync(privateDataFolder);
  await using warehouse = openWarehouse(url, 1);
  const runs = await warehouse.selectFrom('etl.runs').select('run_id').limit(1).execute();
  return runs.length > 0;
}

type Known = { readonly environment: Environment; readonly settings: Settings };

/** Asks again with the former answers as defaults, but for secrets. An empty one was a default itself. */
function withFormerAnswers(questions: Questions, answers: Map<string, string>): Questions {
  return {
    ...questions,
    async ask(question: Question) {
      const former = question.isSecret ? undefined : answers.get(question.what);
      const answer = await questions.ask(
        former ? { ...question, byDefault: former, orElse: former } : question,
      );
      answers.set(question.what, answer);
      return answer;
    },
  };
}

/**
 * Asks for the settings of a step, tests them and writes them; on a terminal, repeats until they pass, each time with the former
 * answers as defaults. Otherwise sets the exit code and returns null.
 */
async function takeStep(
  context: Context,
  questions: Questions,
  step: Step,
  known: Known,
  options: Options,
): Promise<Known | null> {
  const { log } = known.settings;
  let logged = known.settings.warnings;
  const former = new Map(options.url === undefined ? [] : [[addressOfService, options.url]]);
  const asker = withFormerAnswers(questions, former);
  let before: Given = options;
  for (;;) {
    const answers = await step.ask(asker, known.environment, before);
    const given = Object.fromEntries(Object.entries(answers).filter(([, value]) => value !== ''));
    const environment = { ...known.environment, ...given };
    const names = Object.keys(given);
    const loaded = loadOrErrors(context, environment);
    let error: FoundError | ConfigurationFailure;
    if (loaded instanceof ConfigurationFailure) {
      // Each answer is well formed, but they don't fit each other: http:// to another machine.
      if (names.length === 0 || !questions.isTerminal) throw loaded;
      for (const line of loaded.errors) context.print(paint.bad(context.redactor.redactOwn(line)));
      error = loaded;
    } else {
      const settings = { ...loaded, log };
      for (const warning of settings.warnings) if (!logged.includes(warning)) log.warn(warning);
      logged = settings.warnings;
      let found: FoundError | null = null;
      // Further errors would report the same.
      for await (const finding of (await step.examine?.(settings, context.signal)) ?? []) {
        printFinding(context, finding);
        found = finding.status === 'error' ? finding : null;
        if (found !== null) break;
      }
      if (found === null) {
        await writeSettings(given);
        return { environment, settings };
      }
      error = found;
    }
    const unwritten = names.length === 0 ? '' : `Not written: ${names.join(', ')}. `;
    if (names.length === 0 || !questions.isTerminal) {
      context.setExitCode(error.exitCode);
      context.print(
        `\n${unwritten}Correct it and run the same command again: it asks only for what is missing.`,
      );
      return null;
    }
    context.print(`\n${unwritten}Try again:\n`);
    // The options are asked for, too, once they have failed. An unknown answer may also refuse a token.
    const isRefused = error.code === 'TOKEN_REFUSED' || error.code === 'UNKNOWN_ANSWER';
    before = isRefused ? { refusedAt: former.get(addressOfService) } : {};
  }
}

function loadOrErrors({ redactor }: Context, environment: Environment): LoadedConfig | ConfigurationFailure {
  try {
    return loadConfig(environment, { service: true }, redactor);
  } catch (error) {
    if (error instanceof ConfigurationFailure) return error;
    throw error;
  }
}

type FoundError = Extract<Finding, { status: 'error' }>;

/**
 * Once the client list was read, an unknown answer is no error: what it means is asked after five weeks are loaded. With a wrong address,
 * the client list has the same answer.
 */
async function* untilAsked(findings: AsyncIterable<Finding>): AsyncGenerator<Finding, void> {
  let isListRead = false;
  for await (const finding of findings) {
    isListRead ||= finding.subject === 'client list' && finding.status === 'ok';
    const isAsked = isListRead && finding.status === 'error' && finding.code === 'UNKNOWN_ANSWER';
    yield isAsked
      ? { ...finding, status: 'warning', advice: 'once days are loaded, you are asked what it means' }
      : finding;
  }
}

/** Drops values that were copied from `.env.example`. Drops `TZ`, too: init asks for the zone, so no warning about it is needed. */
function withoutExamples(environment: Environment): Environment {
  const isExample = (name: string, value = '') => settingLine(name, value) === exampleLine(name);
  const copied = ['SERVICE_BASE_URL', 'SIDTOKEN'].filter((name) => isExample(name, environment[name]));
  return { ...environment, ...Object.fromEntries([...copied, 'TZ'].map((name) => [name, undefined])) };
}

type Step = {
  /** Asks for settings that `environment` lacks. Returns them, empty if there is to be none. */
  ask(questions: Questions, environment: Environment, given: Given): Promise<Record<string, string>>;
  /** Tries the settings of this step, new or not, as `doctor` does. */
  examine?(loaded: LoadedConfig, signal: AbortSignal): AsyncIterable<Finding> | Promise<Finding[]>;
};

const addressOfService = 'address of the service';

const checkOf = (name: string) => (answer: string) => settingError(name, answer);

const hasMailServer = ({ SMTP_URL, SMTP_URL_FILE }: Environment) => Boolean(SMTP_URL || SMTP_URL_FILE);

async function askSender(
  questions: Questions,
  { DIGEST_FROM, DIGEST_TO = 'manager@example.com' }: Environment,
): Promise<Record<string, string>> {
  if (DIGEST_FROM) return {};
  const domain = DIGEST_TO.split(',')[0]!.split('@')[1];
  const question = { what: 'sender of the mails', byDefault: `Callsheet <callsheet@${domain}>` };
  return { DIGEST_FROM: await questions.ask({ ...question, check: checkOf('DIGEST_FROM') }) };
}

/** Asks for a setting that may stay empty, unless it or the other one is set. */
function unlessSet(
  name: string,
  question: Pick<Question, 'what' | 'form' | 'orElse' | 'isSecret'>,
  other = `${name}_FILE`,
): Step['ask'] {
  return async (questions, environment) => {
    if (environment[name] || environment[other]) return {};
    return { [name]: await questions.ask({ ...question, byDefault: '', check: checkOf(name) }) };
  };
}

const askForMailServer = unlessSet('SMTP_URL', {
  what: 'address of the mail server',
  form: 'smtp://user:password@mail.example.com:587',
  orElse: 'none: mail is written to files',
  isSecret: true,
});

const askForOperator = unlessSet('ALERT_TO', { what: 'alert recipients', orElse: 'nobody' });

const steps: readonly Step[] = [
  {
    async ask(questions, environment, { url, tokenFile, refusedAt }) {
      const answers: Record<string, string> = {};
      // Before anybody types a token.
      const check = (answer: string) =>
        settingError('SERVICE_BASE_URL', answer) ??
        insecureErrors({ ...environment, SERVICE_BASE_URL: answer })[0] ??
        null;
      const error = url === undefined ? null : check(url);
      if (error !== null) throw usageFailure(error);
      const token = { what: 'session token', isSecret: true, check: checkOf('SIDTOKEN') } as const;
      const hasToken = Boolean(
        environment.SIDTOKEN || environment.SIDTOKEN_FILE || environment.ACCOUNTS_FILE,
      );
      // The address would show a token that is pasted at once.
      if (refusedAt !== undefined && !hasToken) {
        const SIDTOKEN = await questions.ask({ ...token, byDefault: '', orElse: 'back to the address' });
        if (SIDTOKEN !== '') return { SERVICE_BASE_URL: refusedAt, SIDTOKEN };
      }
      if (!environment.SERVICE_BASE_URL)
        answers.SERVICE_BASE_URL = url ?? (await questions.ask({ what: addressOfService, check }));
      if (hasToken) return answers;
      // A token that is in a file stays in that file, where it can be replaced.
      if (tokenFile !== undefined) answers.SIDTOKEN_FILE = tokenFile;
      else answers.SIDTOKEN = await questions.ask(token);
      return answers;
    },
    examine: (loaded, signal) => untilAsked(examineService(loaded, systemClock, signal)),
  },
  {
    async ask(questions, environment) {
      if (environment.TIME_ZONE) return {};
      const zone = Temporal.Now.timeZoneId();
      const now = Temporal.Now.zonedDateTimeISO(zone);
      // Servers and containers have UTC, whose days are hardly anybody's: the American evening is on the next one.
      const isUtc = now.timeZoneId === 'UTC' || now.equals(now.withTimeZone('UTC'));
      const question = {
        what: 'time zone of your days',
        form: 'America/New_York or UTC',
        check: checkOf('TIME_ZONE'),
      };
      return { TIME_ZONE: await questions.ask(isUtc ? question : { ...question, byDefault: zone }) };
    },
  },
  {
    ask: unlessSet(
      'DIGEST_TO',
      {
        what: 'digest recipients',
        form: 'ana@example.com,ben@example.com',
        orElse: 'nobody yet',
      },
      'DIGESTS_FILE',
    ),
  },
  {
    async ask(questions, environment, given) {
      const server = await askForMailServer(questions, environment, given);
      if (server.SMTP_URL === '') return {};
      const sender = await askSender(questions, environment);
      return { ...server, ...sender, ...(await askForOperator(questions, environment, given)) };
    },
    examine: (loaded) => examineMail(loaded, null),
  },
  {
    ask: unlessSet('DATABASE_URL', {
      what: 'address of the database',
      form: 'postgres://user:password@db.example.com:5432/callsheet?sslmode=verify-full',
      orElse: 'a private Postgres, for trying out',
      isSecret: true,
    }),
    async *examine(loaded) {
      yield* await setUpSchema(loaded);
      yield* await examineDatabaseUrl(loaded);
    },
  },
  {
    ask: unlessSet('HEALTHCHECK_URL', {
      what: 'address of a watchdog that each run pings',
      form: 'https://hc-ping.com/<UUID>',
      orElse: 'none: a missed run goes unnoticed',
    }),
    examine: async (loaded) => possibleSilences(loaded),
  },
];

/** Migrates the schema. Returns only an error, or what a superuser has to do: `examineDatabaseUrl` reports the rest. */
async function setUpSchema({ secrets }: LoadedConfig): Promise<Finding[]> {
  const url = secrets.migrateDatabaseUrl() ?? secrets.databaseUrl();
  if (url === null) return [];
  const area = 'database';
  return await toFinding(area, 'schema', async () => {
    const { readerSql } = await migrate(url);
    if (readerSql.length === 0) return [];
    const message = 'this role may not set up callsheet_reader, the role for BI tools';
    return [
      {
        area,
        subject: 'reader',
        message,
        status: 'warning',
        advice: `only BI tools need it; let a superuser run the SQL that this command prints: ${asTyped('migrate')}`,
      },
    ];
  });
}

/**
 * Replaces these lines of the file, or adds them. Afterwards only its owner can read it. Throws a usage Failure if a value can't
 * be written.
 */
async function writeSettings(settings: Readonly<Record<string, string>>): Promise<void> {
  if (Object.keys(settings).length === 0) return;
  const isThere = existsSync(file);
  let text = isThere ? await readFile(file, 'utf8') : '# docs/settings.md explains every setting.\n';
  for (const [name, value] of Object.entries(settings)) {
    const line = settingLine(name, value);
    const former = new RegExp(`^${name}=.*$`, 'm');
    text = former.test(text) ? text.replace(former, () => line) : `${text.replace(/\n?$/, '\n')}${line}\n`;
  }
  const written = parseEnv(text);
  for (const [name, value] of Object.entries(settings))
    if (written[name] !== value)
      throw usageFailure(
        `${name} can't be written to ${file}: write it to a file and name that file in ${name}_FILE`,
      );
  if (isThere) await chmod(file, 0o600);
  await writeFile(file, text, { mode: 0o600 });
}

/** Prints what to type or to open in a line of its own, which is never broken. */
function printBelow({ print }: Context, heading: string, line: string): void {
  print(`\n${paint.heading(heading)}\n\n  ${line}`);
}

const previewFolder = 'preview';

function printNext(context: Context, { config }: Settings): void {
  const { print } = context;
  const last = yesterday(systemClock(), config.planning.timeZone);
  const load = asTyped('backfill', '--from', addDays(last, -34), '--to', last);
  printBelow(context, 'Next, load five weeks and send the first digest:', load);
  print(`  ${asTyped('run')}`);
  const [digest] = config.digests;
  if (digest === undefined) return;
  const period = periodOf(digest.every, last);
  print(`  ${asTyped('digest', '--day', last, '--digest', digest.name, '--preview', previewFolder)}`);
  const page = `${fileName({ name: digest.name, period })}.html`;
  printBelow(context, 'Then open:', path.join(previewFolder, page));
}

/**
 * Asks about each thing that the service said and its document doesn't show: a person is there anyway. Without a terminal, it prints
 * what to type. Returns whether anything was accepted.
 */
async function askAboutSigns(context: Context, questions: Questions, app: AppContext): Promise<boolean> {
  const { signal, print } = context;
  let isAccepted = false;
  for (const waiting of await readWaitingSigns(app.warehouse, app.config.service.baseUrl)) {
    const id = signId(waiting.sign);
    const [said, question] = questionAbout(waiting);
    print(`\n${said}`);
    if (!questions.isTerminal) {
      print(`If ${question}:\n\n  ${asTyped('accept', '--always', id)}`);
      continue;
    }
    if (!(await questions.confirm(`Is it so that ${question}?`, 'no'))) continue;
    const command = commandLine('accept', '--always', id);
    const request = { command, sign: id, accounts: null, undo: false };
    await acceptAlways(app, request, signal, async () => true);
    isAccepted = true;
  }
  return isAccepted;
}

/** What the service said, and what a person may say about it. */
function questionAbout({ sign, anomaly, days, isStarred }: WaitingSign): readonly [string, string] {
  const text = isStarred ? starred(sign) : sign.sign;
  if (days === null) return [`The client list says "${text}".`, "that doesn't concern the list"];
  const when = `On ${formatCountOf(days, 'day')}`;
  if (sign.kind === 'empty')
    return [`${when} the service answers "${text}" in the place of a list.`, 'such a day has no campaigns'];
  if (sign.kind === 'remark')
    return [
      `${when} the service says "${text}" beside its campaigns.`,
      'the figures are complete nevertheless',
    ];
  return [`${when}: ${describeAnomaly(anomaly!)}.`, 'the figures are right nevertheless'];
}

/** Loads five weeks, does one run, and writes the newest digest as files. */
async function loadFirst(context: Context, questions: Questions, settings: Settings): Promise<void> {
  const { signal, setExitCode } = context;
  const files = await withApp(settings, async (parts) => {
    const app = { ...parts, onProgress: createProgress(context.live, settings.log) };
    const last = yesterday(app.clock(), settings.config.planning.timeZone);
    const from = addDays(last, -34);
    // `status` shows them as what they are: two runs named init would look like one that was repeated.
    const history = {
      command: commandLine('backfill', '--from', from, '--to', last),
      from,
      to: last,
      accounts: null,
    };
    logReport(settings.log, await backfill(app, history, signal));
    // Days that answered so are loaded by what was accepted.
    if (await askAboutSigns(context, questions, app))
      logReport(settings.log, await backfill(app, history, signal));
    const first = { command: commandLine('run'), days: null, accounts: null, digest: true };
    const run = await nightly(app, first, signal);
    logReport(settings.log, run);
    setExitCode(run.exitCode);
    await askAboutSigns(context, questions, app);
    const [digest] = settings.config.digests;
    return digest === undefined
      ? []
      : await previewDigest(app, digest, periodOf(digest.every, last), previewFolder);
  });
  const page = files.find((each) => each.endsWith('.html'));
  if (page !== undefined) printBelow(context, 'To read the first digest, open:', page);
}

/** Prints the steps after the first run: nights without a person. */
function printProduction(context: Context, settings: Settings): void {
  const isPrivate = settings.secrets.databaseUrl() === null;
  const [operator = 'ops@example.com'] = settings.config.alerts.to;
  if (settings.secrets.smtpUrl() !== null)
    printBelow(context, 'To check that mail arrives:', asTyped('doctor', '--mail-to', operator));
  printBelow(context, 'To run every night:', asTyped('schedule'));
  context.print('\nWith systemd, Compose or Kubernetes: docs/install.md.');
  printBelow(
    context,
    `To look into the warehouse${isPrivate ? ', while schedule runs' : ''} (\\dv warehouse.* lists views):`,
    psqlCommand(settings),
  );
}
