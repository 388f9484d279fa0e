import type { Purpose } from './campaigns.ts';
import { TOWNS } from './names.ts';

/** The sizes of an account of a data set. */
export type AccountPlan = {
  readonly name: string;
  readonly clients: number;
  /** Campaigns that never end. */
  readonly endless: readonly Purpose[];
  /** Number of series of campaigns that end. */
  readonly series: number;
  readonly tokenEnding?: string;
};

/**
 * About 40 campaigns call on a weekday. Their endless campaigns have names that break careless CSV, HTML and
 * spreadsheets, so every weekday has some.
 */
export const THREE_ACCOUNTS: readonly AccountPlan[] = [
  {
    name: 'north',
    clients: 620,
    endless: [
      ['Appointment reminders, all clinics', 'health', 5],
      ['Attendance calls 🏫', 'school', 5],
      ['=REFILL("ready") pharmacy pick-up', 'health', 7],
      ['Past-due notice "friendly"', 'utility', 5],
    ],
    series: 17,
  },
  {
    name: 'coast',
    clients: 380,
    endless: [
      ['Clínica Peñasco – citas', 'health', 6],
      ['Service due, "lube & filter"', 'dealership', 6],
      ['⚡ Outage restored', 'utility', 7],
    ],
    series: 12,
    // It changes when URL-encoded, so redaction has to find both forms.
    tokenEnding: '+a/b==',
  },
  {
    name: 'valley',
    clients: 200,
    endless: [
      ['=1+1 Welcome calls, new members', 'billing', 7],
      ['Cantine & bus – Val-d’Été 🚌', 'school', 5],
    ],
    series: 8,
  },
];

/** Small accounts, office-01 to office-40. Two endless campaigns each make a day without calls rare. */
export const FORTY_OFFICES = TOWNS.map(
  (town, index): AccountPlan => ({
    name: `office-${String(index + 1).padStart(2, '0')}`,
    clients: 30,
    endless: [
      [`Reminders, ${town}`, 'health', 7],
      [`⚡ "Outage" ${town}`, 'utility', 7],
    ],
    // Every other one, because a data set has at most 100 series.
    series: index % 2,
  }),
);
