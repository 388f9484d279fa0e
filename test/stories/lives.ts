import { type Dataset, generateDataset } from '../../src/simulator/dataset.ts';
import { stories } from '../../src/simulator/stories.ts';
import type { Story } from '../../src/simulator/story.ts';
import type { Life } from './live-story.ts';
import type { Silence } from './state.ts';

const firstNight = '2026-03-09';

/** From the second night on, half of a day stays unlisted: the same weekday a week later has a provisional one before it. */
const halfForAWeek: Story = {
  about: 'half of a day is announced and not listed until its weekday comes again',
  accounts: stories['half-a-day']!.accounts,
  nights: [
    [],
    ...Array.from({ length: 6 }, (_, index) => [
      { event: 'half listed' as const, account: 'north', daysAgo: index + 1 },
    ]),
    // The week lacks the Sunday of an account.
    [
      { event: 'half listed', account: 'north', daysAgo: 7 },
      { event: 'token refused', account: 'coast' },
    ],
    [{ event: 'half listed', account: 'north', daysAgo: 8 }],
  ],
};

const halfOfAllDays = Array.from({ length: 31 }, (_, index) => ({
  event: 'half listed' as const,
  account: 'north',
  daysAgo: index + 1,
}));

/** However long half of each day is missing: it stays provisional until the service lists it whole. */
const halfForGood: Story = {
  about:
    'half of each day is announced and not listed for eleven nights, then all of it, then half of it again',
  accounts: stories['half-a-day']!.accounts,
  nights: [[], ...Array.from({ length: 11 }, () => halfOfAllDays), [], [], halfOfAllDays],
};

/** A Tuesday has the campaigns of the Monday before it: for an account from the beginning, for another once its first one is withdrawn. */
const sameFigures: Story = {
  about: 'two accounts get the figures of the day before',
  accounts: stories['half-a-day']!.accounts,
  nights: [
    [],
    [],
    [],
    [
      { event: 'empty day', account: 'coast', daysAgo: 2 },
      { event: 'campaign withdrawn', account: 'north', daysAgo: 2 },
    ],
    [],
    [
      { event: 'late correction', account: 'coast', daysAgo: 4, percent: 8 },
      { event: 'late correction', account: 'north', daysAgo: 4, percent: 8 },
    ],
  ],
};

function withSameFigures(dataset: Dataset): Dataset {
  const tuesday = Temporal.PlainDate.from(firstNight).add({ days: 1 });
  return {
    ...dataset,
    campaigns(account, from, to) {
      if (account === 'valley' || !from.equals(tuesday)) return dataset.campaigns(account, from, to);
      const monday = tuesday.subtract({ days: 1 });
      const same = dataset.campaigns(account, monday, monday);
      return account === 'coast' ? same : [{ ...same[0]!, callsetid: 1 }, ...same];
    },
  };
}

const someCounts: Silence = (_, campaign) => {
  if (campaign === 'Attendance calls 🏫') return 'attempts';
  if (campaign === 'Past-due notice "friendly"') return 'connects';
  return campaign === 'Service due, "lube & filter"' ? 'liveAnswers' : undefined;
};

const daysOfHistory = 35;

/** Stories with weeks before them, and those of a new installation. The service never reports some counts of some campaigns. */
export const lives: Readonly<Record<string, Life>> = {
  // Its fourth night is the first of a month.
  'month-end': {
    story: stories['month-end']!,
    firstNight: '2026-03-29',
    daysOfHistory,
    silence: someCounts,
  },
  'good-fortnight': {
    story: stories['good-fortnight']!,
    firstNight,
    daysOfHistory,
    silence: (account, campaign) => (account === 'valley' ? 'liveAnswers' : someCounts(account, campaign)),
  },
  'bad-fortnight': { story: stories['bad-fortnight']!, firstNight, daysOfHistory, silence: someCounts },
  'half-for-good': { story: halfForGood, firstNight, daysOfHistory, silence: someCounts },
  'half-for-a-week': { story: halfForAWeek, firstNight, daysOfHistory, silence: someCounts },
  // Stories of a new installation.
  'one-outage': { story: stories['one-outage']!, firstNight },
  'half-a-day': { story: stories['half-a-day']!, firstNight, silence: someCounts },
  'same-figures': {
    story: sameFigures,
    firstNight,
    dataset: withSameFigures(generateDataset(1, undefined, sameFigures.accounts)),
  },
  gap: { story: stories.gap!, firstNight },
};
