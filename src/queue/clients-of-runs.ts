import type { AppContext } from '../job/run/app-context.ts';
import { archiveDiscarded } from '../job/run/archive-discarded.ts';
import type { Service } from '../service/client.ts';

/** Runs that are at work at the same time; an older one that comes again gets a new client. */
const maxKept = 8;

/** A client of the service for each run, as a run by itself has one: it remembers which tokens were refused. */
export function createClients(app: Pick<AppContext, 'connect' | 'warehouse' | 'log'>, signal: AbortSignal) {
  const clients = new Map<number, Service>();
  return {
    of(run: number): Service {
      const client = clients.get(run) ?? app.connect(signal, archiveDiscarded(app, run));
      clients.set(run, client);
      if (clients.size > maxKept) clients.delete(clients.keys().next().value!);
      return client;
    },
  };
}
