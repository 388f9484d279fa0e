import { type Equivalent, equivalents } from './equivalents.ts';

/** The fields of Stryker's report that are read (mutation-testing-report-schema 3). */
export type Report = {
  readonly files: Readonly<Record<string, { readonly source: string; readonly mutants: readonly Mutant[] }>>;
};

type Position = { readonly line: number; readonly column: number };

export type Mutant = {
  readonly mutatorName: string;
  readonly replacement?: string;
  readonly status:
    | 'Killed'
    | 'Timeout'
    | 'Survived'
    | 'NoCoverage'
    | 'CompileError'
    | 'RuntimeError'
    | 'Ignored';
  /** The mutated code runs while its module loads. */
  readonly static?: boolean;
  readonly location: { readonly start: Position; readonly end: Position };
};

/** The mutants of a file: their number, the killed and the survivors. */
export type FileScore = {
  readonly file: string;
  readonly mutants: number;
  readonly killed: number;
  readonly equivalent: number;
  readonly survivors: readonly Survivor[];
  /** Listed equivalents that match no mutant. */
  readonly outdated: readonly Equivalent[];
};

export type Survivor = Pick<Equivalent, 'line' | 'becomes'> & { readonly at: number };

/** The score of each file in a report. Equivalent mutants don't count. */
export function scoresOf({ files }: Report): FileScore[] {
  return Object.entries(files).map(([file, { source, mutants }]) => {
    const all = mutants.filter(isSurvivor).map((mutant) => survivorOf(source, mutant));
    const known = equivalents.filter((each) => each.file === file);
    const survivors = all.filter((survivor) => !known.some((each) => isSame(each, survivor)));
    const killed = mutants.filter(({ status }) => status === 'Killed' || status === 'Timeout').length;
    return {
      file,
      mutants: killed + survivors.length,
      killed,
      equivalent: all.length - survivors.length,
      survivors,
      outdated: known.filter((each) => !all.some((survivor) => isSame(each, survivor))),
    };
  });
}

export const isSurvivor = ({ status }: Pick<Mutant, 'status'>): boolean =>
  status === 'Survived' || status === 'NoCoverage';

export function scoreOf(scores: readonly Pick<FileScore, 'mutants' | 'killed'>[]): number {
  const sum = (field: 'mutants' | 'killed') => scores.reduce((total, each) => total + each[field], 0);
  return sum('mutants') === 0 ? 100 : (100 * sum('killed')) / sum('mutants');
}

function survivorOf(source: string, { location: { start, end }, replacement = '' }: Mutant): Survivor {
  const lines = source.split('\n');
  const before = lines[start.line - 1]!.slice(0, start.column - 1);
  const after = lines[end.line - 1]!.slice(end.column - 1);
  return {
    at: start.line,
    line: inOneLine(lines.slice(start.line - 1, end.line).join('\n')),
    becomes: inOneLine(before + replacement + after),
  };
}

const inOneLine = (text: string) => text.replaceAll(/\s+/g, ' ').trim();

const isSame = (one: Pick<Equivalent, 'line' | 'becomes'>, other: Pick<Equivalent, 'line' | 'becomes'>) =>
  one.line === other.line && one.becomes === other.becomes;
