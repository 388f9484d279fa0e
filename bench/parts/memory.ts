import { callsheet, callsheetOf } from '../programs.ts';
import type { Section, Target } from '../report.ts';
import { campaignsAt, clientsAt, daysBack, inWords } from './sizes.ts';
import { type Bench, measureWorkload, type Workload } from './workload.ts';

const accounts = ['north', 'south', 'east'].map((name) => ({ name }));

/** Whether the peak stays where it is when the work is ten times as much. */
export async function measureMemory(bench: Bench): Promise<Section[]> {
  const [tenth, whole] = [100_000, 1_000_000].map((clients) => walk(bench, clientsAt(bench.scale, clients)));
  const [month, year] = [36, 365].map((days) => history(bench, days));
  return [
    await compare(bench, 'Memory: a walk over the client list', tenth!, whole!),
    await compare(bench, 'Memory: a backfill of 3 accounts', month!, year!),
  ];
}

async function compare(bench: Bench, title: string, one: Workload, tenfold: Workload): Promise<Section> {
  const lines: Section['lines'][number][] = [];
  for (const workload of [one, tenfold]) {
    const [took] = await measureWorkload(bench, workload);
    lines.push({ what: workload.passes[0]!, figures: took!.get('Callsheet')! });
  }
  const [less, more] = lines.map(({ figures }) => figures.peakMB!);
  const targets: Target[] = [
    { what: 'peak ÷ peak of a tenth', value: more! / less!, unit: '×', atMost: 1.25 },
    { what: 'peak', value: more!, unit: 'MB', atMost: 200 },
  ];
  return { title, lines, targets };
}

function walk({ profile }: Bench, clients: number): Workload {
  return {
    standIn: { clients, campaigns: 0, latencyMs: 0, beforehand: null },
    passes: [`${inWords(clients)} clients`],
    contenders: [
      {
        name: 'Callsheet',
        template: 'warehouse',
        program: (place) => callsheet(place, ['run', '--no-digest'], profile),
        loaded: { query: 'select count(*) as rows from warehouse.clients', rows: clients },
      },
    ],
  };
}

function history({ scale, profile }: Bench, count: number): Workload {
  const days = daysBack(count);
  const campaigns = campaignsAt(scale, 1_000);
  const command = ['backfill', '--from', days[0]!, '--to', days.at(-1)!];
  return {
    standIn: { clients: 0, campaigns, latencyMs: 0, beforehand: null },
    passes: [`${count} days × ${accounts.length} accounts × ${inWords(campaigns)} campaigns`],
    contenders: [
      {
        name: 'Callsheet',
        template: 'warehouse',
        program: (place) => callsheetOf(accounts, place, command, profile),
        loaded: {
          query: 'select count(*) as rows from warehouse.campaign_days',
          rows: count * accounts.length * campaigns,
        },
      },
    ],
  };
}
