import { z } from 'zod';
import type { Finding } from '../../model/alert.ts';
import { Failure } from '../../model/failure.ts';
import type { Account } from '../../model/records.ts';
import type { SendRequest } from '../http/request-sender.ts';

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
  const anyList = z.looseObject({ data: z.unknown() });
  const wrong = await failureOf(sendWrongToken(account, probe({ limit: 1 }), anyList));
  const alone = await failureOf(send(account, probe({ page: 1 }), anyList));
  return [wrongToken(wrong), pageAlone(alone)];
}

const probe = (parameters: { limit?: number; page?: number }) =>
  ({ operation: 'getClients', about: 'a probe', parameters }) as const;

async function failureOf(request: Promise<unknown>): Promise<Failure | null> {
  return await request.then(
    () => null,
    (error: unknown) => (error instanceof Failure ? error : Promise.reject(error)),
  );
}

function wrongToken(failure: Failure | null): Finding {
  const finding = { area: 'service', subject: 'wrong token' } as const;
  if (failure === null) {
    return {
      ...finding,
      status: 'warning',
      message: 'is accepted like a valid one',
      advice: 'an expired token would look like empty days: ask the provider',
    };
  }
  if (failure.kind !== 'token refused') {
    return {
      ...finding,
      status: 'warning',
      message: `is refused with another error: ${failure.message}`,
      advice: 'an expired token would be reported as that error, not as "token refused"',
    };
  }
  return {
    ...finding,
    status: 'ok',
    message: 'is refused, and recognized as such',
  };
}

function pageAlone(failure: Failure | null): Finding {
  return {
    area: 'service',
    subject: 'page without limit',
    status: 'ok',
    message: failure ? 'is refused, as the document says' : 'is accepted, against the document',
  };
}
