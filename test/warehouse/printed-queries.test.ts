import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { readAlerts } from '../../src/job/alerts/read-alerts.ts';
import { plainOccasion, readFigures } from '../../src/job/digests/compose-digest.ts';
import { contentHash } from '../../src/job/windows/decide.ts';
import { loadWindow } from '../../src/job/windows/load-window.ts';
import { periodOf } from '../../src/model/period.ts';
import type { CampaignRecord, ClientRecord } from '../../src/model/records.ts';
import { takeSamples } from '../../src/server/metrics.ts';
import { readOverview } from '../../src/server/page/overview.ts';
import { createRedactor } from '../../src/support/redaction.ts';
import { expectSince, retireOthers, syncAccounts } from '../../src/warehouse/ledger/accounts.ts';
import { heldAccounts, isLoadedByOther, readLedger } from '../../src/warehouse/ledger/ledger.ts';
import { beginRun, databaseClock, finishRun, readScheduledRun } from '../../src/warehouse/ledger/runs.ts';
import {
  beginWalk,
  recordCompleteWalk,
  recordIncompleteWalk,
} from '../../src/warehouse/load/client-walks.ts';
import { loadClientPages } from '../../src/warehouse/load/clients.ts';
import { recordFailure } from '../../src/warehouse/load/windows.ts';
import { lastRuns } from '../../src/warehouse/queries/run-history.ts';
import { accountStatuses, unsentMail } from '../../src/warehouse/queries/status.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { type QueryRecorder, recordQueries } from '../support/record-queries.ts';
import { serviceResponse } from '../support/service-response.ts';

/*
 * The SQL that the job runs, for a DBA to read: `npm run queries` writes it anew. Each function is called on a real
 * database, with what makes it take all of its ways.
 */

const day = '2026-11-19';
const account = { name: 'north', label: 'North office', timeZone: 'UTC' };
let database: TestDatabase;
let recorder: QueryRecorder;
let accountId: number;
let runId: number;

beforeAll(async () => {
  database = await createDatabase({ template: 'migrated' });
  recorder = recordQueries(database.url);
  const { warehouse } = recorder;
  accountId = (await syncAccounts(warehouse, [account]))[0]!.id;
  await expectSince(warehouse, accountId, '2026-11-01');
  runId = await beginRun(warehouse, {
    kind: 'nightly',
    command: 'run',
    runDate: '2026-11-20',
    scheduledFor: null,
    number: 1,
    retryUntil: null,
    host: 'here',
    processId: 1,
    exclusive: true,
  });
});
afterAll(async () => {
  await recorder[Symbol.asyncDispose]();
  await database.drop();
});

const failure = { code: 'SERVICE_UNAVAILABLE', detail: 'the service responded with status 503' } as const;

const printed = (name: string) => path.resolve(import.meta.dirname, `../../docs/queries/${name}.sql`);

const campaign = (callsetId: number, attempts: number): CampaignRecord => ({
  callsetId,
  campaign: `Campaign ${callsetId}`,
  attempts,
  busies: 0,
  connects: 1,
  liveAnswers: 1,
  extra: {},
});

async function load(records: readonly CampaignRecord[], runDate: string, campaigns = records.length) {
  const { warehouse } = recorder;
  const window = {
    accountId,
    day,
    records,
    rejects: [{ payload: '{}', reason: 'callsetid is missing', id: null }],
    envelope: { rows: records.length, counts: { campaigns }, notice: null },
    unreported: [],
    contentHash: contentHash(records),
    provisional: false,
    catchUpLeft: 30,
    runId,
    runDate,
    response: serviceResponse(JSON.stringify(records)),
    fetchedAt: await databaseClock(warehouse),
  };
  await recorder.record('a window is fetched: loaded, restated or held', () =>
    loadWindow(warehouse, window, { accepted: false, repeatable: false }),
  );
}

it('the SQL of the windows is what docs/queries/windows.sql shows', async () => {
  const { warehouse, record } = recorder;
  await load([campaign(1, 10), campaign(2, 20), campaign(3, 30)], '2026-11-20');
  await load([campaign(1, 11), campaign(2, 20)], '2026-11-21');
  await load([], '2026-11-21');
  await record('a window could not be fetched', () => recordFailure(warehouse, { accountId, day }, failure));
  await record('what is due is planned', () => readLedger(warehouse, '2026-11-01'));
  await record('a worker looks whether a window is loaded by now', () =>
    isLoadedByOther(warehouse, runId, accountId, day),
  );
  await record('a held response is accepted', () => heldAccounts(warehouse, day));
  await expect(recorder.take()).toMatchFileSnapshot(printed('windows'));
});

