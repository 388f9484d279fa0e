/** A response of the service with its request, as it is archived: without the token. */
export type ServiceResponse = {
  readonly operation: 'getClients' | 'campaignSummary';
  /** Parameters of the request, without the token. */
  readonly parameters: { readonly [name: string]: string | number | boolean };
  readonly status: number;
  /** The body as received, or redacted where it repeated a token. */
  readonly body: string;
  /** When the request was sent, in milliseconds of this process's own clock. */
  readonly requestedAt: number;
};
