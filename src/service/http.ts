import ky, { type KyInstance } from 'ky';
import type { ZodType } from 'zod';
import type { Account } from '../model/account.ts';
import type { HeardAnswer } from '../model/answer.ts';
import type { Redactor } from '../support/redaction.ts';
import { attempt, ForeignAnswer, forKy, NoAnswer, TokenRefusal, UnreadableBody } from './attempt.ts';
import { type Answered, AnswerTooLarge, ConnectionFailure } from './exchange.ts';
import { type Asked, failureOf } from './failures.ts';
import { readAnswer, withoutTokens } from './read-answer.ts';
import { retryAfterMs } from './retry-after.ts';
import { createThrottle, type ThrottleSettings } from './throttle.ts';
import { createTokens, type TokenOf } from './tokens.ts';

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
  readonly patience?: Patience;
};

/**
 * The service over HTTP (service.md 4, 5): GET, parameters and token in the query, JSON back.
 * Every failure leaves as a Failure without cause, for the errors of ky carry the URL and with it the token.
 * Throws the signal's reason where it was aborted.
 */
export function createAsk(parts: HttpParts): Ask {
  const { settings, redactor, signal, onDiscarded, patience = ordinaryPatience } = parts;
  const client = createClient(settings, signal);
  const throttle = createThrottle(settings, signal);
  const tokens = createTokens(parts.token);
  const limits = { timeoutMs: settings.requestTimeoutMs, maxBytes: patience.maxBytes };

  async function send<T>(
    account: Account,
    asked: Asked,
    question: Question,
    envelope: ZodType<T>,
    sidtoken: string,
  ): Promise<Told<T>> {
    const { operation, parameters } = question;
    const began = performance.now();
    let told: Told<T> | null = null;
    try {
      await client.get(`${operation}.wr`, {
        searchParams: { sidtoken, ...parameters },
        retry: { shouldRetry: ({ error }) => mayPass(error, performance.now() - began < patience.budgetMs) },
        fetch: (input, init) =>
          throttle.admit(async () => {
            const askedAt = performance.now();
            const answered = await attempt(
              input instanceof Request ? input : new Request(input, init),
              limits,
            );
            const { status } = answered;
            const heard = { operation, parameters: given(parameters), status, askedAt };
            try {
              if (status >= 200 && status < 300) {
                const read = readAnswer(answered, envelope, redactor);
                told = { envelope: read.envelope, answer: { ...heard, body: read.body } };
              }
            } finally {
              if (told === null)
                await onDiscarded?.(account, { ...heard, body: withoutTokens(answered.body, redactor) });
            }
            return forKy(answered, agreedWait(answered));
          }),
      });
    } catch (error) {
      signal.throwIfAborted();
      throw failureOf(error, asked, redactor);
    }
    // Without an error there was a good answer, and it was read.
    return told!;
  }

  /** When one is told that there are too many requests, all wait: the bound is the service's, not the account's. */
  function agreedWait({ status, headers }: Answered): number | null {
    const wait = retryAfterMs(headers['retry-after'] ?? null, Date.now(), patience.longestWaitMs);
    if (status === 429) throttle.pause(wait ?? 1_000);
    return wait;
  }

  return async (account, question, envelope) => {
    const asked = { account: account.name, about: question.about, baseUrl: settings.baseUrl };
    return await tokens.using(asked, (sidtoken) => send(account, asked, question, envelope, sidtoken));
  };
}

/** Parameters that are sent: ky leaves out those without a value. */
function given(parameters: Question['parameters']): HeardAnswer['parameters'] {
  const entries = Object.entries(parameters).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as HeardAnswer['parameters'];
}

function createClient(settings: HttpSettings, signal: AbortSignal): KyInstance {
  return ky.create({
    prefix: settings.baseUrl,
    // The document's content type, odd as it is on a GET (service.md 4).
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
    // Each try is bounded by `attempt`, body included; waiting for one's turn isn't part of it.
    timeout: false,
    signal,
    retry: {
      limit: settings.retries,
      statusCodes: [408, 429, 500, 501, 502, 503, 504, 507, 520, 521, 522, 523, 524, 529],
      afterStatusCodes: [429, 503],
      jitter: true,
      backoffLimit: 10_000,
    },
  });
}

/** Whether a further try may help; undefined leaves it to ky, which knows statuses. */
function mayPass(error: Error, inTime: boolean): boolean | undefined {
  if (!inTime || error instanceof AnswerTooLarge || error instanceof TokenRefusal) return false;
  const passing = [UnreadableBody, ForeignAnswer, NoAnswer, ConnectionFailure].some(
    (kind) => error instanceof kind,
  );
  return passing ? true : undefined;
}
