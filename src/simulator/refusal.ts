/**
 * A question that the service won't answer. The document shows no error (service.md 7): the statuses are
 * HTTP's usual ones, and the message never repeats what was sent, since that might be a token.
 */
export class Refusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = 'Refusal';
    this.status = status;
  }
}

/** The JSON body of an error answer. */
export function errorBody(status: number, message: string): string {
  return JSON.stringify({ error: { code: status, message } });
}
