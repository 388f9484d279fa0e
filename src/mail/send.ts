import type { DeliveryOutcome } from '../model/digest.ts';

/** One message, ready to go out. */
export type Outgoing = {
  readonly from: string;
  readonly recipient: string;
  readonly mime: string;
  /** Name for its file, without ending, where messages go to a folder. */
  readonly name: string;
};

/** Sends one message and says how that ended. It doesn't throw for what the other side does. */
export type Mailer = {
  send(message: Outgoing): Promise<DeliveryOutcome>;
  /** Tries what can be tried without sending, and says what there is; throws an Error that says what isn't. */
  verify(): Promise<string>;
  close(): void;
};
