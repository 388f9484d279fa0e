/** Folds rows that have the same key into the first of them; few rows are not folded. */
export function foldAlike<Row>(
  rows: readonly Row[],
  keyOf: (row: Row) => unknown,
  fold: (first: Row, others: readonly Row[]) => Row,
): Row[] {
  if (rows.length <= maxUnfolded) return [...rows];
  const alike = Map.groupBy(rows, (row) => JSON.stringify(keyOf(row)));
  return [...alike.values()].map(([first, ...others]) =>
    others.length === 0 ? first! : fold(first!, others),
  );
}

const maxUnfolded = 12;
