import { parseArgs } from 'node:util';
import type { ListedClient } from '../bodies.ts';

/*
 * How the hand-written loaders ask: one page after the other, as one would write it in an afternoon. They trust
 * `pages` and the shape of what comes; they keep no archive, ledger or history, and send no mail.
 */

export type ListedCampaign = {
  readonly callsetid: number;
  readonly campaign: string;
  readonly attempts: number;
  readonly busies: number;
  readonly connects: number;
  readonly liveanswers: number;
};

/** `--clients`, `--from D --to D`: what to load. */
export function readArguments() {
  const { values } = parseArgs({
    options: { clients: { type: 'boolean' }, from: { type: 'string' }, to: { type: 'string' } },
  });
  return { clients: values.clients === true, days: daysBetween(values.from, values.to) };
}

export async function* clientPages(): AsyncGenerator<ListedClient[]> {
  let pages = 1;
  for (let page = 1; page <= pages; page++) {
    const answer = await ask('getClients', { limit: '100', page: String(page), balance: 'true' });
    pages = answer.pages;
    yield answer.data;
  }
}

export async function campaignsOf(day: string): Promise<ListedCampaign[]> {
  const [year, month, date] = day.split('-');
  const wireDate = `${month}-${date}-${year}`;
  return (await ask('campaignSummary', { startdate: wireDate, enddate: wireDate })).result;
}

async function ask(operation: string, parameters: Record<string, string>) {
  const { SERVICE_BASE_URL, SIDTOKEN = '' } = process.env;
  const query = new URLSearchParams({ sidtoken: SIDTOKEN, ...parameters });
  const response = await fetch(`${SERVICE_BASE_URL}/${operation}.wr?${query}`);
  if (!response.ok) throw new Error(`${operation}: status ${response.status}`);
  // biome-ignore lint/suspicious/noExplicitAny: whatever it is, it is trusted.
  return (await response.json()) as any;
}

function daysBetween(from: string | undefined, to: string | undefined): string[] {
  const days: string[] = [];
  if (from === undefined || to === undefined) return days;
  const last = Temporal.PlainDate.from(to);
  for (
    let day = Temporal.PlainDate.from(from);
    Temporal.PlainDate.compare(day, last) <= 0;
    day = day.add({ days: 1 })
  )
    days.push(day.toString());
  return days;
}
