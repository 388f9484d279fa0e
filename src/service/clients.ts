import type { Account } from '../model/account.ts';
import type { HeardAnswer } from '../model/answer.ts';
import type { ClientRecord, Reading } from '../model/records.ts';
import type { Ask } from './http/http.ts';
import { clientEnvelope, readClients } from './response/wire.ts';

/** Parameters of the client list (service.md 4.1); `page` needs `limit`. */
export type ClientQuestion = {
  readonly limit?: number;
  readonly page?: number;
  readonly search?: string;
  readonly balance?: boolean;
};

/** One page of the client list, and what its envelope says of paging (service.md 2.2); null where it says nothing. */
export type ClientPage = Reading<ClientRecord> & {
  readonly page: number | null;
  readonly pages: number | null;
  readonly limit: number | null;
  /** Rows of the page as they came, unreadable and repeated ones included. */
  readonly rows: number;
  /** The count fields that are numbers; their meaning isn't shown. */
  readonly counts: { readonly [name: string]: number };
  /** The answer as it is archived. */
  readonly answer: HeardAnswer;
};

export type ListClients = (account: Account, question: ClientQuestion) => Promise<ClientPage>;

/** Lists the clients that the account created (service.md 4.1). */
export function createListClients(ask: Ask, balanceField: string | null): ListClients {
  return async (account, question) => {
    const about = question.page === undefined ? 'clients' : `clients, page ${question.page}`;
    const asked = { operation: 'getClients', about, parameters: { ...question } } as const;
    const { envelope, answer } = await ask(account, asked, clientEnvelope);
    const { page, pages, limit, clients, results, count, data } = envelope;
    const counts = Object.fromEntries(
      Object.entries({ clients, results, count }).flatMap(([name, value]) =>
        value === null ? [] : [[name, value]],
      ),
    );
    return { page, pages, limit, rows: data.length, counts, answer, ...readClients(data, balanceField) };
  };
}
