import { onTestFinished } from 'vitest';
import { generateDataset, type SimulatedCampaign } from '../../src/simulator/dataset.ts';
import type { SimulatedClient } from '../../src/simulator/names.ts';
import { type Simulator, type SimulatorOptions, startSimulator } from '../../src/simulator/server.ts';

/** A Friday afternoon, so that the day's counts are partial. */
export const NOW = Temporal.Instant.from('2026-11-20T15:30:00Z');

/** The data set that the tests' simulators answer from, unless told otherwise. */
export const DATASET = generateDataset(1, () => NOW);

export type ClientsBody = {
  apirid: string;
  page: number;
  pages: number;
  limit: number;
  clients: number;
  results: number;
  count: number;
  data: SimulatedClient[];
};

export type CampaignsBody = { campaigns: number; reports: number; result: SimulatedCampaign[] };

export type ErrorBody = { error: { code: number; message: string } };

export type Answer<Body> = { status: number; headers: Headers; text: string; body: Body };

type Query = Readonly<Record<string, string>>;

/** A simulator on any free port with a fixed clock, closed when the test is over. */
export async function start(options: SimulatorOptions = {}): Promise<Simulator> {
  const simulator = await startSimulator({ now: () => NOW, ...options });
  onTestFinished(() => simulator.close());
  return simulator;
}

export function tokenOf(accountName: string): string {
  const account = DATASET.accounts.find(({ name }) => name === accountName);
  if (!account) throw new Error(`no account ${accountName}`);
  return account.token;
}

/** A request as it stands: no token is added. */
export async function ask<Body>(
  simulator: Simulator,
  operation: string,
  query: Query = {},
  init: RequestInit = {},
): Promise<Answer<Body>> {
  const response = await fetch(`${simulator.url}/${operation}?${new URLSearchParams(query)}`, init);
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: JSON.parse(text) as Body };
}

/** `getClients.wr` for an account; an error body has none of the envelope's fields. */
export function askClients(
  simulator: Simulator,
  query: Query = {},
  accountName = 'north',
): Promise<Answer<ClientsBody & ErrorBody>> {
  return ask(simulator, 'getClients.wr', { sidtoken: tokenOf(accountName), ...query });
}

/** `campaignSummary.wr` for an account; the dates as `YYYY-MM-DD`. */
export function askCampaigns(
  simulator: Simulator,
  from: string,
  to = from,
  query: Query = {},
  accountName = 'north',
): Promise<Answer<CampaignsBody & ErrorBody>> {
  return ask(simulator, 'campaignSummary.wr', {
    sidtoken: tokenOf(accountName),
    startdate: onTheWire(from),
    enddate: onTheWire(to),
    ...query,
  });
}

/** All pages of an account's list, one after another: as many as the data set has, whatever the answers say. */
export async function walk(
  simulator: Simulator,
  limit = 100,
  accountName = 'north',
  firstPage = 1,
): Promise<ClientsBody[]> {
  const query = { limit: String(limit) };
  const pages = Math.ceil(DATASET.clients(accountName).length / limit);
  const bodies: ClientsBody[] = [(await askClients(simulator, query, accountName)).body];
  for (let page = firstPage + 1; page < firstPage + pages; page += 1) {
    bodies.push((await askClients(simulator, { ...query, page: String(page) }, accountName)).body);
  }
  return bodies;
}

/** The ids of the clients of each page. */
export function idsOf(bodies: readonly ClientsBody[]): number[][] {
  return bodies.map(({ data }) => data.map(({ clientid }) => clientid));
}

/** 2026-11-09 as 11-09-2026. */
export function onTheWire(isoDate: string): string {
  const [year, month, day] = isoDate.split('-');
  return `${month}-${day}-${year}`;
}
