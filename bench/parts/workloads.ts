import { pageLimit } from '../bodies.ts';
import type { Measured } from '../measure.ts';
import { callsheet, ownProgram, type Place } from '../programs.ts';
import type { Target } from '../report.ts';
import { campaignsAt, clientsAt, daysBack, inWords } from './sizes.ts';
import type { Bench, Contender, Workload } from './workload.ts';

const floors = {
  fetch: 'floor: fetch and parse, fetch, 8 at once',
  http: 'floor: fetch and parse, node:http, 8 at once',
  copy: 'floor: COPY to a temporary table, upsert',
  node: 'floor: node -e 0',
  pg: 'floor: Node, importing pg',
};
const unnest = 'hand-written, unnest by answer';
const rowByRow = 'hand-written, an INSERT a row';
const ours = 'Callsheet';

type Settings = Pick<Bench, 'scale' | 'profile'>;

/** W1: a long client list and a day without campaigns; and the same again. */
export function longList(settings: Settings): Workload {
  const clients = clientsAt(settings.scale, 100_000);
  const title = `${inWords(clients)} clients, pages of ${pageLimit}, 0 ms`;
  return {
    standIn: { clients, campaigns: 0, latencyMs: 0, beforehand: [] },
    passes: [`W1: ${title}`, 'W1 again, nothing changed'],
    contenders: [
      ...loaders(settings, ['run', '--no-digest'], ['--clients'], { clients }),
      fetchFloor('fetch', clients),
      fetchFloor('http', clients),
      {
        name: floors.copy,
        template: 'loaders',
        program: (place) => ownProgram(place, 'floors/copy.ts', [String(clients)]),
        loaded: { query: 'select count(*) as rows from clients', rows: clients },
      },
    ],
    targets: (of, pass) => [
      ratio(`${ours} ÷ unnest`, of(ours), of(unnest).wallMs, pass === 0 ? 1.2 : 1),
      ratio(
        `${ours} ÷ (fetch + COPY alone)`,
        of(ours),
        of(floors.fetch).wallMs + of(floors.copy).workMs!,
        null,
      ),
    ],
  };
}

/** W2: a month of many campaigns, a request a day. */
export function longMonth(settings: Settings): Workload {
  const days = daysBack(30);
  const campaigns = campaignsAt(settings.scale, 5_000);
  const range = ['--from', days[0]!, '--to', days.at(-1)!];
  return {
    standIn: { clients: 0, campaigns, latencyMs: 0, beforehand: days },
    passes: [`W2: 30 days × ${inWords(campaigns)} campaigns, a request a day`],
    contenders: loaders(settings, ['backfill', ...range], range, { campaignDays: 30 * campaigns }),
    targets: (of) => [ratio(`${ours} ÷ unnest`, of(ours), of(unnest).wallMs, 1.4)],
  };
}

/** W3: the long list from a service that takes its time. */
export function slowList(settings: Settings): Workload {
  const clients = clientsAt(settings.scale, 100_000);
  return {
    standIn: { clients, campaigns: 0, latencyMs: 20, beforehand: [] },
    passes: [`W3: ${inWords(clients)} clients, pages of ${pageLimit}, 20 ms`],
    contenders: [
      ...loaders(settings, ['run', '--no-digest'], ['--clients'], { clients }),
      fetchFloor('fetch', clients),
      fetchFloor('http', clients),
    ],
    targets: (of) => [
      ratio(`${ours} ÷ fetch`, of(ours), of(floors.fetch).wallMs, 1.35),
      ratio('the same, alone', of(ours), of(floors.fetch).workMs!, null),
    ],
  };
}

/** W4: a small night, from the start of the process to its end, the digest included. */
export function smallNight(settings: Settings): Workload {
  const [day] = daysBack(1);
  const rows = { clients: 3 * pageLimit, campaignDays: 200 };
  const bare = (name: string, script: string): Contender => ({
    name,
    template: 'loaders',
    program: () => ({ args: ['-e', script], environment: {} }),
  });
  return {
    standIn: { clients: rows.clients, campaigns: rows.campaignDays, latencyMs: 0, beforehand: [day!] },
    passes: ['W4: 3 pages, 1 day of 200 campaigns, a whole process'],
    contenders: [
      ...loaders(settings, ['run'], ['--clients', '--from', day!, '--to', day!], { ...rows, digests: 1 }),
      bare(floors.node, '0'),
      bare(floors.pg, "require('pg')"),
    ],
    targets: (of) => [
      ratio(`${ours} ÷ unnest`, of(ours), of(unnest).wallMs, 3.2),
      { what: `${ours}, peak`, value: of(ours).peakMB, unit: 'MB', atMost: 130 },
    ],
  };
}

type Rows = { readonly clients?: number; readonly campaignDays?: number; readonly digests?: number };

/** Callsheet beside the two loaders that somebody wrote by hand, each with what it must have loaded. */
function loaders(
  { profile }: Settings,
  command: readonly string[],
  args: readonly string[],
  { clients = 0, campaignDays = 0, digests = 0 }: Rows,
): Contender[] {
  const counted = (tables: readonly string[]) =>
    `select ${tables.map((table) => `(select count(*) from ${table})`).join(' + ')} as rows`;
  const sent = `etl.deliveries where state = 'written'`;
  const byHand = (name: string, file: string): Contender => ({
    name,
    template: 'loaders',
    program: (place) => ownProgram(place, file, args),
    loaded: { query: counted(['clients', 'campaign_days']), rows: clients + campaignDays },
  });
  return [
    {
      name: ours,
      template: 'warehouse',
      program: (place) => callsheet(place, command, profile),
      loaded: {
        query: counted(['warehouse.clients', 'warehouse.campaign_days', sent]),
        rows: clients + campaignDays + digests,
      },
    },
    byHand(rowByRow, 'loaders/row-by-row.ts'),
    byHand(unnest, 'loaders/unnest.ts'),
  ];
}

function fetchFloor(by: 'fetch' | 'http', clients: number): Contender {
  const args = ['--by', by === 'http' ? 'node:http' : 'fetch', '--pages', String(clients / pageLimit)];
  return {
    name: floors[by],
    template: 'loaders',
    program: (place: Place) => ownProgram(place, 'floors/fetch.ts', args),
  };
}

function ratio(what: string, one: Measured, otherMs: number, atMost: number | null): Target {
  return { what, value: one.wallMs / otherMs, unit: '×', atMost };
}
