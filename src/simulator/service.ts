import type { SimulatedClient } from './dataset.ts';
import type { JsonObject, ServiceRequest, ServiceResponse } from './middleware.ts';

/** The service's document doesn't say the default page size. */
const DEFAULT_LIMIT = 100;

/**
 * A refused request. The service's document shows no errors: the statuses are the usual ones, and the message never
 * repeats a parameter, which might be a token.
 */
class Refusal extends Error {
  readonly response: ServiceResponse;

  constructor(status: number, message: string, headers?: Record<string, string>) {
    super(message);
    this.response = errorResponse(status, message, headers);
  }
}

/** An error of the service; its form is ours, because the service's document shows none. */
export function errorResponse(
  status: number,
  message: string,
  headers: Record<string, string> = {},
): ServiceResponse {
  return { status, headers, body: JSON.stringify({ error: { code: status, message } }) };
}

/** Responds as the service's document says, without faults. */
export function serve(request: ServiceRequest): ServiceResponse {
  try {
    return { envelope: envelopeFor(request) };
  } catch (error) {
    if (error instanceof Refusal) return error.response;
    throw error;
  }
}

function envelopeFor({ method, operation, account, accepted, params, dataset }: ServiceRequest): JsonObject {
  if (operation === 'unknown') throw new Refusal(404, 'There is no such operation.');
  if (method !== 'GET') throw new Refusal(405, 'This operation takes GET requests only.', { allow: 'GET' });
  if (account === undefined || !accepted) throw new Refusal(401, 'The sidtoken is missing or not valid.');
  if (operation === 'getClients') return listClients(params, dataset.clients(account));
  return summarizeCampaigns(params, (from, to) => dataset.campaigns(account, from, to));
}

/** The envelope of the client list; the service's document doesn't define its three counts. */
function listClients(params: URLSearchParams, clients: readonly SimulatedClient[]): JsonObject {
  if (params.has('page') && !params.has('limit')) {
    throw new Refusal(400, 'The parameter page requires limit to be given as well.');
  }
  const limit = readPositiveInteger(params, 'limit') ?? DEFAULT_LIMIT;
  const page = readPositiveInteger(params, 'page') ?? 1;
  const balance = params.get('balance') ?? 'false';
  if (balance !== 'true' && balance !== 'false') {
    throw new Refusal(400, 'The parameter balance must be true or false.');
  }
  const found = clients.filter((client) => matches(client, params.get('search') ?? ''));
  const data = found.slice((page - 1) * limit, page * limit);
  return {
    apirid: '',
    page,
    pages: Math.max(1, Math.ceil(found.length / limit)),
    limit,
    clients: clients.length,
    results: found.length,
    count: data.length,
    data: balance === 'true' ? data : data.map(({ balance: _, ...record }) => record),
  };
}

/** Matches part of the name in any case, or part of the id: the document has no rule. */
function matches({ clientid, clientname }: SimulatedClient, search: string): boolean {
  return clientname.toLowerCase().includes(search.toLowerCase()) || String(clientid).includes(search);
}

/** The envelope of the campaign summary; the service's document doesn't define its two counts. */
function summarizeCampaigns(
  params: URLSearchParams,
  read: (from: Temporal.PlainDate, to: Temporal.PlainDate) => readonly { readonly callsetid: number }[],
): JsonObject {
  const from = readDate(params, 'startdate');
  const to = readDate(params, 'enddate');
  if (Temporal.PlainDate.compare(from, to) > 0) {
    throw new Refusal(400, 'The startdate must not be after the enddate.');
  }
  const callsetid = readPositiveInteger(params, 'callsetid');
  const result = read(from, to).filter((row) => callsetid === undefined || row.callsetid === callsetid);
  return { campaigns: result.length, reports: result.length, result };
}

function readPositiveInteger(params: URLSearchParams, name: string): number | undefined {
  const text = params.get(name);
  if (text === null) return undefined;
  const value = /^\d+$/.test(text) ? Number(text) : 0;
  if (value < 1 || !Number.isSafeInteger(value)) {
    throw new Refusal(400, `The parameter ${name} must be a positive integer.`);
  }
  return value;
}

function readDate(params: URLSearchParams, name: string): Temporal.PlainDate {
  const text = params.get(name);
  if (!text) throw new Refusal(400, `The parameter ${name} is mandatory.`);
  const [, monthAndDay, year] = /^(\d\d-\d\d)-(\d{4})$/.exec(text) ?? [];
  try {
    return Temporal.PlainDate.from(`${year}-${monthAndDay}`);
  } catch {
    throw new Refusal(400, `The parameter ${name} must be a date of the calendar, as MM-DD-YYYY.`);
  }
}
