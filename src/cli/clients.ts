import { type Command, Option } from 'commander';
import type { Account } from '../model/account.ts';
import { usageFailure } from '../model/failure.ts';
import type { ClientRecord } from '../model/records.ts';
import { createService, type Service } from '../service/client.ts';
import { type Context, readSettings } from './context.ts';
import { countOption } from './options.ts';
import { type Format, formatRows, formats } from './table.ts';

type Options = {
  readonly search?: string;
  readonly limit?: number;
  readonly page?: number;
  readonly balance?: true;
  readonly format: Format;
};

/** `clients`: asks the service for its clients, live. */
export function addClients(program: Command, context: Context): void {
  program
    .command('clients')
    .description('ask the service for its clients, live, and print them')
    .option('--search <TEXT>', 'only those whose name or id matches')
    .option('--limit <N>', 'records on a page', countOption)
    .option('--page <N>', 'only this page; needs --limit', pageOption)
    .option('--balance', 'with the balance of each client')
    .addOption(new Option('--format <F>', 'how to print').choices([...formats]).default('table'))
    .action(async (options: Options) => {
      if (options.page !== undefined && options.limit === undefined)
        throw usageFailure('--page needs --limit');
      const { config, secrets } = readSettings(context, { service: true });
      const { redactor, signal } = context;
      const service = createService({ settings: config.service, token: secrets.token, redactor, signal });
      const rows = [];
      for (const account of config.accounts) {
        const clients = await ask(service, account, options, config.service.pageLimit);
        rows.push(...clients.map((client) => toRow(account, client, options.balance === true)));
      }
      const columns = ['account', 'client_id', ...(options.balance ? ['balance'] : []), 'checksum', 'name'];
      context.print(formatRows(rows, columns, options.format));
    });
}

// Pages may count from 0 or from 1: the document doesn't say.
function pageOption(value: string): number {
  return value === '0' ? 0 : countOption(value);
}

async function ask(
  service: Service,
  account: Account,
  options: Options,
  pageLimit: number,
): Promise<ClientRecord[]> {
  const { search, page, balance = false, limit = pageLimit } = options;
  const question = { limit, balance, ...(search !== undefined && { search }) };
  if (page !== undefined) return [...(await service.listClients(account, { ...question, page })).records];
  const clients: ClientRecord[] = [];
  for await (const { records } of service.walkClients(account, question)) clients.push(...records);
  return clients;
}

function toRow(account: Account, client: ClientRecord, balance: boolean) {
  return {
    account: account.name,
    client_id: client.clientId,
    ...(balance && { balance: client.balance }),
    checksum: client.checksum,
    name: client.name,
    ...(Object.keys(client.extra).length > 0 && { extra: client.extra }),
  };
}
