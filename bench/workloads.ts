import { formatCount } from '../src/support/english.ts';
import { pageLimit } from './fixed-responses.ts';
import { callsheet, program } from './measure.ts';
import { type Figures, ratio, type Target } from './tables.ts';
import {
  type Bench,
  type Contender,
  daysBack,
  profiling,
  scaled,
  scaledClients,
  type Workload,
} from './workload.ts';

const ours = 'Callsheet';
const unnest = 'hand-written, unnest by response';
const floors = {
  fetch: 'floor: fetch and parse, fetch, 8 at once',
  http: 'floor: fetch and parse, node:http, 8 at once',
  copy: 'floor: COPY to a temporary table, upsert',
  archive: 'floor: archive alone',
  packages: 'floor: Node, importing what a run needs',
};

const peak = ({ peakMB }: Figures, atMost: number): Target => ({
  what: `${ours}, peak`,
  value: peakMB!,
  unit: 'MB',
  atMost,
});

/** W1: a long client list and a day without campaigns, then the same again. */
export function longList(bench: Bench): Workload {
  const clients = scaledClients(bench, 100_000);
  return {
    service: { clients },
    passes: [`W1: ${formatCount(clients)} clients, pages of ${pageLimit}, 0 ms`, 'W1 again, nothing changed'],
    contenders: [
      ...listContenders(bench, clients),
      { name: floors.copy, args: program('floor-copy.ts', String(clients)), loads: clients },
    ],
    targets: (of, pass) => [
      ratio(`${ours} ÷ unnest`, of(ours).wallMs!, of(unnest).wallMs!, pass === 0 ? 1.45 : 1.15),
      ratio(
        'Callsheet ÷ (fetch + COPY alone)',
        of(ours).wallMs!,
        of(floors.fetch).wallMs! + of(floors.copy).workMs!,
      ),
      peak(of(ours), 220),
    ],
  };
}

/** W2: a month with many campaigns, one request for each day. */
export function longMonth(bench: Bench): Workload {
  const days = daysBack(30);
  const campaigns = scaled(bench, 5_000);
  const range = ['--from', days[0]!, '--to', days.at(-1)!];
  return {
    service: { campaigns, days },
    passes: [`W2: 30 days × ${formatCount(campaigns)} campaigns, a request a day`],
    contenders: loaders(bench, ['backfill', ...range], range, 30 * campaigns),
    targets: (of) => [ratio(`${ours} ÷ unnest`, of(ours).wallMs!, of(unnest).wallMs!, 1.95)],
  };
}

/** W3: the long list from a slow service. */
export function slowList(bench: Bench): Workload {
  const clients = scaledClients(bench, 100_000);
  return {
    service: { clients, latencyMs: 20 },
    passes: [`W3: ${formatCount(clients)} clients, pages of ${pageLimit}, 20 ms`],
    contenders: listContenders(bench, clients),
    targets: (of) => [
      ratio(`${ours} ÷ fetch`, of(ours).wallMs!, of(floors.fetch).wallMs!, 1.25),
      ratio('the same, alone', of(ours).wallMs!, of(floors.fetch).workMs!),
    ],
  };
}

/** The packages of requests and database, and all others that a run imports. */
const corePackages = ['pg', 'kysely', 'ky', 'zod'];
const otherPackages = [
  'pino',
  'commander',
  'node-cron',
  'nodemailer/lib/mail-composer',
  'nodemailer/lib/smtp-connection',
  'csv-stringify/sync',
];
const importing = (packages: readonly string[]) => [
  '--eval',
  packages.map((name) => `import('${name}')`).join(),
];

/** W4: a small run, from the start of the process to its end, digest included. */
export function smallNight(bench: Bench): Workload {
  const [day] = daysBack(1) as [string];
  return {
    service: { clients: 300, campaigns: 200, days: [day] },
    passes: ['W4: 3 pages, 1 day of 200 campaigns, a whole process'],
    contenders: [
      ...loaders(bench, ['run'], ['--clients', '--from', day, '--to', day], 500, 1),
      { name: 'floor: node -e 0', args: ['-e', '0'] },
      { name: 'floor: Node, importing pg', args: importing(['pg']) },
      { name: 'floor: Node, importing pg, kysely, ky, zod', args: importing(corePackages) },
      { name: floors.packages, args: importing([...corePackages, ...otherPackages]) },
    ],
    targets: (of) => [
      ratio(`${ours} ÷ unnest`, of(ours).wallMs!, of(unnest).wallMs!, 3),
      ratio('its packages alone ÷ unnest', of(floors.packages).wallMs!, of(unnest).wallMs!),
      ratio(
        `${ours} ÷ (its packages alone + unnest)`,
        of(ours).wallMs!,
        of(floors.packages).wallMs! + of(unnest).wallMs!,
      ),
      peak(of(ours), 158),
    ],
  };
}

