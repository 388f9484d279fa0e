import { loadConfig } from '../../src/config/load.ts';
import { type NightlyRequest, nightly } from '../../src/job/nightly.ts';
import { createContext } from '../../src/job/run/app-context.ts';
import type { RunReport } from '../../src/job/run/run.ts';
import { addDays } from '../../src/model/day.ts';
import { createService } from '../../src/service/service.ts';
import { type Dataset, generateDataset } from '../../src/simulator/dataset.ts';
import { createLogger } from '../../src/support/logger.ts';
import { createRedactor } from '../../src/support/redaction.ts';
import { never, undated } from './nights.ts';
import type { World } from './world.ts';

/** Today by the machine's clock: `status`, page and metrics show all days up to yesterday. */
export const today = Temporal.Now.plainDateISO('UTC').toString();
export const yesterday = addDays(today, -1);

/** A Monday: on a Sunday some accounts have few campaigns. */
const asYesterday = Temporal.PlainDate.from('2026-03-02');

/** A data set whose yesterday always has the same figures. */
export const dataset = shifted(generateDataset(), asYesterday.until(yesterday));

function shifted(set: Dataset, by: Temporal.Duration): Dataset {
  return {
    ...set,
    campaigns: (account, from, to) => set.campaigns(account, from.subtract(by), to.subtract(by)),
  };
}

/** Runs the nightly job at 06:30 UTC of that day against the service at `url`, with short waits. */
export async function variantNight(
  world: World,
  url: string,
  runDate: string,
  request: Partial<NightlyRequest> = {},
  settings: World['environment'] = {},
): Promise<RunReport> {
  const environment = {
    ...world.environment,
    SERVICE_BASE_URL: url,
    // Long enough for a busy machine.
    REQUEST_TIMEOUT: '30s',
    RETRIES: '2',
    PAGE_LIMIT: '40',
    ALERT_TO: 'operator@example.com',
    ...settings,
  };
  const redactor = createRedactor();
  const loaded = loadConfig(environment, { service: true }, redactor);
  const log = createLogger('silent', 'json', redactor);
  const clock = () => Temporal.Instant.from(`${runDate}T06:30:00Z`);
  const app = createContext(loaded, world.databaseUrl, log, clock);
  const serviceSettings = { ...loaded.config.service, maxResponseBytes: 4_000_000 };
  // Shorter waits than in production; the size limit above saves memory.
  const limits = { retryBudgetMs: 20_000, maxRetryAfterMs: 300 };
  const connect = (signal: AbortSignal) =>
    createService({ settings: serviceSettings, token: loaded.secrets.token, redactor, signal, limits });
  try {
    return await nightly({ ...app, connect }, { ...undated, ...request }, never);
  } finally {
    await app.warehouse.destroy();
  }
}
