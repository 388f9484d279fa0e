/** All English words of a digest. Dates, numbers and lists arrive formatted for the locale. */
export const en = {
  counts: {
    attempts: 'attempts',
    busies: 'busies',
    connects: 'connects',
    liveAnswers: 'live answers',
  },
  campaigns: { one: 'campaign', many: 'campaigns' },
  accounts: { one: 'account', many: 'accounts' },
  days: { one: 'day', many: 'days' },
  partOfAttempts: (part: string, attempts: string) => `${part} of ${attempts} attempts`,
  shareOfAttempts: (rate: string) => `${rate} of attempts`,
  someOf: (some: string, all: string) => `${some} of ${all}`,
  more: (count: string) => `${count} more`,
  moreAttached: (count: string) => `${count} more: the attached balances file lists them all`,
  notReported: 'not reported',
  notLoaded: 'not loaded',
  incompleteDay: 'incomplete',
  /** `Week of 16 Nov`, `Week of 16–22 November 2026`. */
  weekOf: (days: string) => `Week of ${days}`,
  openDashboard: 'Open the dashboard',
  period: {
    the: { day: 'the day', week: 'the week', month: 'the month' },
    that: { day: 'that day', week: 'that week', month: 'that month' },
    campaignsOf: { day: 'the day', week: 'each day of the week', month: 'each day of the month' },
  },

  subject: {
    corrected: (subject: string) => `Corrected: ${subject}`,
    incomplete: (subject: string) => `${subject} (incomplete)`,
    mayBeLow: (subject: string) => `${subject} (figures may be low)`,
    connected: (rate: string) => `${rate} connected`,
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
  points: (points: string) => `${points} points`,
  noChange: 'no change',
  fromZero: 'up from 0',
  /** English uses the short weekday, other languages may use the long one. */
  vsDay: (short: string, _long: string) => `vs ${short}`,
  vsMonth: (month: string) => `vs ${month}`,
  vsTypical: (weekday: string) => `vs a typical ${weekday}`,
  vsDays: (days: string, before: string) => `${days} vs ${before}`,
  compared: {
    vsWeek: 'vs the week before',
    earlierDays: 'the earlier days',
    before: {
      day: 'the day before',
      week: 'the week before',
      month: 'the month before',
    },
    sameWeekday: 'that weekday in the four weeks before',
    some: (days: string, accounts: string) => `Compared with ${days} over ${accounts}: the others lack data.`,
    none: (days: string) => `Not compared with ${days}: too little is loaded.`,
  },

  insight: {
    busier: (weekday: string) => `Busier than a typical ${weekday}`,
    quieter: (weekday: string) => `Quieter than a typical ${weekday}`,
    higherRate: (weekday: string) => `A higher connect rate than on a typical ${weekday}`,
    lowerRate: (weekday: string) => `A lower connect rate than on a typical ${weekday}`,
    mostly: (sentence: string, name: string, by: string) => `${sentence}, mostly ${name} (${by})`,
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
    lastDays: (count: string) => `The last ${count} days`,
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
    corrected: (that: string) => `Corrected: this replaces the digest sent for ${that}.`,
    sameSums: 'The sums are the same; campaigns among them changed.',
    incomplete: (the: string) => `Incomplete: part of ${the} is missing.`,
    allMissing: (the: string) => `Incomplete: all of ${the} is missing.`,
    mayBeLow: 'Figures may be low: campaigns or counts may be missing.',
    whyLow: 'The service’s own response says that it is not whole.',
    notOver: 'the day was not over',
    daysLacking: (days: string) => `${days} not loaded, or not over`,
    correctedFollows: 'A corrected digest follows once the rest is there.',
    unreported: 'Not reported by the service, and in no sum or rate:',
    unreportedOf: (count: string, some: string, campaigns: string) => `${count} of ${some} of ${campaigns}`,
    earlierDays: (days: string) => `Also loaded, without a digest of their own: ${days}.`,
  },
  empty: {
    noCampaigns: (that: string) => `No calls: the service lists no campaigns for ${that}.`,
    noAttempts: 'No calls: no campaign made an attempt.',
    nothingLoaded: (that: string) => `Nothing is loaded for ${that} yet.`,
  },

  attention: {
    heading: 'Needs attention',
    pointer: (titles: string) => `Needs attention: ${titles}`,
    restated: 'Changed since the last digest',
    sameSums: 'the same sums',
    now: (sums: string) => `now ${sums}`,
    held: 'Held back',
    heldSince: (time: string) =>
      `since ${time} the service reports something very different. The figures from before stay until it reports that again.`,
    noCalls: 'No calls on a weekday that usually has some',
    mayBeWrong: 'Loaded, but the response may be wrong',
    unreported: (counts: string) => `most campaigns report no ${counts}`,
    notice: (text: string) => `the service added “${text}”`,
    counts: 'the service announced more campaigns than it listed',
    unreadable: 'some records can not be read',
    newClients: 'New clients',
    vanishedClients: 'Clients no longer listed',
    lowBalances: (limit: string) => `Balance below ${limit}`,
  },

  closing: {
    completeThrough: (day: string) => `Complete through ${day}.`,
    incomplete: 'Not complete yet.',
    updated: (time: string) => `Updated ${time}.`,
    csv: (campaignsOf: string) => `Every campaign of ${campaignsOf} is in the attached CSV.`,
    packedCsv: (campaignsOf: string) =>
      `Every campaign of ${campaignsOf} is in the attached CSV, packed as a ZIP file.`,
    tooLarge: (campaignsOf: string, megabytes: string) =>
      `The CSV with every campaign of ${campaignsOf} is larger than ${megabytes} MB, even compressed, and not attached. ` +
      'Ask whoever runs Callsheet for it.',
    glossary:
      'Attempts, connects, live answers and busies are as the service counts them. Connected and live are connects ' +
      'and live answers per attempt, over the campaigns that report both. A dash: not reported, or nothing to divide ' +
      'by.',
    typical: 'Typical is the mean of that weekday in the four weeks before.',
  },
};

export type Words = typeof en;
