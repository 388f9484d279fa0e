import { closestMatch } from 'leven';

/** Returns ` (did you mean coast?)` if a known name is a letter or two away, else an empty text. */
export function didYouMean(name: string, known: readonly string[]): string {
  const meant = nearest(name, known);
  return meant === undefined ? '' : ` (did you mean ${meant}?)`;
}

/** Returns the known text that is nearest to another, however far; undefined if none is known. */
export const closest = (text: string, known: readonly string[]): string | undefined =>
  closestMatch(text, known);

/** Returns the known name that `name` probably misspells: half of its letters may be wrong, two at most. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const inLowerCase = known.map((each) => each.toLowerCase());
  const maxDistance = Math.min(2, Math.floor(name.length / 2));
  const match = closestMatch(name.toLowerCase(), inLowerCase, { maxDistance });
  return match === undefined ? undefined : known[inLowerCase.indexOf(match)];
}