it('the SQL of the client lists is what docs/queries/clients.sql shows', async () => {
  const { warehouse, record } = recorder;
  const startedAt = await databaseClock(warehouse);
  const source = { accountId, day, runId, runDate: '2026-11-20', startedAt };
  const walk = await record('a walk begins', () => beginWalk(warehouse, source));
  const pages = (name: string, balance: string) => {
    const clients: ClientRecord[] = [{ clientId: 1, name, checksum: '1', balance, extra: {} }];
    const page = {
      records: clients,
      unreadable: false,
      response: serviceResponse(name),
      fetchedAt: startedAt,
    };
    return record('pages of clients are loaded', () =>
      loadClientPages(warehouse, { ...source, walk: walk.id }, [page]),
    );
  };
  await pages('Ana', '5.00');
  await pages('Ana & Co', '4.00');
  await record('a walk is complete', () => recordCompleteWalk(warehouse, walk, new Set()));
  await record('a walk is not complete', () =>
    recordIncompleteWalk(warehouse, walk.id, 'incomplete', failure.detail, failure.code),
  );
  await expect(recorder.take()).toMatchFileSnapshot(printed('clients'));
});

it('the SQL of status, metrics and page is what docs/queries/status.sql shows', async () => {
  const { warehouse, record } = recorder;
  await record('status: accounts', () => accountStatuses(warehouse));
  await record('status: last runs', () => lastRuns(warehouse, 10));
  await record('status: mail', () => unsentMail(warehouse));
  const now = Temporal.Instant.from('2026-11-20T07:00:00Z');
  const { config } = loadConfig({}, { service: false }, createRedactor());
  const context = {
    config,
    clock: () => now,
  };
  await record('active alerts', () => readAlerts(warehouse, context));
  await record('the page', () => readOverview(warehouse, { now, timeZone: 'UTC', nextRun: null }, context));
  await record('metrics', () => takeSamples(warehouse, context));
  await expect(recorder.take()).toMatchFileSnapshot(printed('status'));
});

it('the SQL of a digest is what docs/queries/digest.sql shows', async () => {
  const { warehouse, record } = recorder;
  const digest = {
    name: 'Campaigns',
    to: ['ana@example.com'],
    every: 'day' as const,
    accounts: [account.name],
    locale: 'en',
    timeZone: 'UTC',
    extraFields: [],
    lowBalance: 10,
    link: null,
    csv: { separator: ',', decimal: '.' },
  };
  await warehouse
    .insertInto('etl.digests')
    .values({ name: digest.name, day: '2026-11-18', kind: 'first', state: 'built', mime: '' })
    .execute();
  await record('the figures of a digest', () =>
    readFigures(warehouse, digest, periodOf('day', day), plainOccasion),
  );
  await expect(recorder.take()).toMatchFileSnapshot(printed('digest'));
});

it('the SQL of runs is what docs/queries/runs.sql shows', async () => {
  const { warehouse, record } = recorder;
  await record('accounts are brought in line with the settings', () => syncAccounts(warehouse, [account]));
  await record('accounts that are gone from the settings retire', () => retireOthers(warehouse, [account]));
  const start = {
    kind: 'nightly' as const,
    command: 'schedule',
    runDate: day,
    scheduledFor: '2026-11-20T06:30:00Z',
    number: 1,
    retryUntil: '2026-11-20T09:30:00Z',
    host: 'here',
    processId: 1,
    exclusive: true,
  };
  const id = await record('a run begins', () => beginRun(warehouse, start));
  const scheduledFor = Temporal.Instant.from(start.scheduledFor);
  await record('a scheduled time is looked at', () => readScheduledRun(warehouse, scheduledFor));
  await record('a run ends', () =>
    finishRun(warehouse, id, { outcome: 'done', exitCode: 0, retryAt: null, summary: {} }),
  );
  await expect(recorder.take()).toMatchFileSnapshot(printed('runs'));
});
