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
import { instantOf } from '../page/format.ts';
import type { MetricName, Sample } from './metrics.ts';

const seconds = (instant: Temporal.Instant) => instant.epochMilliseconds / 1_000;

/** The current samples of every metric. What has no value has no sample. */
export async function takeSamples(warehouse: Queries): Promise<Sample[]> {
  return [
    { name: 'callsheet_database_up', value: 1 },
    ...(await ofRuns(warehouse)),
    ...(await ofAccounts(warehouse)),
    ...(await ofRequests(warehouse)),
    ...(await ofDeliveries(warehouse)),
  ];
}

async function ofRuns(warehouse: Queries): Promise<Sample[]> {
  const { lastSuccessAt, last } = await readScheduledRuns(warehouse);
  return [
    ...given('callsheet_last_success_timestamp_seconds', lastSuccessAt && seconds(instantOf(lastSuccessAt))),
    ...(last ? ofLastRun(last) : []),
    ...(await measureRuns(warehouse)).map(
      ({ outcome, runs }): Sample => ({ name: 'callsheet_runs_total', value: runs, labels: { outcome } }),
    ),
  ];
}

function ofLastRun({ startedAt, finishedAt, exitCode, summary }: RunRecord): Sample[] {
  const finished = seconds(instantOf(finishedAt!));
  const rows = Object.entries((summary?.rows ?? {}) as Record<string, unknown>);
  return [
    { name: 'callsheet_last_run_finished_timestamp_seconds', value: finished },
    { name: 'callsheet_last_run_duration_seconds', value: finished - seconds(instantOf(startedAt)) },
    ...given('callsheet_last_run_exit_code', exitCode),
    ...rows
      .filter((entry): entry is [string, number] => typeof entry[1] === 'number')
      .map(([change, value]): Sample => ({ name: 'callsheet_last_run_rows', value, labels: { change } })),
  ];
}

async function ofAccounts(warehouse: Queries): Promise<Sample[]> {
  const statuses = await accountStatuses(warehouse);
  const windows = await measureWindows(warehouse);
  const accounts = await measureAccounts(warehouse);
  return [
    ...statuses.flatMap(({ account, completeThrough, timeZone }): Sample[] => {
      if (completeThrough === null) return [];
      const end = Temporal.PlainDate.from(completeThrough).add({ days: 1 }).toZonedDateTime(timeZone);
      const value = seconds(end.toInstant());
      return [{ name: 'callsheet_complete_through_timestamp_seconds', value, labels: { account } }];
    }),
    ...windows.flatMap(({ account, states, flags }): Sample[] => [
      ...Object.entries(states).map(
        ([state, value]): Sample => ({ name: 'callsheet_windows', value, labels: { account, state } }),
      ),
      ...Object.entries(flags).map(
        ([flag, value]): Sample => ({ name: 'callsheet_flagged_windows', value, labels: { account, flag } }),
      ),
    ]),
    ...accounts.flatMap(({ account, rows, rejects }): Sample[] => [
      { name: 'callsheet_campaign_rows', value: rows, labels: { account } },
      { name: 'callsheet_rejects_total', value: rejects, labels: { account } },
    ]),
  ];
}

async function ofRequests(warehouse: Queries): Promise<Sample[]> {
  return (await measureRequests(warehouse)).map(({ operation, status, decision, requests }) => ({
    name: 'callsheet_requests_total',
    value: requests,
    labels: { operation, status: status === null ? 'none' : String(status), outcome: decision },
  }));
}

async function ofDeliveries(warehouse: Queries): Promise<Sample[]> {
  const unsent = await unsentMail(warehouse);
  return unsentStates.map((state) => ({
    name: 'callsheet_unsent_deliveries',
    value: unsent.filter((delivery) => delivery.state === state).length,
    labels: { state },
  }));
}

function given(name: MetricName, value: number | null | '' | undefined): Sample[] {
  return typeof value === 'number' ? [{ name, value }] : [];
}
