/** The days of the week on which a campaign calls: Monday to Friday, to Saturday, or every day. */
export type Rhythm = 'weekdays' | 'six-days' | 'daily';

/** A line of work: its campaigns' names and the days on which it may call. */
export type CampaignKind = {
  readonly category: string;
  readonly rhythm: Rhythm;
  /** Templates over `{town}`, `{month}`, `{year}` and `{wave}`. */
  readonly names: readonly string[];
};

/** Campaigns that start and end. */
export const PASSING_KINDS: readonly CampaignKind[] = [
  {
    category: 'health',
    rhythm: 'weekdays',
    names: [
      '{town} flu shots, {month} {year}',
      'Recall: annual check-up – {town}',
      'Clínica {town}: recordatorio de {month}',
      'Dr. Núñez, moved to {town}',
    ],
  },
  {
    category: 'school',
    rhythm: 'weekdays',
    names: [
      '{town} enrollment {year}',
      '🎓 {town} open house {year}',
      'École {town} – rentrée {year}',
      '{town} PTA: "Book Fair", gym, 6 pm',
    ],
  },
  {
    category: 'dealership',
    rhythm: 'six-days',
    names: [
      '{town} Ford, {month} clearance',
      '"Zero down" weekend – {town}',
      '🚗 {town} Toyota lease returns',
      '=SALE {town} {month}',
    ],
  },
  {
    category: 'utility',
    rhythm: 'weekdays',
    names: [
      '{town} meter change, route {wave}',
      '{town} water main works {month}',
      '=OUTAGE-{wave} {town} follow-up',
    ],
  },
  {
    category: 'poll',
    rhythm: 'daily',
    names: [
      '{town} mayor {year}, wave {wave}',
      '"Yes on {wave}" – {town} voters',
      'Get out the vote 🗳️ {town}',
    ],
  },
  {
    category: 'billing',
    rhythm: 'weekdays',
    names: [
      '{town} CU past due, {month}',
      'Payment plan offers {month} {year}',
      'Final notice – {town} "30 days"',
    ],
  },
  {
    category: 'charity',
    rhythm: 'weekdays',
    names: ['{town} Food Bank {month} drive', 'Noël à {town} {year} ❄️', 'Blood drive {town}, {month}'],
  },
  {
    category: 'survey',
    rhythm: 'weekdays',
    names: [
      '{town} patient survey Q{wave}',
      'Library survey {year}, {town}',
      'Encuesta de satisfacción – {town}',
    ],
  },
];

/** Campaigns that run all the year round, by account name. */
export const YEAR_ROUND_KINDS: Readonly<Record<string, readonly CampaignKind[]>> = {
  north: [
    { category: 'health', rhythm: 'weekdays', names: ['Appointment reminders, all clinics'] },
    { category: 'school', rhythm: 'weekdays', names: ['Attendance calls 🏫'] },
    { category: 'health', rhythm: 'daily', names: ['=REFILL("ready") pharmacy pick-up'] },
    { category: 'utility', rhythm: 'weekdays', names: ['Past-due notice "friendly"'] },
  ],
  coast: [
    { category: 'health', rhythm: 'six-days', names: ['Clínica Peñasco – citas'] },
    { category: 'dealership', rhythm: 'six-days', names: ['Service due, "lube & filter"'] },
    { category: 'utility', rhythm: 'daily', names: ['⚡ Outage restored'] },
  ],
  valley: [
    { category: 'billing', rhythm: 'weekdays', names: ['=1+1 Welcome calls, new members'] },
    { category: 'school', rhythm: 'weekdays', names: ['Cantine & bus – Val-d’Été 🚌'] },
  ],
};
