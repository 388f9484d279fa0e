import { parseArgs } from 'node:util';

export const partNames = ['W1', 'W2', 'W3', 'W4', 'archive', 'memory', 'bi'] as const;
export type PartName = (typeof partNames)[number];

/** All but `bi`, which writes some ten gigabytes. */
const standard = partNames.filter((name) => name !== 'bi');

export type Options = {
  readonly only: readonly PartName[];
  readonly runs: number;
  /** Share of the real size, for a try. */
  readonly scale: number;
  readonly years: number;
  readonly explain: boolean;
  readonly json: boolean;
  /** Whether the tables replace those of the README. */
  readonly write: boolean;
  /** Folder in which the database outlasts the bench. */
  readonly keep: string | null;
  /** Address of a server to use instead of a private one. */
  readonly server: string | null;
  /** Folder for CPU profiles of Callsheet's processes. */
  readonly profile: string | null;
};

export const usage = `npm run bench -- [options]
  --only A,B      of ${partNames.join(', ')}; without it all but bi
  --runs N        measurements of each program, of which the medians are told (3)
  --scale F       share of the real size, for a try (1)
  --years N       years of the warehouse that bi fills (3)
  --explain       with bi: the plans of the queries
  --json          the figures as JSON
  --write         put the tables into bench/README.md
  --keep DIR      keep the database there, so that bi needn't fill it again
  --server URL    use this server, by the address of a role that may create databases
  --profile DIR   write CPU profiles of Callsheet's processes there`;

/** Reads the command line; throws an Error that says what is wrong with it. */
export function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string' },
      runs: { type: 'string' },
      scale: { type: 'string' },
      years: { type: 'string' },
      explain: { type: 'boolean' },
      json: { type: 'boolean' },
      write: { type: 'boolean' },
      keep: { type: 'string' },
      server: { type: 'string' },
      profile: { type: 'string' },
    },
  });
  return {
    only: values.only?.split(',').map(partName) ?? standard,
    runs: positive('--runs', values.runs, 3),
    scale: positive('--scale', values.scale, 1),
    years: positive('--years', values.years, 3),
    explain: values.explain === true,
    json: values.json === true,
    write: values.write === true,
    keep: values.keep ?? null,
    server: values.server ?? null,
    profile: values.profile ?? null,
  };
}

function partName(text: string): PartName {
  const name = partNames.find((each) => each.toLowerCase() === text.trim().toLowerCase());
  if (name === undefined) throw new Error(`--only ${text}: there are ${partNames.join(', ')}`);
  return name;
}

function positive(name: string, text: string | undefined, standard: number): number {
  const value = text === undefined ? standard : Number(text);
  if (value > 0 && Number.isFinite(value)) return value;
  throw new Error(`${name} ${text}: not a number above 0`);
}
