import type { DeliveryOutcome } from '../model/digest.ts';

/** One message, ready to go out. */
export type Outgoing = {
  readonly from: string;
  readonly recipient: string;
  readonly mime: string;
  /** Name for its file, without ending, where messages go to a folder. */
  readonly name: string;
};

/** How one attempt ended; `retryable` where another one in a minute may end otherwise. */
export type Attempt = DeliveryOutcome & { readonly retryable: boolean };

/** Sends messages one at a time and returns how each ended. It doesn't throw for what the other side does. */
export type Mailer = {
  /** Makes ready to send, for as many messages as there are; null, or why nothing can be sent now. */
  reach(signal: AbortSignal): Promise<Attempt | null>;
  /** Sends one message, once the mailer was reached. */
  send(message: Outgoing, signal: AbortSignal): Promise<Attempt>;
  /** Checks what can be checked without sending, and describes it; throws an Error that says what is missing. */
  verify(): Promise<string>;
  close(): void;
};
