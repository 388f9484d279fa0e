import type { DeliveryOutcome } from '../model/digest.ts';

/** One message, ready to go out. */
export type Outgoing = {
  /** Mailbox of the envelope's sender. */
  readonly from: string;
  /** Address of the envelope's recipient. */
  readonly recipient: string;
  /** With all headers. */
  readonly mime: string;
  /** File name without extension, used if messages go to a folder. */
  readonly name: string;
};

/** Sends messages one at a time. Errors of the other side are returned as outcomes, not thrown. */
export type Mailer = {
  /** Gets ready to send any number of messages. Returns null, or the reason why nothing can be sent now. */
  reach(signal: AbortSignal): Promise<DeliveryOutcome | null>;
  /** Sends one message. Requires a successful `reach`. */
  send(message: Outgoing, signal: AbortSignal): Promise<DeliveryOutcome>;
  /** Checks the mailer without sending, and describes it. Throws an Error whose `cause` is a DeliveryStep. */
  verify(): Promise<string>;
  close(): void;
};
