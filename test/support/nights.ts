import { loadConfig } from '../../src/config/load.ts';
import { type NightlyRequest, nightly } from '../../src/job/nightly.ts';
import { type AppContext, createContext } from '../../src/job/run/app-context.ts';
import type { RunReport } from '../../src/job/run/run.ts';
import type { Clock } from '../../src/support/clock.ts';
import { createLogger } from '../../src/support/logger.ts';
import { createRedactor } from '../../src/support/redaction.ts';
import { openWarehouse, type Warehouse } from '../../src/warehouse/db/database.ts';
import type { World } from './world.ts';

/** A real app context with these settings, whose clock a test moves. */
export function contextOf(
  environment: World['environment'],
  clock: Clock,
  log = createLogger('silent', 'json', createRedactor()),
  machineClock?: Clock,
): AppContext {
  const loaded = loadConfig(environment, { service: true }, createRedactor());
  return createContext(loaded, loaded.secrets.databaseUrl()!, log, clock, machineClock);
}

/** Does `work` with a real app context at a fixed instant, without waiting between attempts. */
export async function atInstant<T>(
  world: Pick<World, 'environment'>,
  instant: string,
  work: (app: AppContext) => Promise<T>,
  settings: World['environment'] = {},
): Promise<T> {
  const environment = { ...world.environment, ...settings };
  const app = contextOf(environment, () => Temporal.Instant.from(instant));
  try {
    return await work({ ...app, warehouse: warehouseOf(environment.DATABASE_URL!) });
  } finally {
    await app.warehouse.destroy();
  }
}

const warehouses = new Map<string, Warehouse>();

/** The connections of all nights on a database, because new ones take half of a night. Postgres ends them with the database. */
function warehouseOf(url: string): Warehouse {
  const warehouse = warehouses.get(url) ?? openWarehouse(url, 8);
  warehouses.set(url, warehouse);
  return warehouse;
}

export const never = new AbortController().signal;

export const undated: NightlyRequest = {
  command: 'run',
  days: null,
  accounts: null,
  digest: true,
  scheduledFor: null,
};

/** Runs the nightly job at 06:30 UTC of that day. */
export async function runNight(
  world: Pick<World, 'environment'>,
  day: string,
  settings: World['environment'] = {},
  request: Partial<NightlyRequest> = {},
  signal: AbortSignal = never,
): Promise<RunReport> {
  const run = (app: AppContext) => nightly(app, { ...undated, ...request }, signal);
  return await atInstant(world, `${day}T06:30:00Z`, run, settings);
}
