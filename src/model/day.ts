/** A calendar day, `YYYY-MM-DD`, in the zone of the account it belongs to. Sorts as text. */
export type Day = string;

/** Returns whether `text` is a real calendar day in ISO form: `2026-02-30` isn't, nor is `2026-2-3`. */
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

/** Every day from `from` to `to`, both included; none if `to` is earlier. */
export function daysBetween(from: Day, to: Day): Day[] {
  const days: Day[] = [];
  for (let day = from; day <= to; day = addDays(day, 1)) days.push(day);
  return days;
}

/** The calendar day that `now` falls on in `timeZone`. */
export function today(now: Temporal.Instant, timeZone: string): Day {
  return now.toZonedDateTimeISO(timeZone).toPlainDate().toString();
}

/** The calendar day before today in `timeZone`: what a nightly run is about. */
export function yesterday(now: Temporal.Instant, timeZone: string): Day {
  return addDays(today(now, timeZone), -1);
}

/** 1 for Monday to 7 for Sunday. */
export const weekdayOf = (day: Day): number => Temporal.PlainDate.from(day).dayOfWeek;

/** Returns whether `day` has ended in `timeZone`. A response fetched before that is provisional. */
export function isOver(day: Day, timeZone: string, now: Temporal.Instant): boolean {
  const end = Temporal.PlainDate.from(addDays(day, 1)).toZonedDateTime(timeZone);
  return Temporal.Instant.compare(end.toInstant(), now) <= 0;
}
