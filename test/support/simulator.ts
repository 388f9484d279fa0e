import { setTimeout } from 'node:timers/promises';
import { type Dataset, generateDataset } from '../../src/simulator/dataset.ts';
import type { Middleware, ServiceRequest, ServiceResponse } from '../../src/simulator/middleware.ts';
import * as product from '../../src/simulator/server.ts';
import { injectScripted, type ScriptedFault } from './simulator/faults.ts';
import { type JournalEntry, recordIn } from './simulator/journal.ts';
import { createVariants, type VariantName } from './simulator/variants.ts';

export type Simulator = product.Simulator & {
  /** All requests so far, oldest first; the token is replaced by the account's name. */
  readonly journal: readonly JournalEntry[];
  /** Refuses the token from now on; throws if no account has it. */
  revoke(token: string): void;
};

/** Accepted tokens by account name, besides the data set's own. */
type FurtherTokens = Readonly<Record<string, readonly string[]>>;

export type SimulatorOptions = product.SimulatorOptions & {
  latencyMs?: number;
  tokens?: FurtherTokens;
  // A request passes the faults, then the intercept, then the variants.
  faults?: readonly ScriptedFault[];
  variants?: readonly VariantName[];
};

/** Starts the product's simulator with a journal and fault injection. Rejects if an option names an unknown account. */
export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const { port = 0, now = () => Temporal.Now.instant(), latencyMs = 0, tokens = {} } = options;
  const { faults = [], intercept, variants = [] } = options;
  const dataset = options.dataset ?? generateDataset(1, now);
  rejectUnknownAccounts(dataset, [...Object.keys(tokens), ...faults.flatMap(({ account }) => account ?? [])]);
  const ownerOf = (token: string) =>
    dataset.accounts.find(({ name, token: own }) => own === token || tokens[name]?.includes(token))?.name;
  const revoked = new Set<string>();
  const authorize: Middleware = (request, next) => {
    const token = request.params.get('sidtoken') ?? '';
    if (revoked.has(token)) return next({ ...request, account: ownerOf(token), accepted: false });
    const isFurther = request.account === undefined && ownerOf(token) !== undefined;
    return isFurther ? next({ ...request, account: ownerOf(token), accepted: true }) : undefined;
  };
  const journal: JournalEntry[] = [];
  const middlewares = [
    ...(latencyMs > 0 ? [delayBy(latencyMs)] : []),
    authorize,
    recordIn(journal, now),
    injectScripted(faults),
    ...(intercept ? [intercept] : []),
    ...createVariants(variants),
  ];
  const started = await product.startSimulator({
    port,
    dataset,
    // The first of them is the outermost.
    intercept: (request, next) =>
      middlewares.reduceRight<(request: ServiceRequest) => Promise<ServiceResponse>>(
        (inner, middleware) => async (outer) =>
          (await middleware(outer, (changed = outer) => inner(changed))) ?? inner(outer),
        next,
      )(request),
  });
  return {
    ...started,
    journal,
    revoke(token) {
      if (ownerOf(token) === undefined) throw new Error('No account has the token that is to be revoked.');
      revoked.add(token);
    },
  };
}

function delayBy(ms: number): Middleware {
  return async () => {
    await setTimeout(ms, undefined, { ref: false });
    return undefined;
  };
}

/** Throws on a misspelt name: its fault would never strike, and the test would prove nothing. */
function rejectUnknownAccounts({ accounts }: Dataset, names: readonly string[]): void {
  const unknown = names.find((name) => accounts.every((account) => account.name !== name));
  if (unknown !== undefined) throw new Error(`The data set has no account "${unknown}".`);
}
