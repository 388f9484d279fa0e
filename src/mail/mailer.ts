import type { DeliveryOutcome } from '../model/digest.ts';

/** One message, ready to go out. */
export type Outgoing = {
  readonly from: string;
  readonly recipient: string;
  readonly mime: string;
  /** File name without extension, used if messages go to a folder. */
  readonly name: string;
};

/** The outcome of one attempt; `retryable` if another attempt within a minute may succeed. */
export type Attempt = DeliveryOutcome & { readonly retryable: boolean };

/** Sends messages one at a time. Errors of the other side are returned as outcomes, not thrown. */
export type Mailer = {
  /** Gets ready to send any number of messages. Returns null, or the reason why nothing can be sent now. */
  reach(signal: AbortSignal): Promise<Attempt | null>;
  /** Sends one message. Requires a successful `reach`. */
  send(message: Outgoing, signal: AbortSignal): Promise<Attempt>;
  /** Checks the mailer without sending, and describes it. Throws an Error that says what is missing. */
  verify(): Promise<string>;
  close(): void;
};
