/** An answer of the service as it is archived: what was asked, and what came, without the token. */
export type HeardAnswer = {
  readonly operation: 'getClients' | 'campaignSummary';
  /** Parameters of the question, without the token. */
  readonly parameters: { readonly [name: string]: string | number | boolean };
  readonly status: number;
  /** The body as it came, or redacted where it echoed a token. */
  readonly body: string;
  /** When the request was sent, in milliseconds of this process's own clock. */
  readonly askedAt: number;
};
