import type { Account, ServiceResponse } from '../model/records.ts';
import type { SendRequest } from './http/request-sender.ts';
import { type ClientList, clientListSchema } from './response/schema.ts';

/** Parameters of the client list (service.md 4.1); `page` needs `limit`. */
export type ClientListParameters = {
  readonly limit?: number;
  readonly page?: number;
  readonly search?: string;
  readonly balance?: boolean;
};

/** One page of the client list, and the response as it is archived. */
export type ClientPage = ClientList & { readonly response: ServiceResponse };

export type ListClients = (account: Account, parameters: ClientListParameters) => Promise<ClientPage>;

/** Lists the clients that the account created (service.md 4.1). */
export function createListClients(send: SendRequest, balanceField: string | null): ListClients {
  const schema = clientListSchema(balanceField);
  return async (account, parameters) => {
    const about = parameters.page === undefined ? 'clients' : `clients, page ${parameters.page}`;
    const request = {
      operation: 'getClients',
      about,
      parameters,
    } as const;
    const { content, response } = await send(account, request, schema);
    return { ...content, response };
  };
}
