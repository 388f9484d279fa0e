import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { query } from './server.ts';

/** Writes the plan of each statement of `work` to a folder, the longest one first. */
export async function withPlans(url: string, folder: string, work: () => Promise<unknown>): Promise<void> {
  const plans = await plansOf(url, work);
  await mkdir(folder, { recursive: true });
  for (const [index, { times, ms, rows, buffers, longest }] of plans.entries()) {
    const file = `${String(index + 1).padStart(2, '0')}-${Math.round(ms)}ms.txt`;
    await writeFile(
      path.join(folder, file),
      `${times} times, ${ms.toFixed(1)} ms, ${rows} rows and ${buffers} buffers read; the longest:\n\n${longest}`,
    );
  }
}

/** Returns the plans of the statements of `work`, the longest one first. It reads the log of the bench's own server. */
export async function plansOf(url: string, work: () => Promise<unknown>): Promise<Plan[]> {
  const [{ length }] = await query(url, `select length(pg_read_file('server.log'))`);
  await query(url, explained(Object.entries(autoExplain).map(([name, value]) => `set ${name} = ${value}`)));
  await work();
  await query(url, explained(Object.keys(autoExplain).map((name) => `reset ${name}`)));
  const [{ log }] = await query(url, `select substr(pg_read_file('server.log'), ${length + 1}) as log`);
  return plansIn(log);
}

const autoExplain = {
  session_preload_libraries: 'auto_explain',
  'auto_explain.log_min_duration': 0,
  'auto_explain.log_analyze': 'on',
  'auto_explain.log_buffers': 'on',
  // What foreign keys read.
  'auto_explain.log_nested_statements': 'on',
};

const explained = (settings: readonly string[]) => `
  do $$
  begin
    ${settings.map((setting) => `execute format('alter database %I ${setting}', current_database());`).join('\n')}
  end $$`;

/** All executions of a statement. */
export type Plan = {
  readonly statement: string;
  times: number;
  ms: number;
  rows: number;
  buffers: number;
  longestMs: number;
  longest: string;
};

/** Finds the statements in a log of auto_explain, each once, with its longest plan. */
function plansIn(log: string): Plan[] {
  const plans = new Map<string, Plan>();
  for (const entry of log.split(/^(?=\S)/m)) {
    const [, duration, text] = /LOG: {2}duration: ([\d.]+) ms {2}plan:\n(.*)/s.exec(entry) ?? [];
    if (text === undefined) continue;
    const plan = text.replaceAll(/^\t/gm, '');
    const [statement] = plan.split(/^.*\(cost=|^Query Parameters: /m, 1);
    const ms = Number(duration);
    const known = plans.get(statement!) ?? {
      times: 0,
      ms: 0,
      rows: 0,
      buffers: 0,
      longestMs: 0,
      longest: plan,
    };
    plans.set(statement!, {
      statement: statement!,
      times: known.times + 1,
      ms: known.ms + ms,
      rows: known.rows + rowsRead(plan),
      buffers: known.buffers + buffersRead(plan),
      longestMs: Math.max(known.longestMs, ms),
      longest: ms > known.longestMs ? plan : known.longest,
    });
  }
  return [...plans.values()].toSorted((one, other) => other.ms - one.ms);
}

/** Blocks of tables and indexes that a plan read, in memory or not: its first node counts those of all others. */
function buffersRead(plan: string): number {
  const [, buffers = ''] = /^ {2}Buffers: shared (.*)$/m.exec(plan) ?? [];
  return [...buffers.matchAll(/(?:hit|read)=(\d+)/g)].reduce(
    (total, [, blocks]) => total + Number(blocks),
    0,
  );
}

/** Rows that the scans of a plan read, those included that a condition then left out. */
function rowsRead(plan: string): number {
  let rows = 0;
  let loops = 0;
  for (const line of plan.split('\n')) {
    if (line.includes('(cost=')) {
      const [, found = 0, times = 0] = tableScan.exec(line) ?? [];
      loops = Number(times);
      rows += Number(found) * loops;
    }
    rows += Number(/Rows Removed by .*: (\d+)/.exec(line)?.[1] ?? 0) * loops;
  }
  return Math.round(rows);
}

/** A scan of a table; the rows of a bitmap are read by its heap scan. */
const tableScan =
  /(?:(?<!Bitmap )(?:Seq|Index|Only|Tid)|Heap) Scan .*\(actual time=\S+ rows=([\d.]+) loops=(\d+)\)/;
