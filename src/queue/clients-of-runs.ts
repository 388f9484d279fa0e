import type { AppContext } from '../job/run/app-context.ts';
import type { Service } from '../service/client.ts';

/** Runs in progress at the same time; an older one gets a new client. */
const maxKept = 8;

/** A client of the service for each run: it remembers which tokens are refused. */
export function createClients(app: Pick<AppContext, 'connect'>, signal: AbortSignal) {
  const clients = new Map<number, Service>();
  return {
    of(run: number): Service {
      const client = clients.get(run) ?? app.connect(signal, run);
      clients.set(run, client);
      if (clients.size > maxKept) clients.delete(clients.keys().next().value!);
      return client;
    },
  };
}
