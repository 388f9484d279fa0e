import { type IncomingHttpHeaders, request } from 'node:http';
import { onTestFinished } from 'vitest';
import type { SimulatedCampaign } from '../../src/simulator/campaigns.ts';
import { generateDataset, type SimulatedClient } from '../../src/simulator/dataset.ts';
import { type Simulator, type SimulatorOptions, startSimulator } from '../support/simulator.ts';

/** A Friday afternoon, so that the day's counts are partial. */
export const NOW = Temporal.Instant.from('2026-11-20T15:30:00Z');

/** A Wednesday. */
export const DAY = '2026-11-18';

/** The data set of the tests' simulators by default. */
export const DATASET = generateDataset(1, () => NOW);

export const NORTH = DATASET.clients('north');

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

type ErrorBody = { error: { code: number; message: string } };

/** A response as it was received, and how it ended. */
export type Received<Body = unknown> = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** `reset`: nothing was received; `cut`: the connection ended early. */
  readonly end: 'whole' | 'cut' | 'reset';
  /** The text as JSON. */
  readonly body: Body;
};

type Query = Readonly<Record<string, string>>;

/** A simulator on any free port with a fixed clock, closed when the test is over. */
export async function start(options: SimulatorOptions = {}): Promise<Simulator> {
  const simulator = await startSimulator({ now: () => NOW, dataset: DATASET, ...options });
  onTestFinished(() => simulator.close());
  return simulator;
}

export function tokenOf(accountName: string): string {
  const account = DATASET.accounts.find(({ name }) => name === accountName);
  if (!account) throw new Error(`no account ${accountName}`);
  return account.token;
}

/** Sends a request on a connection of its own, without adding a token, and accepts any response. */
export function send<Body = unknown>(
  { url }: Simulator,
  operation: string,
  query: Query = {},
  headers: Query = {},
): Promise<Received<Body>> {
  return new Promise((resolve) => {
    let text = '';
    const target = `${url}/${operation}?${new URLSearchParams(query)}`;
    const sent = request(target, { agent: false, headers }, (response) => {
      const finish = (end: Received['end']) => {
        const { statusCode: status = 0, headers } = response;
        resolve({ status, headers, text, end, body: parse(text) as Body });
        sent.destroy();
      };
      response.setEncoding('utf8').on('data', (piece: string) => {
        text += piece;
      });
      response.on('error', () => finish('cut')).on('end', () => finish('whole'));
    });
    const nothing = { status: 0, headers: {}, text: '', body: undefined as Body };
    sent.once('error', () => resolve({ ...nothing, end: 'reset' }));
    sent.end();
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** `getClients.wr` for an account. */
export function getClients(
  simulator: Simulator,
  query: Query = {},
  account = 'north',
): Promise<Received<ClientsBody & ErrorBody>> {
  return send(simulator, 'getClients.wr', { sidtoken: tokenOf(account), ...query });
}

/** `campaignSummary.wr` for an account; the dates as `YYYY-MM-DD`. */
export function getCampaigns(
  simulator: Simulator,
  from = DAY,
  to = from,
  query: Query = {},
  account = 'north',
): Promise<Received<CampaignsBody & ErrorBody>> {
  const [startdate, enddate] = [from, to].map((date) => date.replace(/^(\d+)-(.+)$/, '$2-$1')) as [
    string,
    string,
  ];
  return send(simulator, 'campaignSummary.wr', { sidtoken: tokenOf(account), startdate, enddate, ...query });
}

/** The data set's campaigns of north. */
export function campaignsOf(from = DAY, to = from): readonly SimulatedCampaign[] {
  return DATASET.campaigns('north', Temporal.PlainDate.from(from), Temporal.PlainDate.from(to));
}
