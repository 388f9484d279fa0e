import type { Command } from 'commander';
import { wholeNumber } from '../../config/formats.ts';
import { usageFailure } from '../../model/errors.ts';
import { exitCode } from '../../model/exit-code.ts';
import type { Account, ClientRecord } from '../../model/records.ts';
import type { ClientPage } from '../../service/operations.ts';
import type { Service } from '../../service/service.ts';
import { type Context, connectService, forEachAccount, readSettings } from '../context.ts';
import { countOption, exampleOf, listOption, optionOf, requestedAccounts } from '../options.ts';
import { extraColumn, type Format, formatOption, formatRows, leftOut, quoted, type Row } from '../table.ts';

type Options = {
  readonly account?: readonly string[];
  readonly search?: string;
  readonly limit?: number;
  readonly page?: number;
  readonly balance?: true;
  readonly format: Format;
};

// The document doesn't show whether pages count from 0 or from 1.
const pageOption = optionOf(wholeNumber(0, 999_999_999));

/** `clients`: requests the client list of the service, live. */
export function add(program: Command, context: Context): void {
  program
    .command('clients')
    .description('List the clients of the service, live')
    .option('--account <NAME>', 'only this account; may be repeated (default: all)', listOption)
    .option('--search <TEXT>', 'only clients that match by name or id')
    .option('--limit <N>', 'records per page (default: PAGE_LIMIT)', countOption)
    .option('--page <N>', 'only this page; needs --limit (default: all pages)', pageOption)
    .option('--balance', 'show the balance of each client')
    .addOption(formatOption())
    .addHelpText('after', exampleOf('clients', '--search', 'office', '--balance'))
    .action(async ({ account: names, ...options }: Options) => {
      if (options.page !== undefined && options.limit === undefined)
        throw usageFailure('--page needs --limit');
      const settings = readSettings(context, { service: true });
      const service = connectService(settings, context.signal);
      const { accounts, service: limits } = settings.config;
      const rows: Row[] = [];
      await forEachAccount(context, settings, requestedAccounts(names, accounts), async (account) => {
        const query = { limit: limits.pageLimit, ...options };
        const { clients, lines, problems } = await fetchClients(service, account, query);
        for (const client of clients)
          rows.push({
            account: account.name,
            client_id: client.clientId,
            ...(options.balance && { balance: client.balance }),
            checksum: client.checksum,
            name: client.name,
            ...extraColumn(client),
          });
        for (const line of [...lines, ...problems])
          settings.log.warn({ account: account.name }, `${account.name}: ${line}`);
        if (problems.length > 0) context.setExitCode(exitCode.runAgain);
      });
      const columns = ['account', 'client_id', ...(options.balance ? ['balance'] : []), 'checksum', 'name'];
      context.print(formatRows(rows, columns, options.format, context.isTerminal));
      if (rows.length === 0) settings.log.warn(describeNone(options));
    });
}

const describeNone = ({ search, page }: Pick<Options, 'search' | 'page'>) =>
  [
    'the service lists no client',
    search === undefined ? '' : ` that matches ${search}`,
    page === undefined ? '' : ` on page ${page}`,
  ].join('');

/** Fetches one page, or walks all pages. Returns each client once, even if the walk starts over. */
async function fetchClients(
  service: Service,
  account: Account,
  { limit, page, search, balance }: Omit<Options, 'format'> & { readonly limit: number },
) {
  const query = { limit, balance: balance === true, ...(search !== undefined && { search }) };
  const clients = new Map<number, ClientRecord>();
  const unreadable = new Set<string>();
  let furtherUnreadable = 0;
  const lines = new Set<string>();
  const problems: string[] = [];
  const keep = ({ records, rejects, rejectCount, remarks, logged }: ClientPage) => {
    for (const line of [...remarks.map(quoted), ...logged]) lines.add(line);
    for (const client of records) clients.set(client.clientId, client);
    for (const { payload } of rejects) unreadable.add(payload);
    furtherUnreadable += rejectCount - rejects.length;
  };
  if (page !== undefined) keep(await service.listClients(account, { ...query, page }));
  else
    for await (const item of service.walkClients(account, query)) {
      if (!('verdict' in item)) keep(item);
      else if (item.failure?.code === 'TOKEN_REFUSED') throw item.failure;
      else if (item.verdict !== 'complete' && item.verdict !== 'remarked')
        problems.push(`the client list can't be proven complete (${item.reason})`);
    }
  if (unreadable.size > 0) problems.push(leftOut(unreadable.size + furtherUnreadable));
  return { clients: clients.values(), lines, problems };
}
