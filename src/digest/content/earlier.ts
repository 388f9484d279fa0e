import type { AccountTotals, DigestFigures, EarlierPeriod } from '../../model/digest.ts';
import type { Format } from '../format.ts';
import type { Row, Table } from './content.ts';
import { periodWords } from './period-words.ts';
import { hasFigures, lackingAccounts, provisionalAccounts, sumUp } from './totals.ts';

/** The earlier periods and the corrections that the mail brings along; null if there are none. */
export function earlierTable({ earlier }: Pick<DigestFigures, 'earlier'>, format: Format): Table | null {
  if (earlier.length === 0) return null;
  const { columns, earlier: heading } = format.words.tables;
  return {
    heading,
    note: null,
    columns: [columns.period, columns.attempts, columns.connected],
    rows: earlier.map((each) => earlierRow(each, format)),
  };
}

/** The figures from → to if the period was mailed before. */
function earlierRow(each: EarlierPeriod, format: Format): Row {
  const now = figuresOf(each.accounts, format);
  const before = each.before === null ? now : figuresOf(each.before, format);
  return {
    title: periodWords(each.period, format).short,
    under: marksOf(each, format).join(', ') || null,
    cells: now.map((figure, column) =>
      before[column] === figure ? figure : `${before[column]} → ${figure}`,
    ),
  };
}

function figuresOf(accounts: readonly AccountTotals[], format: Format): string[] {
  const { attempts, rates } = sumUp(accounts);
  return [format.count(attempts), format.rate(rates.connects)];
}

function marksOf(each: EarlierPeriod, { words }: Format): string[] {
  if (!each.accounts.some(hasFigures)) return [words.notLoaded];
  const marks = [
    each.before === null ? null : words.corrected,
    lackingAccounts(each).length === 0 ? null : words.incompleteDay,
    provisionalAccounts(each).length === 0 ? null : words.provisionalDay,
  ];
  return marks.filter((mark) => mark !== null);
}
