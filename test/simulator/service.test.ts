import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { generateDataset } from '../../src/simulator/dataset.ts';
import { type Simulator, startSimulator } from '../../src/simulator/server.ts';

// A Friday afternoon, so that the day's counts are partial.
const now = () => Temporal.Instant.from('2026-11-20T15:30:00Z');
const dataset = generateDataset(1, now);
const [north] = dataset.accounts;
const clients = dataset.clients('north');
const day = { startdate: '11-18-2026', enddate: '11-18-2026' };
const campaigns = dataset.campaigns(
  'north',
  Temporal.PlainDate.from('2026-11-18'),
  Temporal.PlainDate.from('2026-11-18'),
);

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator({ dataset, now });
});
afterAll(() => simulator.close());

async function send(operation: string, query: Record<string, string>) {
  const parameters = new URLSearchParams({ sidtoken: north!.token, ...query });
  const response = await fetch(`${simulator.url}/${operation}.wr?${parameters}`);
  return { status: response.status, body: await response.json() };
}

/** Clients as they are without `balance`. */
const plain = (from: number, to: number) =>
  clients.slice(from, to).map(({ clientid, clientname, checksum }) => ({ clientid, clientname, checksum }));

describe('the simulated client list', () => {
  it.each<[Record<string, string>, object]>([
    [{}, { page: 1, pages: 7, limit: 100, clients: 620, count: 100, data: plain(0, 100) }],
    [
      { limit: '7', page: '2' },
      { page: 2, pages: 89, limit: 7, count: 7, data: plain(7, 14) },
    ],
    [
      { limit: '2', balance: 'true' },
      { count: 2, data: clients.slice(0, 2) },
    ],
    [{ search: String(clients[3]!.clientid) }, { results: 1, data: plain(3, 4) }],
  ])('of %j is as the document says', async (query, expected) => {
    expect(await send('getClients', query)).toMatchObject({ status: 200, body: expected });
  });
});

describe('the simulated campaigns', () => {
  it.each<[Record<string, string>, readonly object[]]>([
    [day, campaigns],
    [{ ...day, callsetid: String(campaigns[1]!.callsetid) }, campaigns.slice(1, 2)],
    // A day that is still to come.
    [{ startdate: '11-21-2026', enddate: '11-21-2026' }, []],
  ])('of %j are as the document says', async (query, result) => {
    const body = { campaigns: result.length, reports: result.length, result };
    expect(await send('campaignSummary', query)).toEqual({ status: 200, body });
  });
});

it.each<[number, string, Record<string, string>]>([
  [400, 'getClients', { page: '2' }],
  [400, 'getClients', { limit: '0' }],
  [400, 'campaignSummary', { startdate: '11-18-2026' }],
  [400, 'campaignSummary', { ...day, enddate: '2026-11-18' }],
  [400, 'campaignSummary', { ...day, startdate: '11-19-2026' }],
  [401, 'getClients', { sidtoken: 'nobodys' }],
  [404, 'getCampaigns', {}],
])('status %i is the simulated response to %s with %j', async (status, operation, query) => {
  expect(await send(operation, query)).toMatchObject({ status, body: { error: { code: status } } });
});
