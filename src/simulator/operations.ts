import type { SimulatedClient } from './clients.ts';
import type { Dataset, SimulatedAccount } from './dataset.ts';
import {
  type CampaignSummaryQuestion,
  type ClientListQuestion,
  readCampaignSummaryQuestion,
  readClientListQuestion,
} from './questions.ts';
import { errorBody, Refusal } from './refusal.ts';

/** The service's operations (service.md 4); `unknown` is any other path. */
export type Operation = 'getClients' | 'campaignSummary' | 'unknown';

/** A request as the service sees it; `account` is whom the token identifies, if anyone. */
export type ServiceRequest = {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
  readonly account: SimulatedAccount | undefined;
  readonly params: URLSearchParams;
};

/** An HTTP answer; the body is JSON text. */
export type ServiceAnswer = {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
};

/** The operation that a path names, below whatever base path (service.md 4). */
export function operationOf(path: string): Operation {
  if (path.endsWith('/getClients.wr')) return 'getClients';
  if (path.endsWith('/campaignSummary.wr')) return 'campaignSummary';
  return 'unknown';
}

/** The answer to a request, a refusal included (service.md 4, 5). */
export function answerRequest(dataset: Dataset, request: ServiceRequest): ServiceAnswer {
  try {
    return { status: 200, body: JSON.stringify(resultOf(dataset, request)) };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { status } = error;
    const headers = status === 405 ? { allow: 'GET' } : {};
    return { status, headers, body: errorBody(status, error.message) };
  }
}

function resultOf(dataset: Dataset, { method, operation, account, params }: ServiceRequest): object {
  if (operation === 'unknown') throw new Refusal(404, 'There is no such operation.');
  if (method !== 'GET') throw new Refusal(405, 'This operation takes GET requests only.');
  if (!account) throw new Refusal(401, 'The sidtoken is missing or not valid.');
  return operation === 'getClients'
    ? listClients(dataset.clients(account.name), readClientListQuestion(params))
    : summarizeCampaigns(dataset, account, readCampaignSummaryQuestion(params));
}

/** The envelope of service.md 2.2; the document leaves open what its three counts count. */
function listClients(clients: readonly SimulatedClient[], question: ClientListQuestion): object {
  const { limit, page } = question;
  const found = clients.filter((client) => matches(client, question.search));
  const data = found.slice((page - 1) * limit, page * limit);
  return {
    apirid: '',
    page,
    pages: Math.max(1, Math.ceil(found.length / limit)),
    limit,
    clients: clients.length,
    results: found.length,
    count: data.length,
    data: question.balance ? data : data.map(withoutBalance),
  };
}

/** The matching rule is ours: part of the name in any case, or part of the id (service.md 4.1). */
function matches(client: SimulatedClient, search: string): boolean {
  return (
    client.clientname.toLowerCase().includes(search.toLowerCase()) || String(client.clientid).includes(search)
  );
}

function withoutBalance({ balance: _, ...record }: SimulatedClient): Omit<SimulatedClient, 'balance'> {
  return record;
}

/** The envelope of service.md 2.3; the document leaves open what its two counts count. */
function summarizeCampaigns(
  dataset: Dataset,
  account: SimulatedAccount,
  { from, to, callsetid }: CampaignSummaryQuestion,
): object {
  const all = dataset.campaigns(account.name, from, to);
  const result = callsetid === undefined ? all : all.filter((campaign) => campaign.callsetid === callsetid);
  return { campaigns: result.length, reports: result.length, result };
}
