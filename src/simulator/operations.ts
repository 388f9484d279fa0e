import type { Dataset, SimulatedAccount } from './dataset.ts';
import type { SimulatedClient } from './names.ts';
import {
  type CampaignSummaryQuestion,
  type ClientListQuestion,
  readCampaignSummaryQuestion,
  readClientListQuestion,
} from './questions.ts';
import { Refusal } from './refusal.ts';
import { errorReply, type Reply } from './reply.ts';
import { asksAnOperation, type ServiceRequest } from './request.ts';
import type { Envelope, NamedVariant } from './variant.ts';

/** The answer to a request, a refusal included. */
export type Service = (request: ServiceRequest) => Reply;

/** The service of the document (service.md 4, 5), with the variants around it, the first one outermost. */
export function createService(dataset: Dataset, variants: readonly NamedVariant[] = []): Service {
  const world = variants.reduceRight((inner, variant) => variant.dataset?.(inner) ?? inner, dataset);
  const plain: Service = (request) => answerRequest(world, variants, request);
  const varied = variants.reduceRight(aroundReplies, plain);
  // Another path or method is refused in any variant.
  return (request) => (asksAnOperation(request) ? varied(request) : plain(request));
}

/** A reply that isn't the one that was due bears the variant's name. */
function aroundReplies(next: Service, { name, reply }: NamedVariant): Service {
  if (!reply) return next;
  return (request) => {
    let due: Reply | undefined;
    const given = reply(request, () => {
      due = next(request);
      return due;
    });
    return given === due ? given : { ...given, spoiltBy: name };
  };
}

function answerRequest(dataset: Dataset, variants: readonly NamedVariant[], request: ServiceRequest): Reply {
  try {
    return { status: 200, body: JSON.stringify(resultOf(dataset, variants, request)) };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { status, message } = error;
    return errorReply(status, message, status === 405 ? { allow: 'GET' } : {});
  }
}

function resultOf(dataset: Dataset, variants: readonly NamedVariant[], request: ServiceRequest): Envelope {
  const { method, operation, account, admitted } = request;
  if (operation === 'unknown') throw new Refusal(404, 'There is no such operation.');
  if (method !== 'GET') throw new Refusal(405, 'This operation takes GET requests only.');
  if (!account || !admitted) throw new Refusal(401, 'The sidtoken is missing or not valid.');
  if (operation === 'campaignSummary') {
    const hooks = variants.map(({ campaigns }) => campaigns);
    return ask(request, hooks, (params) => summarizeCampaigns(dataset, account, params));
  }
  const hooks = variants.map(({ clients }) => clients);
  return ask(request, hooks, (params) => {
    const question = readClientListQuestion(params);
    const clients = variants.reduceRight(
      (rows, variant) => variant.rows?.(rows, question, account.name) ?? rows,
      dataset.clients(account.name),
    );
    return listClients(clients, question);
  });
}

type Ask = (params: URLSearchParams) => Envelope;

function ask(request: ServiceRequest, hooks: readonly NamedVariant['clients'][], answer: Ask): Envelope {
  const varied = hooks.reduceRight<Ask>(
    (next, hook) => (hook ? (params) => hook(params, next, request) : next),
    answer,
  );
  return varied(request.params);
}

/** The envelope of service.md 2.2; the document leaves open what its three counts count. */
function listClients(clients: readonly SimulatedClient[], question: ClientListQuestion): Envelope {
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
function summarizeCampaigns(dataset: Dataset, account: SimulatedAccount, params: URLSearchParams): Envelope {
  const { from, to, callsetid }: CampaignSummaryQuestion = readCampaignSummaryQuestion(params);
  const all = dataset.campaigns(account.name, from, to);
  const result = callsetid === undefined ? all : all.filter((campaign) => campaign.callsetid === callsetid);
  return { campaigns: result.length, reports: result.length, result };
}