/** The archive's share of Callsheet's time and disk, in W1 and in W2. */
export const archive = {
  ofList: (bench: Bench) =>
    shareOfArchive(longList(bench), 'W1', 'getClients', scaledClients(bench, 100_000)),
  ofMonth: (bench: Bench) =>
    shareOfArchive(longMonth(bench), 'W2', 'campaignSummary', scaled(bench, 5_000), daysBack(30)),
};

function shareOfArchive(
  { service, contenders }: Workload,
  name: string,
  operation: string,
  rows: number,
  days: readonly string[] = [],
): Workload {
  const args = program('floor-archive.ts', operation, String(rows), ...days);
  return {
    service,
    passes: [`Archive: the responses of ${name}`],
    contenders: [contenders[0]!, { name: floors.archive, args }],
    targets: (of) => [
      ratio('time of the archive alone ÷ the whole', of(floors.archive).workMs!, of(ours).wallMs!),
      ratio('archive ÷ all, on disk', of(floors.archive).bytes!, of(ours).bytes!),
    ],
  };
}

export const memory = {
  ofWalk: (bench: Bench): Workload => {
    const clients = scaledClients(bench, 100_000);
    const contenders = [clients, 10 * clients].map((count) => ({
      ...callsheetLoads(bench, ['run', '--no-digest'], count),
      name: `${formatCount(count)} clients`,
      service: { clients: count },
    }));
    return {
      service: {},
      passes: ['Memory: a walk over the client list'],
      ...comparingPeaks(contenders, 380),
    };
  },
  ofBackfill: (bench: Bench): Workload => {
    const accounts = ['north', 'south', 'east'].map((name) => ({ name }));
    const campaigns = scaled(bench, 1_000);
    const contenders = [36, 365].map((days) => {
      const command = ['backfill', '--from', daysBack(days)[0]!, '--to', daysBack(1)[0]!];
      const name = `${days} days × ${accounts.length} accounts × ${formatCount(campaigns)} campaigns`;
      return { ...callsheetLoads(bench, command, days * accounts.length * campaigns), name };
    });
    const passes = [`Memory: a backfill of ${accounts.length} accounts`];
    return { service: { campaigns }, accounts, passes, ...comparingPeaks(contenders, 290) };
  },
  /** Each nearly as large as a response may be; the limit is that of `deploy`. */
  ofLargeResponses: (bench: Bench): Workload => {
    const accounts = Array.from({ length: 8 }, (_, index) => ({ name: `office-${index + 1}` }));
    const campaigns = scaled(bench, 88_000);
    const contender = callsheetLoads(bench, ['run', '--no-digest'], accounts.length * campaigns);
    return {
      service: { campaigns },
      accounts,
      passes: [`Memory: ${accounts.length} responses of ${formatCount(campaigns)} campaigns at once`],
      contenders: [contender],
      targets: (of) => [peak(of(ours), 536)],
    };
  },
};

function comparingPeaks(
  contenders: readonly Contender[],
  atMost: number,
): Pick<Workload, 'contenders' | 'targets'> {
  const [tenth, whole] = contenders.map(({ name }) => name) as [string, string];
  return {
    contenders,
    targets: (of) => [
      ratio('peak ÷ peak of a tenth', of(whole).peakMB!, of(tenth).peakMB!, 1.3),
      peak(of(whole), atMost),
    ],
  };
}

/** Callsheet and the two hand-written loaders; `digests` is the number that only Callsheet writes. */
function loaders(bench: Bench, command: string[], args: string[], rows: number, digests = 0): Contender[] {
  const byHand = (name: string, way: string): Contender => ({
    name,
    args: program('loaders.ts', way, ...args),
    loads: rows,
  });
  return [
    callsheetLoads(bench, command, rows + digests),
    byHand('hand-written, an INSERT a row', 'row-by-row'),
    byHand(unnest, 'unnest'),
  ];
}

function callsheetLoads(bench: Bench, command: string[], rows: number): Contender {
  return {
    name: ours,
    args: [...profiling(bench), ...callsheet(...command)],
    loads: rows,
  };
}

function listContenders(bench: Bench, clients: number): Contender[] {
  const fetchFloor = (by: 'fetch' | 'http') => ({
    name: floors[by],
    args: program('floor-fetch.ts', by, String(clients / pageLimit)),
  });
  const byLoaders = loaders(bench, ['run', '--no-digest'], ['--clients'], clients);
  return [...byLoaders, fetchFloor('fetch'), fetchFloor('http')];
}
