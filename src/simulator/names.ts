import type { Purpose } from './campaigns.ts';

/** Invented and real towns, some with accents, dashes, and apostrophes of both kinds. */
export const TOWNS = `
  Alder Creek, Arcadia, Ashby, Bellmont, Brookside, Cedar Falls, Clayton, Coeur d’Alene, Dunmore, Eastlake,
  Fairview, Fort Hale, Glenwood, Greenville, Hanover, Harlan, Jonesboro, Kingsley, La Cañada, Linden,
  Maplewood, Marion, Montréal-Est, Newark, Oakdale, O'Fallon, Peñasco, Pine Bluff, Ponce, Quincy,
  Riverton, Roanoke, St. Anne, Salem, Springdale, Tempe, Union City, Val-d’Été, Westfield, Winston-Salem
`
  .trim()
  .split(/,\s+/);

const PURPOSE_PATTERNS: readonly Purpose[] = [
  ['{town} flu shots', 'health', 5],
  ['{town} PTA: "Book Fair", gym, 6 pm', 'school', 5],
  ['"Zero down" weekend – {town}', 'dealership', 6],
  ['Get out the vote 🗳️ {town}', 'poll', 7],
  ['=OUTAGE-7 {town}', 'utility', 5],
  ['{town} Hardware & Sons, past due', 'billing', 5],
  ['Noël à {town} ❄️', 'charity', 5],
  ['Encuesta de satisfacción – {town}', 'survey', 5],
];

const CLIENT_PATTERNS = [
  '{town} Hardware & Sons',
  '{town} School District',
  'St. Mary’s Academy {town}',
  'Yost, Ortiz & Partners {town}',
  '"Big Al" Motors {town}',
  'Clínica Familiar {town}',
  '🐾 {town} Animal Shelter',
  '=1+1 Marketing {town}',
];

/** Purposes of the campaigns that end. */
export const PURPOSES = PURPOSE_PATTERNS.flatMap(([pattern, ...purpose]) =>
  inTowns(pattern).map((name): Purpose => [name, ...purpose]),
);

export const CLIENT_NAMES = CLIENT_PATTERNS.flatMap((pattern) =>
  ['{town}', '{town} Heights', '{town} Mills', '{town} Park'].flatMap((place) =>
    inTowns(pattern.replace('{town}', place)),
  ),
);

function inTowns(pattern: string): string[] {
  return TOWNS.map((town) => pattern.replace('{town}', town));
}
