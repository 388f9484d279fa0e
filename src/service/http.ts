import type { ZodType } from 'zod';
import type { Account } from '../model/account.ts';
import type { HeardAnswer } from '../model/answer.ts';
import type { Redactor } from '../support/redaction.ts';
import { attempt, BadStatus, mayPass } from './attempt.ts';
import type { Answered } from './exchange.ts';
import { failureOf } from './failures.ts';
import { readAnswer, withoutTokens } from './read-answer.ts';
import { retryAfterMs } from './retry-after.ts';
import { retrying } from './retrying.ts';
import { createThrottle, type ThrottleSettings } from './throttle.ts';
import { createTokens, type TokenOf } from './tokens.ts';
import type { Turns } from './turns.ts';

export type HttpSettings = ThrottleSettings & {
  readonly baseUrl: string;
  readonly requestTimeoutMs: number;
  readonly retries: number;
};

export type Question = {
  readonly operation: 'getClients' | 'campaignSummary';
  /** What is asked for, in words for failures: `clients, page 3`. */
  readonly about: string;
  readonly parameters: { readonly [name: string]: string | number | boolean | undefined };
};

/** The envelope of an answer, and the answer as it is archived. */
export type Told<T> = { readonly envelope: T; readonly answer: HeardAnswer };

/** Asks one question with the account's token. */
export type Ask = <T>(account: Account, question: Question, envelope: ZodType<T>) => Promise<Told<T>>;

/** Is told of every answer that can't be used, whether or not a further try brought a better one. Never rejects. */
export type OnDiscarded = (account: Account, answer: HeardAnswer) => Promise<void>;

/** How much we put up with from the service. */
export type Patience = {
  /** Above this an answer is refused: pages and days of any believable size are far below. */
  readonly maxBytes: number;
  /** No further try begins later than this after the first. */
  readonly budgetMs: number;
  /** The longest Retry-After that is obeyed. */
  readonly longestWaitMs: number;
};

const ordinaryPatience: Patience = { maxBytes: 64 * 2 ** 20, budgetMs: 300_000, longestWaitMs: 60_000 };

export type HttpParts = {
  readonly settings: HttpSettings;
  /** The token as it stands in its source now; asked once, and again when the service refuses it. */
  readonly token: TokenOf;
  readonly redactor: Redactor;
  readonly signal: AbortSignal;
  readonly onDiscarded?: OnDiscarded;
  /** Whom it takes turns with, if not with itself alone. */
  readonly turns?: Turns;
  readonly patience?: Patience;
};

/**
 * The service over HTTP (service.md 4, 5): GET, parameters and token in the query, JSON back.
 * Every failure leaves as a Failure without cause: what an HTTP error knows may hold the URL, and with it the token.
 * Throws the signal's reason where it was aborted.
 */
export function createAsk(parts: HttpParts): Ask {
  const { settings, redactor, signal, onDiscarded, patience = ordinaryPatience } = parts;
  const throttle = createThrottle(settings, signal, parts.turns);
  const tokens = createTokens(parts.token);
  const limits = { timeoutMs: settings.requestTimeoutMs, maxBytes: patience.maxBytes };
  const bounds = { retries: settings.retries, budgetMs: patience.budgetMs };

  async function once<T>(
    account: Account,
    question: Question,
    envelope: ZodType<T>,
    sidtoken: string,
  ): Promise<Told<T>> {
    const { operation, parameters } = given(question);
    const url = questionUrl(settings.baseUrl, operation, { sidtoken, ...parameters });
    const askedAt = performance.now();
    const answered = await attempt(url, limits, signal);
    const heard = { operation, parameters, status: answered.status, askedAt };
    try {
      if (answered.status < 200 || answered.status > 299) throw new BadStatus(answered, agreedWait(answered));
      const read = readAnswer(answered, envelope, redactor);
      return { envelope: read.envelope, answer: { ...heard, body: read.body } };
    } catch (error) {
      await onDiscarded?.(account, { ...heard, body: withoutTokens(answered.body, redactor) });
      throw error;
    }
  }

  /** When one is told that there are too many requests, all wait: the bound is the service's, not the account's. */
  function agreedWait({ status, headers }: Answered): number | null {
    const wait = retryAfterMs(headers['retry-after'] ?? null, Date.now(), patience.longestWaitMs);
    if (status === 429) throttle.pause(wait ?? 1_000);
    return wait;
  }

  return async (account, question, envelope) => {
    const asked = { account: account.name, about: question.about, baseUrl: settings.baseUrl };
    return await tokens.using(asked, async (sidtoken) => {
      try {
        return await retrying(bounds, mayPass, signal, () =>
          throttle.admit(() => once(account, question, envelope, sidtoken)),
        );
      } catch (error) {
        signal.throwIfAborted();
        throw failureOf(error, asked, redactor);
      }
    });
  };
}

/** The question without the parameters that have no value: they aren't sent. */
function given({ operation, parameters }: Question): Pick<HeardAnswer, 'operation' | 'parameters'> {
  const entries = Object.entries(parameters).filter(([, value]) => value !== undefined);
  return { operation, parameters: Object.fromEntries(entries) as HeardAnswer['parameters'] };
}

function questionUrl(baseUrl: string, operation: string, parameters: HeardAnswer['parameters']): URL {
  const url = new URL(`${baseUrl.replace(/\/+$/, '')}/${operation}.wr`);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, String(value));
  return url;
}
