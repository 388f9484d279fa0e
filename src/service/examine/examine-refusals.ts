import { z } from 'zod';
import type { Finding } from '../../model/alert.ts';
import { Failure } from '../../model/errors.ts';
import type { Account } from '../../model/records.ts';
import type { SendRequest } from '../http/request-sender.ts';
import { ok, warning } from './findings.ts';

/**
 * How the service refuses what it must: a wrong token (service.md 5), and `page` without `limit` (4.1, rule 1).
 *
 * @param sendWrongToken sends with a token that the service doesn't know
 */
export async function examineRefusals(
  send: SendRequest,
  sendWrongToken: SendRequest,
  account: Account,
): Promise<Finding[]> {
  const wrongToken = await refusalOf(sendWrongToken, account, { limit: 1 });
  const pageAlone = await refusalOf(send, account, { page: 1 });
  const found = pageAlone ? 'is refused, as the document says' : 'is accepted, against the document';
  return [examineWrongToken(wrongToken), ok('page without limit', found)];
}

async function refusalOf(
  send: SendRequest,
  account: Account,
  parameters: { readonly [name: string]: number },
): Promise<Failure | null> {
  const request = { operation: 'getClients', about: 'a probe', parameters } as const;
  try {
    await send(account, request, z.looseObject({ data: z.unknown() }));
    return null;
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}

function examineWrongToken(refusal: Failure | null): Finding {
  const subject = 'wrong token';
  if (refusal === null) {
    const advice = 'an expired token would look like empty days: ask the provider';
    return warning(subject, 'is accepted like a valid one', advice);
  }
  if (refusal.code !== 'TOKEN_REFUSED') {
    const advice = 'an expired token would be reported as that error, not as "token refused"';
    return warning(subject, `is refused with another error: ${refusal.message}`, advice);
  }
  return ok(subject, 'is refused, and recognized as such');
}
