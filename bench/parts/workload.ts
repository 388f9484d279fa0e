import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Measured, measure, median, medians, type Program } from '../measure.ts';
import type { Options } from '../options.ts';
import type { Place } from '../programs.ts';
import type { Section, Target } from '../report.ts';
import { query, type Server, type Template } from '../server.ts';
import type { StandInOptions } from '../stand-in.ts';
import { startStandIn } from '../start-stand-in.ts';
import { measureWritten, type Written } from './written.ts';

/** What every part of the bench is given. */
export type Bench = Pick<Options, 'runs' | 'scale' | 'years' | 'explain' | 'profile'> & {
  readonly server: Server;
  /** Tells how far it has come. */
  readonly say: (text: string) => void;
};

/** A program that does the work, or a part of it, or nothing: what it is compared by. */
export type Contender = {
  readonly name: string;
  /** What its database holds when it starts. */
  readonly template: Template;
  readonly program: (place: Place) => Program | Promise<Program>;
  /** A query for how many rows it has loaded, and how many there must be: nobody is fast who does nothing. */
  readonly loaded?: { readonly query: string; readonly rows: number };
};

export type Workload = {
  readonly standIn: StandInOptions;
  readonly contenders: readonly Contender[];
  /** A title for each pass over one database: a second pass finds everything loaded. */
  readonly passes: readonly string[];
  readonly targets?: (of: (contender: string) => Measured, pass: number) => readonly Target[];
};

/** What each contender took, and what it wrote. */
export type Results = ReadonlyMap<string, Measured & Written>;

/** Measures a workload and tells it as a section for each pass. */
export async function reportWorkload(bench: Bench, workload: Workload): Promise<Section[]> {
  const results = await measureWorkload(bench, workload);
  return results.map((took, index) => ({
    title: workload.passes[index]!,
    lines: [...took].map(([what, figures]) => ({ what, figures })),
    targets: workload.targets?.((name) => took.get(name)!, index) ?? [],
  }));
}

/** Measures each contender `runs` times, in turn, each time with a fresh database; gives the medians by pass. */
export async function measureWorkload(bench: Bench, workload: Workload): Promise<Results[]> {
  const standIn = await startStandIn(workload.standIn);
  try {
    const measured = workload.passes.map(() => new Map<string, (Measured & Written)[]>());
    for (let run = 1; run <= bench.runs; run++) {
      for (const contender of workload.contenders) {
        const passes = await measurePasses(bench, workload, contender, standIn.url);
        for (const [index, took] of passes.entries()) {
          const { name } = contender;
          measured[index]!.set(name, [...(measured[index]!.get(name) ?? []), took]);
          bench.say(`${workload.passes[index]}, ${run}/${bench.runs}: ${name} ${took.wallMs.toFixed(0)} ms`);
        }
      }
    }
    return measured.map(
      (pass) =>
        new Map([...pass].map(([name, took]) => [name, { ...medians(took), ...mediansWritten(took) }])),
    );
  } finally {
    await standIn.stop();
  }
}

async function measurePasses(
  { server }: Bench,
  { passes }: Workload,
  { template, program, loaded }: Contender,
  serviceUrl: string,
): Promise<(Measured & Written)[]> {
  const folder = await mkdtemp(path.join(tmpdir(), 'callsheet-bench-'));
  try {
    return await server.withDatabase(template, async (databaseUrl) => {
      const measured: (Measured & Written)[] = [];
      for (const _ of passes) {
        const begun = await program({ serviceUrl, databaseUrl, folder });
        const { result, written } = await measureWritten(databaseUrl, () => measure(begun));
        measured.push({ ...result, ...written });
        if (loaded) await requireRows(databaseUrl, loaded);
      }
      return measured;
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function requireRows(url: string, loaded: NonNullable<Contender['loaded']>): Promise<void> {
  const [row] = await query<{ rows: string }>(url, loaded.query);
  if (Number(row!.rows) !== loaded.rows)
    throw new Error(`${row!.rows} rows instead of ${loaded.rows}: ${loaded.query}`);
}

function mediansWritten(each: readonly Written[]): Written {
  const of = (pick: (one: Written) => number) => median(each.map(pick));
  return { rows: of((one) => one.rows), bytes: of((one) => one.bytes), walBytes: of((one) => one.walBytes) };
}
