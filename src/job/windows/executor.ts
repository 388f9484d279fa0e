import type { Run } from '../run/run.ts';
import { syncWindow, type WindowResult, type WindowTask } from './sync-window.ts';

/** Who pulls the windows of a run. */
export type WindowExecutor = {
  /** Pulls one; it belongs to the run, whoever asks for it. Rejects with a Failure, or as the run's signal says. */
  pull(run: Run, pull: WindowTask): Promise<WindowResult>;
  /** How many windows may be under way at once. */
  atOnce(run: Run): number;
  /** So many failures in a row mean that the service isn't there. */
  hopeless(run: Run): number;
};

/** This process by itself. */
export const localExecutor: WindowExecutor = {
  pull: syncWindow,
  atOnce: ({ config }) => config.service.concurrency,
  hopeless: ({ config }) => config.service.concurrency * 2,
};
