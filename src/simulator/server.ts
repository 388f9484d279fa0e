import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Dataset, generateDataset } from './dataset.ts';
import type { Intercept } from './intercept.ts';
import type { JournalEntry } from './journal.ts';
import { createListener } from './listener.ts';
import { createService } from './operations.ts';
import { createSpoil, type ScriptedFault } from './scripted-faults.ts';
import { createKeyring, type FurtherTokens } from './tokens.ts';
import { createVariants, type VariantName } from './variants.ts';

export type { CannedAnswer, Intercept, InterceptedRequest } from './intercept.ts';

/** A running stand-in for the voice broadcasting service of service.md. */
export type Simulator = {
  /** Base URL to set as SERVICE_BASE_URL, e.g. http://127.0.0.1:54321/api */
  readonly url: string;
  readonly port: number;
  /** Every request answered so far, oldest first; the token is replaced by the account's name. */
  readonly journal: readonly JournalEntry[];
  /** From now on the token is refused, the data set's own or a further one; throws for a token of nobody. */
  revoke(token: string): void;
  /** Stops listening and ends open connections too. */
  close(): Promise<void>;
};

export type SimulatorOptions = {
  /** 0, the default, takes any free port. */
  port?: number;
  /** 127.0.0.1 unless told. */
  host?: string;
  /** Of the data set, unless `dataset` is given. */
  seed?: number;
  now?: () => Temporal.Instant;
  dataset?: Dataset;
  intercept?: Intercept;
  /** How the service behaves where the document is silent; plainly, unless told. */
  variants?: readonly VariantName[];
  /** Faults of single requests; they strike before `intercept` is asked, and that before the variants. */
  faults?: readonly ScriptedFault[];
  /** Waits so long before each answer. */
  latencyMs?: number;
  /** Accepted tokens by account name, besides the data set's own. */
  tokens?: FurtherTokens;
};

/**
 * Starts the service on a port of this machine; rejects with Node's own error when the port is taken, and with
 * one of ours when `faults` or `tokens` name an account that isn't there.
 */
export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const { port = 0, host = '127.0.0.1', seed, now = () => Temporal.Now.instant() } = options;
  const dataset = options.dataset ?? generateDataset(seed, now);
  refuseUnknownAccounts(dataset, options);
  const keyring = createKeyring(dataset, options.tokens);
  const variants = createVariants(options.variants ?? []);
  const journal: JournalEntry[] = [];
  const listener = createListener({
    service: createService(dataset, variants),
    keyring,
    variants,
    spoil: createSpoil(options.faults ?? [], options.variants?.includes('pages-from-zero') ? 0 : 1),
    intercept: options.intercept,
    latencyMs: variants.reduce((sum, { latencyMs = 0 }) => sum + latencyMs, options.latencyMs ?? 0),
    journal,
    now,
  });
  const server = createServer(listener);
  await listen(server, port, host);
  const bound = (server.address() as AddressInfo).port;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}/api`,
    port: bound,
    journal,
    revoke: keyring.revoke,
    close: () => close(server),
  };
}

/** A fault that never strikes for a misspelt name would make a test that shows nothing. */
function refuseUnknownAccounts(dataset: Dataset, { faults = [], tokens = {} }: SimulatorOptions): void {
  const named = [...Object.keys(tokens), ...faults.flatMap(({ account }) => account ?? [])];
  const unknown = named.find((name) => dataset.accounts.every((account) => account.name !== name));
  if (unknown !== undefined) throw new Error(`The data set has no account "${unknown}".`);
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    // Called on a server that is closed already, it reports so: no matter, it is closed.
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
