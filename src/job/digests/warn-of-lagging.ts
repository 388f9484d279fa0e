import { type LaggingAccounts, laggingAccounts } from '../../planning/lagging-accounts.ts';
import { formatList } from '../../support/english.ts';
import type { Run } from '../run/run.ts';

/** Logs, once at the start of a run, which digests wait for accounts in zones where the day isn't over yet. */
export function warnOfLagging({ config, clock, log }: Pick<Run, 'config' | 'clock' | 'log'>): void {
  const { digests, accounts } = config;
  for (const lagging of laggingAccounts({ digests, accounts, now: clock() })) {
    const names = lagging.accounts.map(({ name }) => name);
    log.warn({ digest: lagging.digest, day: lagging.day, accounts: names }, describe(lagging));
  }
}

function describe({ digest, day, accounts }: LaggingAccounts): string {
  const places = formatList(accounts.map(({ name, timeZone }) => `${name} (${timeZone})`));
  return `digest ${digest}: a later run builds that of ${day}, which isn't over for ${places}; set SCHEDULE to a later time, or give them a digest of their own`;
}
