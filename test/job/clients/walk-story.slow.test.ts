import { afterEach, expect, it } from 'vitest';
import { needsAction } from '../../../src/model/alert.ts';
import { addDays } from '../../../src/model/day.ts';
import { generateDataset } from '../../../src/simulator/dataset.ts';
import {
  type JsonObject,
  type Middleware,
  type ServiceRequest,
  changing as withEnvelope,
} from '../../../src/simulator/middleware.ts';
import { errorResponse } from '../../../src/simulator/service.ts';
import { callsheet } from '../../support/callsheet.ts';
import { changing } from '../../support/changing.ts';
import { runNight } from '../../support/nights.ts';
import { agreedAlerts } from '../../support/renderings.ts';
import { openWorld, type World } from '../../support/world.ts';

let world: World;
afterEach(() => world.close());

/** Status and page show all days up to yesterday, by the machine's clock. */
const today = Temporal.Now.plainDateISO('UTC').toString();
const settings = {
  ACCOUNTS_FILE: '',
  SIDTOKEN: generateDataset().accounts.find((each) => each.name === 'valley')!.token,
  ACCOUNT_NAME: 'valley',
  PAGE_LIMIT: '60',
  RETRIES: '0',
  ALERT_TO: 'ops@example.com',
};

/** How the service lists clients: all, with an error, with one less from the second page on, or a tenth of them. */
type Listing = 'all' | 'down' | 'shrinking' | 'few';

/** A service whose client list a test changes between two nights; its campaigns are always fine. */
async function openService() {
  const { changes, dataset } = changing();
  let listing: Listing = 'all';
  const intercept: Middleware = ({ operation, params }) => {
    if (operation !== 'getClients') return undefined;
    if (listing === 'down') return errorResponse(503, 'Down for maintenance.');
    const isShorter = listing === 'shrinking' && Number(params.get('page') ?? 1) > 1;
    changes.clients = (list) => (listing === 'few' ? list.slice(0, 20) : list.slice(isShorter ? 1 : 0));
    return undefined;
  };
  world = await openWorld({ dataset, intercept });
  return async (daysAgo: number, next: Listing) => {
    listing = next;
    const { exitCode } = await runNight(world, addDays(today, -daysAgo), settings, { digest: false });
    const active = await world.query<{ alert: string }>(
      `select alert from etl.alerts where resolved_run_date is null order by 1`,
    );
    const absent = await world.query('select from warehouse.clients where absent_at is not null');
    return { exitCode, alerts: active.map(({ alert }) => alert), absent: absent.length };
  };
}

/** The alerts that status, page and metrics show alike. */
async function activeEverywhere(): Promise<string[]> {
  const alerts = await agreedAlerts(world, { ...world.environment, ...settings });
  return alerts.filter(needsAction).map(({ key }) => key);
}

const fine = { exitCode: 0, alerts: [], absent: 0 };

it('a list that cannot be walked is alerted from that night until the next complete walk, everywhere alike', async () => {
  const night = await openService();
  expect(await night(1, 'all')).toEqual(fine);
  const down = await night(0, 'down');
  expect(down).toEqual({ exitCode: 75, alerts: ['SERVICE_UNAVAILABLE/503'], absent: 0 });
  expect(await activeEverywhere()).toEqual(down.alerts);
  expect(await night(0, 'all')).toEqual(fine);
});

it('a list that changed during each walk is alerted once the last complete one is seven run dates old', async () => {
  const night = await openService();
  await night(7, 'all');
  for (const ago of [6, 5, 4, 3, 2, 1]) expect(await night(ago, 'shrinking')).toEqual(fine);
  const seventh = await night(0, 'shrinking');
  expect(seventh).toEqual({ exitCode: 75, alerts: ['WALK_INCOMPLETE/changed'], absent: 0 });
  expect(await activeEverywhere()).toEqual(seventh.alerts);
  const [alert] = await agreedAlerts(world, { ...world.environment, ...settings });
  // Nobody can correct it.
  expect(alert).toMatchObject({ kind: 'to check', steps: [{ command: ['run'] }] });
});

it('a list that lacks over half of its clients is alerted until they are back, and nobody is absent meanwhile', async () => {
  const night = await openService();
  await night(2, 'all');
  await night(1, 'few');
  const second = await night(0, 'few');
  expect(second).toEqual({ exitCode: 0, alerts: ['CLIENTS_MISSING'], absent: 0 });
  expect(await activeEverywhere()).toEqual(second.alerts);
  expect(await night(0, 'all')).toEqual(fine);
});

it('a list with a remark that nobody accepted is loaded, says so once, and marks nobody absent', async () => {
  const { changes, dataset } = changing();
  const remark = (envelope: JsonObject, { operation }: ServiceRequest) =>
    operation === 'getClients' ? { ...envelope, note: 'maintenance on Sunday' } : envelope;
  world = await openWorld({ dataset, intercept: withEnvelope(remark) });
  await runNight(world, addDays(today, -1), settings, { digest: false });
  changes.clients = (list) => list.slice(1);
  const { stderr } = await callsheet(['run', '--no-digest'], { ...world.environment, ...settings });
  expect(stderr.match(/valley: the client list is loaded, and nobody is marked absent: .*/g)).toEqual([
    expect.stringContaining('maintenance on Sunday'),
  ]);
  expect(await world.query('select from warehouse.clients where absent_at is not null')).toEqual([]);
});

it('what cannot be read of clients is logged once for alike pages', async () => {
  const { changes, dataset } = changing();
  changes.clients = (list) => list.slice(0, 130).map((client) => ({ ...client, checksum: [] as never }));
  world = await openWorld({ dataset });
  const { stderr } = await callsheet(['run', '--no-digest'], { ...world.environment, ...settings });
  expect(stderr.match(/valley, clients: left out of \d+ records/g)).toEqual([
    'valley, clients: left out of 60 records',
    'valley, clients: left out of 10 records',
  ]);
});
