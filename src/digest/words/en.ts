import type { Words } from './words.ts';

export const en: Words = {
  counts: {
    attempts: 'attempts',
    busies: 'busies',
    connects: 'connects',
    liveAnswers: 'live answers',
  },
  campaigns: ['campaign', 'campaigns'],
  accounts: ['account', 'accounts'],
  days: ['day', 'days'],
  partOfAttempts: (part, attempts) => `${part} of ${attempts} attempts`,
  shareOfAttempts: (rate) => `${rate} of attempts`,
  someOf: (some, all) => `${some} of ${all}`,
  more: (count) => `${count} more`,
  moreAttached: (count) => `${count} more: the attached balances file lists them all`,
  notReported: 'not reported',
  notLoaded: 'not loaded',
  incompleteDay: 'incomplete',
  weekOf: (days) => `Week of ${days}`,
  openDashboard: 'Open the dashboard',
  period: {
    the: { day: 'the day', week: 'the week', month: 'the month' },
    that: { day: 'that day', week: 'that week', month: 'that month' },
    campaignsOf: { day: 'the day', week: 'each day of the week', month: 'each day of the month' },
  },

  subject: {
    corrected: (subject) => `Corrected: ${subject}`,
    incomplete: (subject) => `${subject} (incomplete)`,
    connected: (rate) => `${rate} connected`,
    nothingLoaded: 'nothing loaded',
    noAttempts: 'no calls',
    attemptsNotReported: 'attempts not reported',
    connectsNotReported: 'connects not reported',
  },

  tiles: {
    connectRate: 'Connect rate',
    attempts: 'Attempts',
    liveAnswers: 'Live answers',
    busies: 'Busies',
  },
  points: (points) => `${points} points`,
  noChange: 'no change',
  fromZero: 'up from 0',
  vsDay: (short) => `vs ${short}`,
  vsMonth: (month) => `vs ${month}`,
  vsTypical: (weekday) => `vs a typical ${weekday}`,
  vsDays: (days, before) => `${days} vs ${before}`,
  compared: {
    vsWeek: 'vs the week before',
    earlierDays: 'the earlier days',
    before: {
      day: 'the day before',
      week: 'the week before',
      month: 'the month before',
    },
    sameWeekday: 'that weekday in the four weeks before',
    some: (days, accounts) => `Compared with ${days} over ${accounts}: the others lack data.`,
    none: (days) => `Not compared with ${days}: too little is loaded.`,
  },

  insight: {
    busier: (weekday) => `Busier than a typical ${weekday}`,
    quieter: (weekday) => `Quieter than a typical ${weekday}`,
    higherRate: (weekday) => `A higher connect rate than on a typical ${weekday}`,
    lowerRate: (weekday) => `A lower connect rate than on a typical ${weekday}`,
    mostly: (sentence, name, by) => `${sentence}, mostly ${name} (${by})`,
    new: 'new',
  },

  tables: {
    columns: {
      campaign: 'Campaign',
      account: 'Account',
      period: 'Period',
      day: 'Day',
      attempts: 'Attempts',
      connects: 'Connects',
      connected: 'Connected',
      live: 'Live',
      typical: 'Typical',
      change: 'Change',
    },
    lastDays: (count) => `The last ${count} days`,
    twoWeeks: 'The week and the one before',
    dayByDay: 'Day by day',
    toDate: 'To date',
    weekToDate: 'Week to date',
    monthToDate: 'Month to date',
    accounts: 'Accounts',
    movers: 'Moved most',
    topTen: 'Top ten campaigns',
    mostAttempts: 'Campaigns with the most attempts',
    lowestRates: 'Lowest connect rates',
  },

  notes: {
    corrected: 'Corrected: this replaces the digest sent for that day.',
    sameSums: 'The sums are the same; campaigns among them changed.',
    incomplete: (the) => `Incomplete: part of ${the} is missing.`,
    allMissing: (the) => `Incomplete: all of ${the} is missing.`,
    notOver: 'the day was not over',
    daysLacking: (days) => `${days} not loaded, or not over`,
    correctedFollows: 'A corrected digest follows once the rest is there.',
    namedInNext: 'What is loaded later is named in the next digest.',
    unreported: 'Not reported by the service, and in no sum or rate:',
    unreportedOf: (count, some, campaigns) => `${count} of ${some} of ${campaigns}`,
    earlierDays: (days) => `Also loaded, without a digest of their own: ${days}.`,
  },
  empty: {
    noCampaigns: (that) => `No calls: the service lists no campaigns for ${that}.`,
    noAttempts: 'No calls: no campaign made an attempt.',
    nothingLoaded: (that) => `Nothing is loaded for ${that} yet.`,
  },

  attention: {
    heading: 'Needs attention',
    pointer: (titles) => `Needs attention: ${titles}`,
    restated: 'Changed since the last digest',
    sameSums: 'the same sums',
    now: (sums) => `now ${sums}`,
    held: 'Held back',
    heldSince: (time) =>
      `since ${time} the service reports far less than before. The figures from before stay until it reports that again.`,
    noCalls: 'No calls on a weekday that usually has some',
    mayBeWrong: 'Loaded, but the response may be wrong',
    unreported: (counts) => `most campaigns report no ${counts}`,
    notice: (text) => `the service added “${text}”`,
    counts: 'the service’s own count differs from its list: campaigns may be missing',
    newClients: 'New clients',
    vanishedClients: 'Clients no longer listed',
    lowBalances: (limit) => `Balance below ${limit}`,
  },

  closing: {
    completeThrough: (day) => `Complete through ${day}.`,
    incomplete: 'Not complete yet.',
    updated: (time) => `Updated ${time}.`,
    csv: (campaignsOf) => `Every campaign of ${campaignsOf} is in the attached CSV.`,
    packedCsv: (campaignsOf) =>
      `Every campaign of ${campaignsOf} is in the attached CSV, packed as a ZIP file.`,
    tooLarge: (campaignsOf, megabytes) =>
      `The CSV with every campaign of ${campaignsOf} is larger than ${megabytes} MB, even compressed, and not attached. ` +
      'Ask whoever runs Callsheet for it.',
    glossary:
      'Attempts, connects, live answers and busies are as the service counts them. Connected and live are connects ' +
      'and live answers per attempt, over the campaigns that report both. A dash: not reported, or nothing to divide ' +
      'by.',
    typical: 'Typical is the mean of that weekday in the four weeks before.',
  },
};
