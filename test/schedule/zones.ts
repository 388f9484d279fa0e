/** Zones that change their clocks by an hour, half an hour, over midnight, over a day, or never. */
export const zones = [
  'UTC',
  'America/New_York',
  'America/Havana',
  'America/Santiago',
  'America/St_Johns',
  'Australia/Lord_Howe',
  'Africa/Cairo',
  'Africa/Casablanca',
  'Pacific/Apia',
  'Europe/Berlin',
  'Europe/Madrid',
  'Asia/Kathmandu',
  'Asia/Kolkata',
];

/** When the clocks of a zone change in the years 2006 to 2030. */
export function clockChanges(timeZone: string): Temporal.ZonedDateTime[] {
  const changes: Temporal.ZonedDateTime[] = [];
  let change = Temporal.ZonedDateTime.from(`2006-01-01T00:00[${timeZone}]`).getTimeZoneTransition('next');
  while (change !== null && change.year <= 2030) {
    changes.push(change);
    change = change.getTimeZoneTransition('next');
  }
  return changes;
}
