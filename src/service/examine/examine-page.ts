import type { Finding } from '../../model/alert.ts';
import { Failure } from '../../model/errors.ts';
import type { Account } from '../../model/records.ts';
import type { ClientPage, ListClients } from '../operations.ts';
import { ok, warning } from './findings.ts';

/** Checks on the first page whether the service keeps to `PAGE_LIMIT`, and which field is the balance. */
export async function examinePage(
  list: ListClients,
  account: Account,
  pageLimit: number,
): Promise<Finding[]> {
  try {
    const page = await list(account, { limit: pageLimit, balance: true });
    return [pageSize(page, pageLimit), ...balance(page)];
  } catch (error) {
    const isRefused =
      error instanceof Failure && ['REQUEST_REFUSED', 'INVALID_RESPONSE'].includes(error.code);
    if (!isRefused) throw error;
    // The limit may be too large: the document shows no maximum. If that isn't it, the first error says more.
    const page = await list(account, { balance: true }).catch(() => Promise.reject(error));
    const actual = page.limit || page.rows;
    const message = `a limit of ${pageLimit} is refused; without one, pages have ${actual}`;
    return [setPageLimit(message, actual), ...balance(page)];
  }
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
  warning('page size', message, `set PAGE_LIMIT=${actual}, the size that the service uses`);

function balance({ records, remarks }: ClientPage): Finding[] {
  const withBalance = records.filter((client) => client.balance !== null).length;
  const unreported = remarks.length > 0 ? 'no readable amount' : 'not reported by the service';
  const found = withBalance > 0 ? `found in ${withBalance} of ${records.length} clients` : unreported;
  const advice = 'set BALANCE_FIELD to the field that is the balance, or CLIENT_BALANCE=false';
  return [ok('balance', found), ...remarks.map((remark) => warning('balance', remark, advice))];
}
