import type { Dataset, SimulatedCampaign } from '../dataset.ts';
import {
  type AnyRecord,
  changingRecords,
  exactNumber,
  onBoth,
  type Variant,
  type VariantEntry,
  without,
} from '../variant.ts';

/**
 * What figures mean: whether the end date is included, what the counts cover, which campaigns are listed and what
 * further fields there are isn't shown (service.md 2.4, 4.2).
 */
export const figureVariants = {
  'end-exclusive': {
    does: "the enddate isn't included: D to D has nothing, D to D+1 has D",
    make: () =>
      withCampaigns(({ campaigns }) => (account, from, to) => {
        const days = from.until(to, { largestUnit: 'days' }).days;
        return days < 1 ? [] : campaigns(account, from, to.subtract({ days: 1 }));
      }),
  },
  'idle-listed': {
    does: 'campaigns that called in the 30 days before the range, but not in it, are listed with zeros',
    make: () =>
      withCampaigns(({ campaigns }) => (account, from, to) => {
        const active = campaigns(account, from, to);
        const known = campaigns(account, from.subtract({ days: 30 }), to);
        const ids = new Set(active.map(({ callsetid }) => callsetid));
        const idle = known.filter(({ callsetid }) => !ids.has(callsetid)).map(zeroed);
        return [...active, ...idle].sort((a, b) => a.callsetid - b.callsetid);
      }),
  },
  'lifetime-totals': {
    does: 'dates only choose which campaigns are listed; their counts are totals since they began',
    make: () => withCampaigns(lifetimes),
  },
  'counts-null': {
    does: 'some counts are null or absent: by callsetid modulo 4, attempts and busies null (0), liveanswers absent (1)',
    make: () => ({ campaigns: changingRecords((records) => records.map(withGaps)) }),
  },
  'extra-nested': {
    does: 'records have further fields: objects, lists, null, and numbers that a double would round',
    make: () => onBoth(changingRecords((records) => records.map(withExtra))),
  },
} satisfies Record<string, VariantEntry>;

type Campaigns = Dataset['campaigns'];

function withCampaigns(change: (dataset: Dataset) => Campaigns): Variant {
  return { dataset: (dataset) => ({ ...dataset, campaigns: change(dataset) }) };
}

function zeroed(campaign: SimulatedCampaign): SimulatedCampaign {
  return { ...campaign, attempts: 0, busies: 0, connects: 0, liveanswers: 0, noanswers: 0 };
}

/**
 * Up to now, whatever the range. Campaigns with an end last for 60 days at most; for those without one, their
 * beginning is taken to be that of the year before, so that a question stays cheap.
 */
function lifetimes({ campaigns }: Dataset): Campaigns {
  const farAhead = Temporal.PlainDate.from('9999-12-31');
  return (account, from, to) => {
    const listed = new Set(campaigns(account, from, to).map(({ callsetid }) => callsetid));
    const beginning = new Temporal.PlainDate(from.year - 1, 1, 1);
    return campaigns(account, beginning, farAhead).filter(({ callsetid }) => listed.has(callsetid));
  };
}

/** By the id, so that a campaign has the same gaps whenever it is asked for. */
function withGaps(record: AnyRecord): AnyRecord {
  const kind = Number(record.callsetid) % 4;
  if (kind === 0) return { ...record, attempts: null, busies: null };
  return kind === 1 ? without(record, 'liveanswers') : record;
}

function withExtra(record: AnyRecord): AnyRecord {
  return {
    ...record,
    settings: { retries: { most: 3, days: ['mon', 'tue'] }, callerid: null },
    history: [[1, [2, []]], {}],
    dialled: exactNumber('12345678901234567890'),
    ratio: exactNumber('0.12345678901234567890123'),
    active: true,
  };
}
