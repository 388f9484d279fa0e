/** What is known of a response that may be decided anew. */
type Candidate = {
  readonly id: number;
  readonly runId: number;
  /** Clock of the database just before the request. */
  readonly fetchedAt: string;
  /** That clock at the load decision, or when it was archived without one. */
  readonly decidedAt: string;
  /** Whether its decision is followed; otherwise it is decided anew. */
  readonly followed: boolean;
  /** Whether it changed the ledger, or can be read now. */
  readonly readable: boolean;
  /** Whether it was no valid response, so that its run requested the window again. */
  readonly discarded: boolean;
};

/**
 * Which responses of a window count, in the order of their decisions, which is that of their ids. A discarded one counts
 * where its run got no later response that can be read: had it been valid then, the run would have ended its attempts
 * with it, and a later one is the newer response. None counts that a run would find stale, as a load does: requested no
 * later than the one decided on before it, unless that was fetched in the future.
 */
export function effectiveResponses<Response extends Candidate>(responses: readonly Response[]): Response[] {
  const readable = responses.filter((response) => response.readable).sort((one, other) => one.id - other.id);
  const lastOfRun = new Map<number, number>();
  for (const { id, runId } of readable) lastOfRun.set(runId, id);
  let before: Response | null = null;
  return readable.filter((response) => {
    const { id, runId, discarded, followed } = response;
    if (discarded && lastOfRun.get(runId) !== id) return false;
    if (!followed && before !== null && isStale(response, before)) return false;
    before = response;
    return true;
  });
}

/** Whether a response is not newer than the one decided on before it, whose time counts unless it was in the future. */
function isStale({ fetchedAt, decidedAt }: Candidate, before: Candidate): boolean {
  return isAtLeast(before.fetchedAt, fetchedAt) && isAtLeast(decidedAt, before.fetchedAt);
}

const isAtLeast = (one: string, other: string) =>
  Temporal.Instant.compare(Temporal.Instant.from(one), Temporal.Instant.from(other)) >= 0;
