/** ` (did you mean coast?)` where one of the known names is a letter or two away, else nothing. */
export function didYouMean(name: string, known: readonly string[]): string {
  const meant = nearMiss(name, known);
  return meant === undefined ? '' : ` (did you mean ${meant}?)`;
}

/** The known name that another one is probably a misspelling of: the longer, the more letters may be wrong. */
export function nearMiss(name: string, known: readonly string[]): string | undefined {
  const written = name.toLowerCase();
  return known.find((each) => isWithinEdits(written, each.toLowerCase(), editsIn(each)));
}

function editsIn({ length }: string): number {
  if (length < 3) return 0;
  return length < 8 ? 1 : 2;
}

/** Whether at most so many letters added, lost, replaced, or swapped with their neighbour turn one name into the other. */
export function isWithinEdits(one: string, other: string, edits: number): boolean {
  if (one === other) return true;
  if (edits === 0) return false;
  const [rest, otherRest] = [one.slice(1), other.slice(1)];
  if (one[0] === other[0]) return isWithinEdits(rest, otherRest, edits);
  const swapped = one[0] === other[1] && one[1] === other[0];
  return (
    isWithinEdits(rest, other, edits - 1) ||
    isWithinEdits(one, otherRest, edits - 1) ||
    isWithinEdits(rest, otherRest, edits - 1) ||
    (swapped && isWithinEdits(rest.slice(1), otherRest.slice(1), edits - 1))
  );
}
