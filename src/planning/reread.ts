/** What is known of a response that may be decided anew. */
type Candidate = {
  readonly id: number;
  readonly runId: number;
  /** Whether it changed the ledger, or can be read now. */
  readonly readable: boolean;
  /** Whether it was no valid response, so that its run requested the window again. */
  readonly discarded: boolean;
};

/**
 * Which responses of a window count, in their order. A discarded one counts where its run got no later response that can
 * be read: had it been valid then, the run would have ended its attempts with it, and a later one is the newer response.
 */
export function effectiveResponses<Response extends Candidate>(responses: readonly Response[]): Response[] {
  const readable = responses.filter((response) => response.readable);
  const lastOfRun = new Map<number, number>();
  // Ids are in the order of the decisions; that of the requests isn't: a response is as old as its first attempt.
  for (const { id, runId } of readable) lastOfRun.set(runId, Math.max(id, lastOfRun.get(runId) ?? id));
  return readable.filter(({ id, runId, discarded }) => !discarded || lastOfRun.get(runId) === id);
}
