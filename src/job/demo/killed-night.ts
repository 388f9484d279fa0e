/** A worker that lives through a night until it is terminated: its sockets break off, as those of a killed process. */
import { workerData } from 'node:worker_threads';
import { runUntilDone, withClock } from './simulate-night.ts';

await withClock(workerData, (app, _, wait) => runUntilDone(app, wait, new AbortController().signal));
