import type { Environment } from '../config/environment.ts';
import { type LoadedConfig, loadConfig, type Needs } from '../config/load.ts';
import { type AppContext, createContext } from '../job/run/app-context.ts';
import { type Database, logPrivateDatabase, openDatabase } from '../job/run/database.ts';
import type { RunReport } from '../job/run/run.ts';
import { summarize } from '../job/run/run-stats.ts';
import { localExecutor, type WindowExecutor } from '../job/windows/sync-windows.ts';
import { toDoLine } from '../model/alert.ts';
import { Failure, isOfAccount, lineOf } from '../model/errors.ts';
import { gravest } from '../model/exit-code.ts';
import type { Account } from '../model/records.ts';
import { createService, type Service } from '../service/service.ts';
import { trustCertificates } from '../support/certificates.ts';
import { formatElapsed } from '../support/english.ts';
import { createLogger, type Logger } from '../support/logger.ts';
import type { Redactor } from '../support/redaction.ts';
import { createProgress, type LiveLine } from './progress/live-line.ts';

/** Handed to every command. */
export type Context = {
  /** The command line as it was typed, for `etl.runs`. */
  readonly command: string;
  readonly environment: Environment;
  /** Aborted with an Interrupted by the first SIGINT or SIGTERM. */
  readonly signal: AbortSignal;
  readonly redactor: Redactor;
  readonly live: LiveLine;
  /** Maximum width of a line of results, in characters. */
  readonly columns: number;
  /** True if stdout is a terminal, which obeys escape sequences. */
  readonly isTerminal: boolean;
  /** Prints a result to stdout; nothing else goes there. */
  readonly print: (text: string) => void;
  readonly setExitCode: (code: number) => void;
};

export type Settings = LoadedConfig & { readonly log: Logger };

/** Reads the settings and starts the log; throws a ConfigurationFailure with all errors. */
export function readSettings({ environment, redactor, live }: Context, needs: Needs): Settings {
  const loaded = loadConfig(environment, needs, redactor);
  trustCertificates(loaded.config.certificates, /--use-system-ca\b/.test(environment.NODE_OPTIONS ?? ''));
  const { level, format } = loaded.config.log;
  const log = createLogger(level, format, redactor, live.clear);
  for (const warning of loaded.warnings) log.warn(warning);
  return { ...loaded, log };
}

/** Creates a client of the service, for a command that needs no database. */
export function connectService({ config, secrets }: Settings, signal: AbortSignal): Service {
  const { token, tokenRedactor: redactor } = secrets;
  return createService({
    settings: config.service,
    token,
    redactor,
    signal,
  });
}

/**
 * Does `work` for each account, by its name; null for all. The error of one account is logged and doesn't end the loop: it is the
 * exit code in the end.
 */
export async function forEachAccount(
  { setExitCode }: Pick<Context, 'setExitCode'>,
  { config, log }: Settings,
  names: readonly string[] | null,
  work: (account: Account) => Promise<void>,
): Promise<void> {
  const accounts = config.accounts.filter(({ name }) => names === null || names.includes(name));
  const failures: Failure[] = [];
  for (const account of accounts) {
    try {
      await work(account);
    } catch (error) {
      if (!isOfAccount(error) || accounts.length === 1) throw error;
      log.error({ account: account.name, code: error.code }, lineOf(error));
      failures.push(error);
    }
  }
  if (failures.length > 0) setExitCode(gravest(failures.map(({ exitCode }) => exitCode)));
}

/** Does `work` with the app context, then closes the database, even if `work` throws. */
export async function withApp<T>(
  settings: Settings,
  work: (app: AppContext, database: Database) => Promise<T>,
  open: () => Promise<Database> = () => openDatabase(settings, settings.log),
): Promise<T> {
  const database = await open();
  try {
    const app = createContext(settings, database.url, settings.log);
    try {
      return await work(app, database);
    } finally {
      await app.warehouse.destroy();
    }
  } finally {
    await database.close();
  }
}

/** The same for a run: workers sync windows if `distribute` is true, else this process. Logs the report. */
export async function withExecutor(
  { setExitCode, live }: Context,
  settings: Settings,
  distribute: boolean | undefined,
  work: (app: AppContext, executor: WindowExecutor) => Promise<RunReport>,
): Promise<void> {
  if (distribute) requireShared(settings);
  const report = await withApp(settings, async (context) => {
    const app = { ...context, onProgress: createProgress(live, settings.log) };
    if (!distribute) return await work(app, localExecutor);
    const { withWorkers } = await import('../queue/with-workers.ts');
    return await withWorkers(app, work);
  });
  logPrivateDatabase(settings, settings.log);
  logReport(settings.log, report);
  setExitCode(report.exitCode);
}

/** Throws a Failure if DATABASE_URL is not set: a private database belongs to one process. */
export function requireShared({ secrets }: Settings): void {
  if (secrets.databaseUrl() !== null) return;
  throw new Failure(
    'INVALID_CONFIGURATION',
    "DATABASE_URL is not set, and workers can't share a private database",
    { advice: 'set DATABASE_URL, the same for the run and its workers' },
  );
}

/** Logs the last line of a run: its outcome, its time and what it did. It is a warning if something is left to do. */
export function logReport(log: Logger, { run, number, outcome, ms, stats, toDo }: RunReport): void {
  const retry = number > 1 ? `retry ${number - 1}: ` : '';
  const line = `${retry}${outcome} in ${formatElapsed(ms)}: ${summarize(stats)}`;
  const fields = {
    run,
    outcome,
    ms,
    ...stats,
    // Each cause has its own line.
    failures: stats.failures.length,
    toDo,
  };
  const isDone = outcome === 'done';
  const isLeft = toDo !== null && toDo.length > 0;
  const nothing = isDone && toDo !== null ? '; nothing left to do' : '';
  log[isDone && !isLeft ? 'info' : 'warn'](fields, line + (isLeft ? `; ${toDoLine(toDo)}` : nothing));
}
