import { Failure } from '../../model/errors.ts';
import type { Finding } from '../../model/finding.ts';
import type { Account } from '../../model/records.ts';
import type { ClientListParameters, ClientPage, ListClients } from '../operations.ts';
import type { ListSettings } from './examine-list.ts';
import { ok, warning } from './findings.ts';

/**
 * Checks on the first page whether the service keeps to `PAGE_LIMIT`, what it says of its pages and clients, and which field is
 * the balance; and what comes after the last page.
 */
export async function examinePage(
  list: ListClients,
  account: Account,
  { pageLimit, balance }: Pick<ListSettings, 'pageLimit' | 'balance'>,
): Promise<Finding[]> {
  const ofBalance = (page: ClientPage) => (balance ? balanceFindings(page) : []);
  try {
    const page = await list(account, { limit: pageLimit, balance });
    return [
      pageSize(page, pageLimit),
      await pages(list, account, page, { limit: page.limit || pageLimit, balance }),
      counts(page),
      ...ofBalance(page),
    ];
  } catch (error) {
    const isRefused =
      error instanceof Failure &&
      ['REQUEST_REFUSED', 'UNKNOWN_ANSWER', 'INVALID_RESPONSE'].includes(error.code);
    if (!isRefused) throw error;
    // The limit may be too large: the document shows no maximum. If that isn't it, the first error says more.
    const page = await list(account, { balance }).catch(() => Promise.reject(error));
    const actual = page.limit || page.rows;
    const message = `a limit of ${pageLimit} is refused; without one, pages have ${actual}`;
    return [setPageLimit(message, actual), ...ofBalance(page)];
  }
}

/** Examines the numbering of pages and the end of the list: a walk depends on both (docs/service-assumptions.md). */
async function pages(
  list: ListClients,
  account: Account,
  first: ClientPage,
  parameters: ClientListParameters,
): Promise<Finding> {
  const { page, pages: number } = first;
  const numbered = page === null ? 'without numbers' : `numbered from ${page}`;
  const announced = number === null ? 'their number is not given' : `${number} according to the field pages`;
  // Without their number, the second one is examined: the last isn't known.
  const after = (page ?? 1) + Math.max(1, number ?? 1);
  const subject = 'pages';
  const message = (what: string) => `${numbered}, ${announced}; page ${after} ${what}`;
  const known = new Set(first.records.map(({ clientId }) => clientId));
  try {
    const beyond = await list(account, { ...parameters, page: after });
    const isRepeated = beyond.records.every(({ clientId }) => known.has(clientId));
    if (beyond.rows === 0) return ok(subject, message('is empty'));
    if (isRepeated) return ok(subject, message('is the first again'));
    if (number === null) return ok(subject, message('has other clients'));
    if (number > 1) return ok(subject, message('has clients: those of the last one, or more'));
    return warning(
      subject,
      message('has more clients'),
      'Callsheet fetches pages until one is empty or repeats earlier ones',
    );
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return ok(subject, message(`is refused (${error.detail})`));
  }
}

/** Examines the counts next to the clients, as far as the first page shows them. */
function counts({ counts, rows, pages: number }: ClientPage): Finding {
  const subject = 'counts';
  const described = Object.entries(counts).map(([name, count]) => {
    if (count === rows) return `${name} counts the page`;
    return `${name} is ${count}, ${count > rows ? 'more' : 'less'} than the page has`;
  });
  const message = described.length === 0 ? 'none next to the clients' : described.join('; ');
  const more = Object.entries(counts).find(([, count]) => count > rows);
  if (number !== 1 || more === undefined) return ok(subject, message);
  return warning(
    subject,
    message,
    `client lists stay incomplete while ${more[0]} exceeds the listed clients: ask the provider what it counts`,
  );
}

function pageSize({ limit, rows, pages }: ClientPage, pageLimit: number): Finding {
  if (limit !== null && limit !== pageLimit)
    return setPageLimit(`requested ${pageLimit}, the service limits pages to ${limit}`, limit || rows);
  if (rows < pageLimit && (pages ?? 1) > 1)
    return setPageLimit(`the response says ${pageLimit}, the page has ${rows}`, rows);
  if (rows > pageLimit)
    return setPageLimit(`requested ${pageLimit}, the page has ${rows}: the limit is ignored`, rows);
  return ok('page size', `${pageLimit} as requested`);
}

const setPageLimit = (message: string, actual: number) =>
  warning('page size', message, `set PAGE_LIMIT=${actual}, the page size of the service`);

function balanceFindings({ records, logged }: ClientPage): Finding[] {
  const withBalance = records.filter((client) => client.balance !== null).length;
  const found = withBalance > 0 ? `found in ${withBalance} of ${records.length} clients` : 'none found';
  const advice =
    'if it is about the balance, set BALANCE_FIELD to its field, or CLIENT_BALANCE=false; else ask the provider';
  return [ok('balance', found), ...logged.map((line) => warning('records', line, advice))];
}
