/*
 * What the stand-in says, in the words of the service's document: client pages with `apirid, page, pages, limit,
 * clients, results, count, data`, campaign summaries with `campaigns, reports, result`. Pure, and cheap to compute.
 */

export const pageLimit = 100;

export type ListedClient = {
  readonly clientid: number;
  readonly clientname: string;
  readonly checksum: string;
  readonly balance: number;
};

export function clientsFrom(first: number, end: number): ListedClient[] {
  return Array.from({ length: end - first }, (_, offset) => clientAt(first + offset));
}

function clientAt(index: number): ListedClient {
  return {
    clientid: 48_200 + index * 3,
    clientname: `${pick(towns, index)} ${pick(trades, index >> 4)} ${index}`,
    checksum: String(mix(index)).padStart(10, '0'),
    balance: (mix(index + 7) % 900_000) / 100,
  };
}

/** The body of a page of a list of so many clients. Pages count from 1. */
export function clientPage(page: number, clients: number): string {
  const first = (page - 1) * pageLimit;
  const data = clientsFrom(first, Math.max(first, Math.min(first + pageLimit, clients)));
  const pages = Math.max(1, Math.ceil(clients / pageLimit));
  const counts = { clients, results: clients, count: data.length };
  return JSON.stringify({ apirid: '', page, pages, limit: pageLimit, ...counts, data });
}

/** The body of the summary of an account's day. Each campaign is called for twenty days. */
export function campaignSummary(account: number, day: string, campaigns: number): string {
  const epochDay = Date.parse(`${day}T00:00:00Z`) / 86_400_000;
  const result = Array.from({ length: campaigns }, (_, scheduledFor) =>
    campaignAt(account, epochDay, scheduledFor),
  );
  return JSON.stringify({ campaigns, reports: campaigns, result });
}

function campaignAt(account: number, epochDay: number, scheduledFor: number) {
  const callsetid =
    account * 1_000_000_000 + scheduledFor * 100_000 + Math.floor((epochDay + scheduledFor) / 20);
  const attempts = 20 + (mix(callsetid + epochDay * 31) % 1_000);
  const connects = Math.floor(attempts * 0.55);
  return {
    callsetid,
    campaign: `${pick(towns, scheduledFor)} ${pick(trades, scheduledFor >> 2)} reminders ${scheduledFor}`,
    attempts,
    busies: Math.floor(attempts * 0.1),
    connects,
    liveanswers: Math.floor(connects * 0.6),
  };
}

/** Scatters whole numbers over 32 bits. */
function mix(value: number): number {
  const low = Math.imul(value ^ (value >>> 15), 0x2c1b3c6d);
  return Math.imul(low ^ (low >>> 12), 0x297a2d39) >>> 0;
}

const pick = (words: readonly string[], index: number) => words[index % words.length]!;

const towns = [
  'Ashford',
  'Blue Harbor',
  'Cedar Falls',
  'Dunmore',
  'Eastvale',
  'Fairview',
  'Glen Oak',
  'Hillside',
];
const trades = [
  'Dental',
  'Heating',
  'Insurance',
  'Library',
  'Optics',
  'Pharmacy',
  'Roofing',
  'Schools',
  'Water',
];
