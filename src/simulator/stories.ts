import { FORTY_OFFICES, THREE_ACCOUNTS } from './accounts.ts';
import type { Story } from './story.ts';

/** The stories by the names that `simulate --story` takes. */
export const stories: Readonly<Record<string, Story>> = {
  'good-fortnight': {
    about: 'nothing is wrong, and yet numbers change',
    accounts: THREE_ACCOUNTS,
    nights: [
      [],
      [],
      [{ event: 'clients added', account: 'north', clients: 12 }],
      [{ event: 'late correction', account: 'coast', daysAgo: 1, percent: 2 }],
      [{ event: 'late correction', account: 'coast', daysAgo: 2, percent: 2 }],
      [],
      [{ event: 'balances spent', account: 'valley', clients: 4 }],
      [{ event: 'campaign added later', account: 'north', daysAgo: 2 }],
      [],
      [{ event: 'clients removed', account: 'coast', clients: 3 }],
      [],
      [{ event: 'late correction', account: 'valley', daysAgo: 3, percent: 5 }],
      [],
      [],
    ],
  },
  'bad-fortnight': {
    about: 'nearly every night something else is wrong',
    accounts: THREE_ACCOUNTS,
    nights: [
      [],
      [{ event: 'clients added', account: 'north', clients: 12 }],
      [{ event: 'late correction', account: 'coast', daysAgo: 2, percent: 8 }],
      [{ event: 'outage', hours: 2 }],
      [{ event: 'no run' }],
      [
        { event: 'campaign added later', account: 'north', daysAgo: 2 },
        { event: 'clients removed', account: 'coast', clients: 3 },
      ],
      [{ event: 'half listed', account: 'north', daysAgo: 1 }],
      [{ event: 'killed', atRequest: 20 }],
      [{ event: 'campaign withdrawn', account: 'valley', daysAgo: 2 }, { event: 'mail server down' }],
      [
        { event: 'unreadable records', account: 'coast', daysAgo: 1 },
        { event: 'list changes during walk', account: 'north' },
      ],
      [
        { event: 'empty day', account: 'north', daysAgo: 1 },
        { event: 'recipient refused', recipient: 'manager@example.com' },
      ],
      [
        { event: 'client list refused', account: 'coast' },
        { event: 'balances spent', account: 'north', clients: 6 },
      ],
      [{ event: 'setting changed', name: 'LOOKBACK_DAYS', value: '5' }],
      [
        { event: 'late correction', account: 'coast', daysAgo: 3, percent: 8 },
        { event: 'campaigns missing', account: 'north', daysAgo: 2 },
        { event: 'token refused', account: 'valley' },
      ],
    ],
  },
  'one-outage': {
    about: 'forty accounts, and one outage that outlasts RETRY_FOR',
    accounts: FORTY_OFFICES,
    nights: [[], [], [{ event: 'outage', hours: 9 }], [], []],
  },
  'half-a-day': {
    about: 'for five nights, half of a day is announced and not listed',
    accounts: THREE_ACCOUNTS,
    nights: [
      [],
      [],
      [],
      [],
      [{ event: 'half listed', account: 'north', daysAgo: 1 }],
      [{ event: 'half listed', account: 'north', daysAgo: 2 }],
      [{ event: 'half listed', account: 'north', daysAgo: 3 }],
      [{ event: 'half listed', account: 'north', daysAgo: 4 }],
      [{ event: 'half listed', account: 'north', daysAgo: 5 }],
      [],
      [],
    ],
  },
  gap: {
    about: 'forty nights without a run',
    accounts: THREE_ACCOUNTS,
    nights: [
      [],
      [],
      [],
      ...Array.from({ length: 40 }, () => [{ event: 'no run' as const }]),
      [],
      [{ event: 'late correction', account: 'coast', daysAgo: 20, percent: 8 }],
      [],
    ],
  },
  /** Its fourth night is meant to be the first of a month. */
  'month-end': {
    about: 'the last days of a month are corrected in the next one',
    accounts: THREE_ACCOUNTS,
    nights: [
      [],
      [],
      [],
      [
        { event: 'half listed', account: 'coast', daysAgo: 1 },
        { event: 'token refused', account: 'valley' },
      ],
      [{ event: 'late correction', account: 'north', daysAgo: 2, percent: 12 }],
      [{ event: 'campaign added later', account: 'valley', daysAgo: 3 }, { event: 'no run' }],
      [{ event: 'campaign withdrawn', account: 'coast', daysAgo: 3 }],
      [],
      [{ event: 'same campaigns', account: 'valley', as: 'coast' }],
      [],
    ],
  },
};
