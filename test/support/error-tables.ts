import { errorCatalogue } from '../../src/model/errors.ts';
import { exitCodeMeanings } from '../../src/model/exit-code.ts';

const errors = Object.entries(errorCatalogue);

/** Generates the table of exit codes in docs/commands.md from the catalogue of errors. */
export function exitCodeTable(): string {
  const rows = Object.entries(exitCodeMeanings).map(([code, meaning]) => {
    const names = errors
      .filter(([, { exitCode }]) => exitCode === Number(code))
      .map(([name]) => `\`${name}\``);
    return [code, meaning, names.join(', ')];
  });
  const interrupted = 'interrupted: what was in progress has ended in order; the same command goes on';
  return table(['exit code', 'means', 'errors that end in it'], [...rows, ['130, 143', interrupted, '']]);
}

/** Generates the table of errors in docs/operations.md from the same catalogue. */
export function errorTable(): string {
  const rows = errors.map(([name, { summary, advice, retryable }]) => [
    `\`${name}\``,
    summary,
    advice,
    retryable ? 'yes' : '',
  ]);
  return table(['error', 'means', 'what to do', 'retried automatically'], rows);
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`.replaceAll('|  |', '| |');
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}

export function withTable(document: string, replacement: string): string {
  const [head] = replacement.split('\n', 1);
  const begins = document.indexOf(`\n${head}\n`) + 1;
  if (begins === 0) throw new Error(`no table that begins with ${head}`);
  const ends = document.indexOf('\n\n', begins);
  return `${document.slice(0, begins)}${replacement}${document.slice(ends)}`;
}
