/** A calendar day, `YYYY-MM-DD`, in the zone of the account it belongs to. Sorts as text. */
export type Day = string;

/** Whether `text` is a real calendar day in ISO form: `2026-02-30` isn't, nor is `2026-2-3`. */
export function isDay(text: string): text is Day {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  try {
    Temporal.PlainDate.from(text, { overflow: 'reject' });
    return true;
  } catch {
    return false;
  }
}

/** The day `count` days after (before, if negative) `day`. */
export function addDays(day: Day, count: number): Day {
  return Temporal.PlainDate.from(day).add({ days: count }).toString();
}
