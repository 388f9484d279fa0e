import { addDays } from '../../src/model/day.ts';
import { type Dataset, generateDataset } from '../../src/simulator/dataset.ts';

/** Today by the machine's clock: `status`, page and metrics show all days up to yesterday. */
export const today = Temporal.Now.plainDateISO('UTC').toString();

/** A Monday: on a Sunday some accounts have few campaigns. */
const asYesterday = Temporal.PlainDate.from('2026-03-02');

/** A data set whose yesterday always has the same figures. */
export const dataset = shifted(generateDataset(), asYesterday.until(addDays(today, -1)));

function shifted(set: Dataset, by: Temporal.Duration): Dataset {
  return {
    ...set,
    campaigns: (account, from, to) => set.campaigns(account, from.subtract(by), to.subtract(by)),
  };
}
