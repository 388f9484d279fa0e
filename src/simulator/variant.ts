import type { Dataset, SimulatedAccount } from './dataset.ts';
import type { SimulatedClient } from './names.ts';
import type { Strikes } from './passing-faults.ts';
import type { ClientListQuestion } from './questions.ts';
import type { Reply } from './reply.ts';
import type { ServiceRequest } from './request.ts';

/** The JSON object of an answer with status 200, before it is written (service.md 2.2, 2.3). */
export type Envelope = Readonly<Record<string, unknown>>;

/** Any record of an envelope's list. */
export type AnyRecord = Readonly<Record<string, unknown>>;

/** Stands around the answer to a question: may ask another, ask several, refuse, or change what comes back. */
export type AnswerHook = (
  params: URLSearchParams,
  next: (params: URLSearchParams) => Envelope,
  request: ServiceRequest,
) => Envelope;

/**
 * One way in which a service could behave where the document is silent. Each hook stands around those of the
 * variants that come after it in the catalogue, and around the service itself.
 */
export type Variant = {
  /** Whether a token of the account is still good; asked once for each request. */
  readonly admits?: (account: SimulatedAccount, token: string) => boolean;
  /** Other figures. */
  readonly dataset?: (dataset: Dataset) => Dataset;
  /** Other clients at this moment; pages count from 1 here, and `limit` is the one in effect. */
  readonly rows?: (
    rows: readonly SimulatedClient[],
    question: ClientListQuestion,
    account: string,
  ) => readonly SimulatedClient[];
  readonly clients?: AnswerHook;
  readonly campaigns?: AnswerHook;
  /** Another HTTP answer; `next` gives the one that was due. */
  readonly reply?: (request: ServiceRequest, next: () => Reply) => Reply;
  readonly latencyMs?: number;
};

/** What a variant is made of; it is made anew for each simulator, so that it may remember. */
export type VariantParts = {
  /** All variants of the simulator. */
  readonly chosen: ReadonlySet<string>;
  /** A fault that passes: see passing-faults.ts. */
  readonly every: (n: number) => Strikes;
};

export type NamedVariant = Variant & { readonly name: string };

/** An entry of the catalogue. */
export type VariantEntry = {
  /** What the service does, for `simulate --help`. */
  readonly does: string;
  readonly make: (parts: VariantParts) => Variant;
};

/** A hook that changes the answer; an error object with status 200 stays as it is. */
export function changing(change: (envelope: Envelope, params: URLSearchParams) => Envelope): AnswerHook {
  return (params, next) => {
    const envelope = next(params);
    return 'error' in envelope ? envelope : change(envelope, params);
  };
}

/** A hook that changes the list of records, whichever of the two it is. */
export function changingRecords(
  change: (records: readonly AnyRecord[], params: URLSearchParams) => readonly unknown[],
): AnswerHook {
  return changing((envelope, params) => {
    const list = 'data' in envelope ? 'data' : 'result';
    return { ...envelope, [list]: change(envelope[list] as readonly AnyRecord[], params) };
  });
}

/** The same hook for both operations. */
export function onBoth(hook: AnswerHook): Variant {
  return { clients: hook, campaigns: hook };
}

/** The object without some of its fields. */
export function without(object: AnyRecord, ...fields: readonly string[]): AnyRecord {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !fields.includes(name)));
}

/** A number to be written with exactly these digits, where a double would round them. */
export function exactNumber(digits: string): unknown {
  return (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(digits);
}
