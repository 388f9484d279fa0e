import type { Config } from '../../config/config.ts';
import type { Run } from '../run/run.ts';
import { type SyncContext, syncWindow } from './sync-window.ts';
import type { WindowResult, WindowTask } from './window-result.ts';

type ServiceLimits = Pick<Config['service'], 'concurrency'>;

/** Who syncs the windows of a run. */
export type WindowExecutor = {
  /** Syncs a window for this run. Rejects with an error that ends the run, or as the run's signal says. */
  sync(run: SyncContext & Pick<Run, 'signal' | 'log'>, task: WindowTask): Promise<WindowResult>;
  maxConcurrent(limits: ServiceLimits): number;
  /** That many errors in a row mean that the service is down. */
  maxErrorsInARow(limits: ServiceLimits): number;
};

/** This process alone. */
export const localExecutor: WindowExecutor = {
  sync: syncWindow,
  maxConcurrent: ({ concurrency }) => concurrency,
  maxErrorsInARow: ({ concurrency }) => concurrency * 2,
};
