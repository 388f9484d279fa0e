import type { ColumnType, Generated } from 'kysely';
import type { Accepted } from '../../model/accepted.ts';
import type { Anomaly } from '../../model/anomaly.ts';
import type { DeliveryState, DeliveryStep } from '../../model/digest.ts';
import type { ErrorCode } from '../../model/errors.ts';
import type { Every } from '../../model/period.ts';
import type { Extra } from '../../model/records.ts';
import type { RunKind, RunOutcome } from '../../model/run.ts';
import type { WalkVerdict } from '../../model/walk.ts';
import type { WindowState } from '../../model/window.ts';
import type * as generated from './generated.ts';

/** A table in which some columns have narrower types than the database knows. */
type Narrowed<Table, Columns> = Omit<Table, keyof Columns> & Columns;

/** A view: Postgres reports all columns of a view as nullable, but only `Nullable` ones are. */
type View<Columns, Nullable extends keyof Columns> = {
  [Name in keyof Columns]: Name extends Nullable ? Columns[Name] : NonNullable<Columns[Name]>;
};

/** jsonb that is written as JSON text: pg would turn a list into a Postgres array. */
type Json<Value> = ColumnType<Value, string, string>;

/** None by default. */
type Anomalies = ColumnType<readonly Anomaly[], string | undefined, string>;

/** The load decision on a response, as the archive records it. */
export type ArchivedDecision =
  | 'loaded'
  | 'provisional'
  | 'held'
  | 'ignored'
  | 'stale'
  | 'unreadable'
  | 'discarded';

/** The tables and views of the warehouse. Text that can only be one of a few words has a union type. */
export type Tables = Narrowed<
  generated.DB,
  {
    'etl.accepted': Narrowed<generated.EtlAccepted, Pick<Accepted, 'kind' | 'operation'>>;
    'etl.campaign_days': Narrowed<generated.EtlCampaignDays, { extra: Generated<Json<Extra>> }>;
    'etl.deliveries': Narrowed<
      generated.EtlDeliveries,
      {
        state: Generated<DeliveryState>;
        step: DeliveryStep | null;
      }
    >;
    'etl.digest_starts': Narrowed<generated.EtlDigestStarts, { every: Every }>;
    'etl.mailed_periods': Narrowed<generated.EtlMailedPeriods, { every: Every }>;
    'etl.mails': Narrowed<generated.EtlMails, { every: Every }>;
    'etl.responses': Narrowed<generated.EtlResponses, { decision: ArchivedDecision }>;
    'etl.runs': Narrowed<
      generated.EtlRuns,
      { kind: RunKind; outcome: RunOutcome | null; summary: Json<{ readonly [key: string]: unknown }> | null }
    >;
    'etl.metric_samples': Narrowed<
      View<generated.EtlMetricSamples, never>,
      { labels: Readonly<Record<string, string>> }
    >;
    'etl.walk_states': Narrowed<
      generated.EtlWalkStates,
      {
        account: string;
        account_id: number;
        verdict: WalkVerdict | null;
        signs: string[];
        error_code: ErrorCode | null;
        implausible_missing: number;
        incomplete_run_dates: number;
      }
    >;
    'etl.walks': Narrowed<generated.EtlWalks, { verdict: WalkVerdict | null }>;
    'etl.windows': Narrowed<generated.EtlWindows, { state: WindowState; anomalies: Anomalies }>;
    'warehouse.clients': Narrowed<generated.WarehouseClients, { extra: Generated<Json<Extra>> }>;
    'warehouse.freshness': View<generated.WarehouseFreshness, 'complete_through_day' | 'last_synced_at'>;
  }
>;
