import { createApp } from '../../../src/server/app.ts';
import { generateDataset } from '../../../src/simulator/dataset.ts';
import { readTimeout } from '../../server/served.ts';
import { callsheet } from '../../support/callsheet.ts';
import { atInstant } from '../../support/nights.ts';
import type { SimulatorOptions } from '../../support/simulator.ts';
import { openWorld, type World } from '../../support/world.ts';

const [account] = generateDataset().accounts;

/** A world of one account, in a new installation. */
export async function install(options: SimulatorOptions = {}): Promise<World> {
  const world = await openWorld(options);
  const { ACCOUNTS_FILE: _, ...others } = world.environment;
  const one = { SIDTOKEN: account!.token, ACCOUNT_NAME: account!.name, RETRIES: '0' };
  return { ...world, environment: { ...others, ...one } };
}

/** What /metrics shows at that instant. */
export async function scrapeAt(
  world: Pick<World, 'environment'>,
  instant: Temporal.Instant,
  settings: World['environment'] = {},
): Promise<string> {
  const scrape = async (app: Parameters<typeof createApp>[0]) => {
    const site = createApp(app, { names: [], token: null, nextRun: () => null, readTimeout });
    return await (await site.request('/metrics', { headers: { host: 'localhost' } })).text();
  };
  return await atInstant(world, instant.toString(), scrape, settings);
}

export const now = (): Temporal.Instant => Temporal.Now.instant();

/** One run of the real job, and what /metrics shows after it. */
export async function scrapeAfterRun(
  options: SimulatorOptions,
  settings: World['environment'] = {},
): Promise<{ readonly code: number | null; readonly text: string }> {
  const world = await install(options);
  const environment = { ...world.environment, ...settings };
  const { code } = await callsheet(['run'], environment);
  const text = await scrapeAt({ environment }, now());
  await world.close();
  return { code, text };
}
