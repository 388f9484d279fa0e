import type { Account } from '../model/account.ts';
import type { ClientRecord, Reading } from '../model/records.ts';
import { notUnderstood } from './failures.ts';
import type { Ask } from './http.ts';
import { clientEnvelope, readClients } from './wire.ts';

/** Parameters of the client list (service.md 4.1); `page` needs `limit`. */
export type ClientQuestion = {
  readonly limit?: number;
  readonly page?: number;
  readonly search?: string;
  readonly balance?: boolean;
};

/** One page of the client list, and what its envelope says of paging (service.md 2.2). */
export type ClientPage = Reading<ClientRecord> & {
  readonly page: number | null;
  readonly pages: number | null;
  readonly limit: number | null;
};

export type ListClients = (account: Account, question: ClientQuestion) => Promise<ClientPage>;

/** Lists the clients that the account created (service.md 4.1). */
export function createListClients(ask: Ask, balanceField: string | null): ListClients {
  return async (account, question) => {
    const answer = clientEnvelope.safeParse(await ask(account, 'getClients', question));
    if (!answer.success) throw notUnderstood(account.name, 'getClients', 'it has no list named data');
    const { page, pages, limit, data } = answer.data;
    return { page, pages, limit, ...readClients(data, balanceField) };
  };
}
