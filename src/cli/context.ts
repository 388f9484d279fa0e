import type { Environment } from '../config/environment.ts';
import { type LoadedConfig, loadConfig, type Needs } from '../config/load.ts';
import { type AppContext, createContext } from '../job/run/app-context.ts';
import { type Database, openDatabase } from '../job/run/database.ts';
import type { LiveLine } from '../support/live-line.ts';
import { createLogger, type Logger } from '../support/logger.ts';
import type { Redactor } from '../support/redaction.ts';

/** What every command is given. */
export type Context = {
  readonly environment: Environment;
  /** Aborted with an Interrupted by the first SIGINT or SIGTERM. */
  readonly signal: AbortSignal;
  readonly redactor: Redactor;
  /** The line of a terminal that shows progress. */
  readonly live: LiveLine;
  /** Results: to stdout, and nothing else goes there. */
  readonly print: (text: string) => void;
};

export type Settings = LoadedConfig & { readonly log: Logger };

/** Reads the settings and starts the log; throws a ConfigurationFailure with all errors. */
export function readSettings(context: Context, needs: Needs): Settings {
  const loaded = loadConfig(context.environment, needs, context.redactor);
  const log = createLogger(loaded.config.log.level, loaded.config.log.format, context.redactor, context.live);
  for (const warning of loaded.warnings) log.warn(warning);
  return { ...loaded, log };
}

/** Does `work` with the app context, and closes the database afterwards, however it ends. */
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
