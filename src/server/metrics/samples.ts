import type { Queries } from '../../warehouse/db/database.ts';
import {
  measureAccounts,
  measureRequests,
  measureRuns,
  measureWindows,
  unsentStates,
} from '../../warehouse/queries/measures.ts';
import { type RunRecord, readScheduledRuns } from '../../warehouse/queries/run-history.ts';
import { accountStatuses, unsentMail } from '../../warehouse/queries/status.ts';
import { type Sample, sample } from './metrics.ts';

/** The current samples of every metric. What has no value has no sample. */
export async function takeSamples(warehouse: Queries): Promise<Sample[]> {
  return [
    sample('callsheet_database_up', 1),
    ...(await runSamples(warehouse)),
    ...(await accountSamples(warehouse)),
    ...(await requestSamples(warehouse)),
    ...(await deliverySamples(warehouse)),
  ];
}

async function runSamples(warehouse: Queries): Promise<Sample[]> {
  const { lastSuccessAt, last } = await readScheduledRuns(warehouse);
  const samples = (await measureRuns(warehouse)).map(({ outcome, runs }) =>
    sample('callsheet_runs_total', runs, { outcome }),
  );
  if (lastSuccessAt !== null)
    samples.push(sample('callsheet_last_success_timestamp_seconds', seconds(lastSuccessAt)));
  return last === null ? samples : [...samples, ...lastRunSamples(last)];
}

function lastRunSamples({ startedAt, finishedAt, exitCode, summary }: RunRecord): Sample[] {
  const finished = seconds(finishedAt!);
  const samples = [
    sample('callsheet_last_run_finished_timestamp_seconds', finished),
    sample('callsheet_last_run_duration_seconds', finished - seconds(startedAt)),
  ];
  if (exitCode !== null) samples.push(sample('callsheet_last_run_exit_code', exitCode));
  for (const [change, rows] of Object.entries(summary?.rows ?? {}))
    if (typeof rows === 'number') samples.push(sample('callsheet_last_run_rows', rows, { change }));
  return samples;
}

async function accountSamples(warehouse: Queries): Promise<Sample[]> {
  const statuses = await accountStatuses(warehouse);
  const windows = await measureWindows(warehouse);
  const accounts = await measureAccounts(warehouse);
  return [
    ...statuses.flatMap(({ account, completeThrough, timeZone }) => {
      if (completeThrough === null) return [];
      const end = Temporal.PlainDate.from(completeThrough).add({ days: 1 }).toZonedDateTime(timeZone);
      return sample('callsheet_complete_through_timestamp_seconds', end.epochMilliseconds / 1_000, {
        account,
      });
    }),
    ...windows.flatMap(({ account, states, flags }) => [
      ...Object.entries(states).map(([state, days]) => sample('callsheet_windows', days, { account, state })),
      ...Object.entries(flags).map(([flag, days]) =>
        sample('callsheet_flagged_windows', days, { account, flag }),
      ),
    ]),
    ...accounts.flatMap(({ account, rows, rejects }) => [
      sample('callsheet_campaign_rows', rows, { account }),
      sample('callsheet_rejects_total', rejects, { account }),
    ]),
  ];
}

async function requestSamples(warehouse: Queries): Promise<Sample[]> {
  return (await measureRequests(warehouse)).map(({ operation, status, decision, requests }) =>
    sample('callsheet_requests_total', requests, {
      operation,
      status: status === null ? 'none' : String(status),
      outcome: decision,
    }),
  );
}

async function deliverySamples(warehouse: Queries): Promise<Sample[]> {
  const unsent = await unsentMail(warehouse);
  return unsentStates.map((state) => {
    const count = unsent.filter((delivery) => delivery.state === state).length;
    return sample('callsheet_unsent_deliveries', count, { state });
  });
}

const seconds = (timestamp: string): number => Temporal.Instant.from(timestamp).epochMilliseconds / 1_000;
