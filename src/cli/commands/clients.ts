import { type Command, Option } from 'commander';
import type { Account } from '../../model/account.ts';
import { exitCode } from '../../model/exit-code.ts';
import { usageFailure } from '../../model/failure.ts';
import type { ClientRecord } from '../../model/records.ts';
import { createService, type Service } from '../../service/service.ts';
import { type Context, readSettings } from '../context.ts';
import { countOption } from '../options.ts';
import { type Format, formatRows, formats } from '../table.ts';

type Options = {
  readonly search?: string;
  readonly limit?: number;
  readonly page?: number;
  readonly balance?: true;
  readonly format: Format;
};

/** `clients`: requests the client list of the service, live. */
export function addClients(program: Command, context: Context, end: (code: number) => void): void {
  program
    .command('clients')
    .description('request the client list from the service, live, and print it')
    .option('--search <TEXT>', 'only those whose name or id matches')
    .option('--limit <N>', 'records on a page', countOption)
    .option('--page <N>', 'only this page; needs --limit', pageOption)
    .option('--balance', 'with the balance of each client')
    .addOption(new Option('--format <F>', 'how to print').choices([...formats]).default('table'))
    .action(async (options: Options) => {
      if (options.page !== undefined && options.limit === undefined)
        throw usageFailure('--page needs --limit');
      const { config, secrets, log } = readSettings(context, { service: true });
      const { signal } = context;
      const { token, tokenRedactor: redactor } = secrets;
      const service = createService({ settings: config.service, token, redactor, signal });
      const rows = [];
      for (const account of config.accounts) {
        const { clients, problems } = await fetchClients(service, account, options, config.service.pageLimit);
        rows.push(...clients.map((client) => toRow(account, client, options.balance === true)));
        for (const problem of problems) log.warn({ account: account.name }, `${account.name}: ${problem}`);
        if (problems.length > 0) end(exitCode.runAgain);
      }
      const columns = ['account', 'client_id', ...(options.balance ? ['balance'] : []), 'checksum', 'name'];
      context.print(formatRows(rows, columns, options.format));
    });
}

// The document doesn't show whether pages count from 0 or from 1.
function pageOption(value: string): number {
  return value === '0' ? 0 : countOption(value);
}

type FetchedClients = { readonly clients: readonly ClientRecord[]; readonly problems: readonly string[] };

async function fetchClients(
  service: Service,
  account: Account,
  options: Options,
  pageLimit: number,
): Promise<FetchedClients> {
  const { search, page, balance = false, limit = pageLimit } = options;
  const query = { limit, balance, ...(search !== undefined && { search }) };
  if (page !== undefined) {
    const { records, rejects } = await service.listClients(account, { ...query, page });
    return { clients: records, problems: unreadable(rejects.length) };
  }
  // By id: an incomplete walk is repeated.
  const clients = new Map<number, ClientRecord>();
  const rejects = new Set<string>();
  const problems: string[] = [];
  for await (const item of service.walkClients(account, query)) {
    if (item.type === 'page') {
      for (const client of item.page.records) clients.set(client.clientId, client);
      for (const { payload } of item.page.rejects) rejects.add(payload);
    } else if (item.type === 'end' && item.problem !== null)
      problems.push(`the list can't be proven complete (${item.problem})`);
  }
  return { clients: [...clients.values()], problems: [...problems, ...unreadable(rejects.size)] };
}

const unreadable = (count: number) => (count > 0 ? [`${count} records can't be read and are left out`] : []);

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
