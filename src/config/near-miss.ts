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
