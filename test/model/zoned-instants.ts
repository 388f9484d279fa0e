import fc from 'fast-check';

/** Zones with every kind of oddity: half and quarter hours, date-line jumps, DST at midnight or by half an hour. */
export const zones = [
  'UTC',
  'America/New_York',
  'America/St_Johns',
  'America/Sao_Paulo',
  'America/Havana',
  'America/Asuncion',
  'America/Nuuk',
  'Africa/Casablanca',
  'Africa/Cairo',
  'Atlantic/Azores',
  'Europe/Madrid',
  'Europe/London',
  'Asia/Beirut',
  'Asia/Gaza',
  'Asia/Tehran',
  'Asia/Kathmandu',
  'Asia/Kolkata',
  'Asia/Tokyo',
  'Antarctica/Troll',
  'Australia/Eucla',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'Pacific/Chatham',
  'Pacific/Kiritimati',
  'Etc/GMT+12',
] as const;

type ZonedInstant = { readonly zone: string; readonly now: Temporal.Instant };

// From 2011 on: until then a zone (St John's) set its clocks back over midnight, so that a day came twice.
const first = Date.UTC(2011, 0, 1);
const last = Date.UTC(2040, 0, 1);
const hour = 3_600_000;

const zone = fc.constantFrom(...zones);
const anyInstant = fc.integer({ min: first, max: last });
const nearby = fc.oneof(fc.integer({ min: -26 * hour, max: 26 * hour }), fc.integer({ min: -2, max: 2 }));

/** Instants around the next change of the zone's clocks. */
const aroundChange = fc.tuple(zone, anyInstant, nearby).map(([zone, start, shift]): ZonedInstant => {
  const from = Temporal.Instant.fromEpochMilliseconds(start).toZonedDateTimeISO(zone);
  const change = from.getTimeZoneTransition('next')?.epochMilliseconds ?? start;
  return { zone, now: Temporal.Instant.fromEpochMilliseconds(Math.min(change, last) + shift) };
});

/** Instants around the ends of months and years, leap days included. */
const aroundMonthEnd = fc
  .tuple(zone, fc.integer({ min: 2011, max: 2039 }), fc.constantFrom(1, 2, 3, 4, 11, 12), nearby)
  .map(([zone, year, month, shift]): ZonedInstant => {
    const end = Temporal.PlainDate.from({ year, month, day: 31 }).add({ days: 1 }).toZonedDateTime(zone);
    return { zone, now: Temporal.Instant.fromEpochMilliseconds(end.epochMilliseconds + shift) };
  });

const anywhen = fc
  .tuple(zone, anyInstant)
  .map(([zone, at]): ZonedInstant => ({ zone, now: Temporal.Instant.fromEpochMilliseconds(at) }));

/** A zone and an instant, mostly around the edges of its days. */
export const zonedInstant: fc.Arbitrary<ZonedInstant> = fc.oneof(anywhen, aroundChange, aroundMonthEnd);

const formats = new Map<string, Intl.DateTimeFormat>(
  zones.map((timeZone) => [
    timeZone,
    new Intl.DateTimeFormat('en-US-u-ca-iso8601-nu-latn', {
      timeZone,
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
    }),
  ]),
);

/** The calendar day in one of the zones by Intl: another reckoning than Temporal's, for comparison. */
export function dayByIntl(epochMilliseconds: number, zone: string): string {
  const parts = formats.get(zone)!.formatToParts(epochMilliseconds);
  const part = (type: string) => parts.find((each) => each.type === type)?.value;
  return `${part('year')}-${part('month')}-${part('day')}`;
}
