import { z } from 'zod';
import type { Account } from '../../model/account.ts';
import { Failure } from '../../model/failure.ts';
import type { Finding } from '../../model/finding.ts';
import type { Ask } from '../http/http.ts';

/** How the service refuses what it must: a wrong token (service.md 5), and `page` without `limit` (4.1, rule 1). */
export async function examineRefusals(ask: Ask, askWronglyOf: Ask, account: Account): Promise<Finding[]> {
  const anything = z.looseObject({ data: z.unknown() });
  const wrong = await attempt(askWronglyOf(account, question({ limit: 1 }), anything));
  const alone = await attempt(ask(account, question({ page: 1 }), anything));
  return [wrongToken(wrong), pageAlone(alone)];
}

const question = (parameters: { limit?: number; page?: number }) =>
  ({ operation: 'getClients', about: 'a probe', parameters }) as const;

async function attempt(asked: Promise<unknown>): Promise<Failure | null> {
  return await asked.then(
    () => null,
    (error: unknown) => (error instanceof Failure ? error : Promise.reject(error)),
  );
}

function wrongToken(failure: Failure | null): Finding {
  const finding = { area: 'service', subject: 'wrong token' } as const;
  if (failure?.kind === 'token refused')
    return { ...finding, verdict: 'ok', says: 'is refused, and known as such' };
  if (failure === null) {
    const advice = 'a token that expires would show as empty days: ask the provider';
    return { ...finding, verdict: 'warning', says: 'is answered as if it were right', advice };
  }
  const advice = 'a token that expires would be told in other words than "token refused"; look there first';
  return {
    ...finding,
    verdict: 'warning',
    says: `is refused in words of its own: ${failure.message}`,
    advice,
  };
}

function pageAlone(failure: Failure | null): Finding {
  const finding = { area: 'service', subject: 'page without limit', verdict: 'ok' } as const;
  return {
    ...finding,
    says: failure ? 'is refused, as the document says' : 'is answered, which the document forbids',
  };
}
