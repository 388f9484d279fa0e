import type { ColumnType, Generated, Kysely } from 'kysely';
import type { AccountTotals, DeliveryState, DigestKind } from '../model/digest.ts';
import type { WindowState } from '../model/window.ts';

/*
 * The tables as the queries of this folder see them. Days and instants are text, as Postgres writes them:
 * a Date would move days across zones and cut microseconds off instants.
 */

type Defaulted<T> = ColumnType<T, T | undefined, T>;

export type Tables = {
  'warehouse.accounts': {
    account_id: Generated<number>;
    name: string;
    label: string;
    time_zone: string;
    since: Defaulted<string | null>;
    until: Defaulted<string | null>;
    clients_walked_at: Defaulted<string | null>;
    client_account_id: Defaulted<number | null>;
    client_id: Defaulted<number | null>;
  };
  'warehouse.campaign_days': {
    account_id: number;
    day: string;
    callset_id: number;
    campaign: string | null;
    attempts: number | null;
    busies: number | null;
    connects: number | null;
    live_answers: number | null;
    extra: object;
    loaded_at: string;
    restated_at: string | null;
    withdrawn_at: string | null;
  };
  'warehouse.account_days': {
    account_id: number;
    day: string;
    campaigns: number;
    attempts: number;
    busies: number;
    connects: number;
    live_answers: number;
    provisional: boolean;
    loaded_at: string;
  };
  'etl.runs': {
    run_id: Generated<number>;
    command: string;
    night: string;
    slot: Defaulted<string | null>;
    started_at: Generated<string>;
    finished_at: Defaulted<string | null>;
    host: string;
    process_id: number;
    exclusive: Defaulted<boolean>;
    outcome: Defaulted<string | null>;
    exit_code: Defaulted<number | null>;
    summary: Defaulted<object | null>;
  };
  'etl.windows': {
    account_id: number;
    day: string;
    state: WindowState;
    fetched_at: Defaulted<string | null>;
    loaded_at: Defaulted<string | null>;
    run_id: Defaulted<number | null>;
    content_hash: Defaulted<string | null>;
    pulled_night: Defaulted<string | null>;
    same_since_night: Defaulted<string | null>;
    failed_at: Defaulted<string | null>;
    failure: Defaulted<string | null>;
    held_hash: Defaulted<string | null>;
    held_night: Defaulted<string | null>;
    held_since: Defaulted<string | null>;
    suspicious: Defaulted<boolean>;
  };
  'etl.rejects': {
    reject_id: Generated<number>;
    run_id: number | null;
    account_id: number;
    operation: string;
    day: string | null;
    payload: string;
    reason: string;
    rejected_at: Generated<string>;
  };
  'etl.digests': {
    digest_id: Generated<number>;
    name: string;
    day: string;
    kind: DigestKind;
    state: 'built' | 'waived';
    incomplete: Defaulted<boolean>;
    subject: Defaulted<string | null>;
    mime: Defaulted<string | null>;
    told: ColumnType<readonly AccountTotals[] | null, string | undefined, never>;
    run_id: number | null;
    built_at: Generated<string>;
  };
  'etl.deliveries': {
    delivery_id: Generated<number>;
    digest_id: number;
    recipient: string;
    message_id: string;
    state: Defaulted<DeliveryState>;
    attempts: Defaulted<number>;
    reply: Defaulted<string | null>;
    changed_at: Generated<string>;
    waived_at: Defaulted<string | null>;
    told_at: Defaulted<string | null>;
  };
  'etl.digest_starts': {
    name: string;
    owes_from: string | null;
  };
  'etl.alerts': {
    trouble: string;
    since_night: string;
    told_night: Defaulted<string | null>;
  };
};

/** The open warehouse: what every function of this folder takes first. */
export type Warehouse = Kysely<Tables>;
