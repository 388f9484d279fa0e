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
  notReported: 'not reported',
  notLoaded: 'not loaded',
  incompleteDay: 'incomplete',
  corrected: 'corrected',
  sameTotals: 'the same totals',
  provisionalDay: 'provisional',
  lackingDays: (days: string) => `${days} incomplete`,
  provisionalDays: (days: string) => `${days} provisional`,
  overDays: (some: string, all: string) => `over ${some} of ${all}`,
  /** `Week of 16 Nov`, `Week of 16–22 November 2026`. */
  weekOf: (days: string) => `Week of ${days}`,
  openDashboard: 'Open the dashboard',
  period: {
    the: { day: 'the day', week: 'the week', month: 'the month' },
    that: { day: 'that day', week: 'that week', month: 'that month' },
    campaignsOf: { day: 'the day', week: 'each day of the week', month: 'each day of the month' },
  },

  subject: {
    corrected: 'Corrected',
    incomplete: 'Incomplete',
    provisional: 'Provisional',
    connected: (rate: string) => `${rate} connected`,
    nothingLoaded: 'nothing loaded',
    noAttempts: 'no calls',
    noneSoFar: 'no calls so far',
    attemptsNotReported: 'attempts not reported',
    connectsNotReported: 'connects not reported',
  },

  tiles: {
    connectRate: 'Connect rate',
    attempts: 'Attempts',
    liveAnswers: 'Live answers',
    idle: (campaigns: string, idle: string) => `${campaigns}; ${idle} without calls`,
  },
  points: (points: string) => `${points} points`,
  noChange: 'no change',
  vs: (basis: string) => `vs ${basis}`,
  perDayVs: (basis: string) => `per day with calls vs ${basis}`,
  /** What a period is compared with. */
  basis: {
    typical: (weekday: string) => `a typical ${weekday}`,
    fourWeeks: 'the four weeks before',
  },
  compared: {
    some: (basis: string, accounts: string) =>
      `Compared with ${basis} for accounts with complete data only: ${accounts}.`,
    none: (basis: string) => `Not compared with ${basis}: too little is loaded.`,
  },

  insight: {
    busier: {
      day: (basis: string) => `Busier than ${basis}`,
      week: (basis: string) => `Busier than ${basis}`,
      month: (basis: string) => `More attempts a day than in ${basis}`,
    },
    quieter: {
      day: (basis: string) => `Quieter than ${basis}`,
      week: (basis: string) => `Quieter than ${basis}`,
      month: (basis: string) => `Fewer attempts a day than in ${basis}`,
    },
    higherRate: {
      day: (basis: string) => `A higher connect rate than on ${basis}`,
      week: (basis: string) => `A higher connect rate than in ${basis}`,
      month: (basis: string) => `A higher connect rate than in ${basis}`,
    },
    lowerRate: {
      day: (basis: string) => `A lower connect rate than on ${basis}`,
      week: (basis: string) => `A lower connect rate than in ${basis}`,
      month: (basis: string) => `A lower connect rate than in ${basis}`,
    },
    mostly: (sentence: string, name: string, by: string) => `${sentence}, mostly ${name} (${by})`,
    new: 'new',
    began: (day: string) => `began ${day}`,
    ended: (day: string) => `ended ${day}`,
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
      busy: 'Busy',
      typical: 'Typical',
      before: 'Before',
    },
    lastDays: (count: string) => `The last ${count} days`,
    twoWeeks: 'The week and the one before',
    dayByDay: 'Day by day',
    earlier: 'Earlier periods and corrections',
    toDate: 'To date',
    weekToDate: 'Week to date',
    monthToDate: 'Month to date',
    accounts: 'Accounts',
    movedAccounts: 'Accounts that moved most',
    movers: 'Campaigns that moved most',
    campaigns: 'Campaigns',
    topTen: 'Top ten campaigns',
    extremeRates: 'Highest and lowest connect rates',
    bestAndWorst: (best: string, worst: string) => `Highest connect rate: ${best}. Lowest: ${worst}.`,
  },

  notes: {
    corrected: (that: string) => `Corrected: this replaces the digest sent for ${that}.`,
    moved: (period: string, now: string, mailed: string) => `Corrected: ${period} had ${now}, not ${mailed}.`,
    loadedSince: (period: string, now: string) => `Corrected: ${period} had ${now}; it wasn’t loaded before.`,
    moreMoved: (count: string) => `Corrected: ${count} more, in the table below.`,
    sameSums: 'The totals are the same; some campaigns changed.',
    incomplete: (the: string) => `Incomplete: part of ${the} is missing.`,
    allMissing: (the: string) => `Incomplete: there are no figures for ${the} yet.`,
    provisional: 'Provisional: these figures are not confirmed yet.',
    provisionalFollows: 'A corrected digest follows if they change.',
    notOver: 'the day was not over',
    daysLacking: (days: string) => `${days} not loaded or not over`,
    correctedFollows: 'A corrected digest follows once the rest is loaded.',
  },
  /** Why figures are provisional. */
  provisional: {
    announced: (campaigns: string, listed: string) =>
      `the service announced ${campaigns} and listed ${listed}`,
    notFinished: 'the service was not finished with the list',
    unreadable: 'some records could not be read',
    unreadableCounts: (campaigns: string) => `counts of ${campaigns} could not be read`,
    error: (text: string) => `the service reported an error: “${text}”`,
    unreported: (counts: string) => `most campaigns report no ${counts}`,
    noList: 'the service sent no list of campaigns',
    noCalls: 'no calls, on a weekday that usually has some',
    sameCampaigns: 'the same campaigns and counts as another account, so probably counted more than once',
    sameFigures: 'the same campaigns and counts as the day before or after',
  },
  empty: {
    noCampaigns: (that: string) => `No calls: the service lists no campaigns for ${that}.`,
    noAttempts: 'No calls: no campaign made an attempt.',
    noneSoFar: 'No calls in the figures loaded so far.',
    nothingLoaded: (that: string) => `Nothing is loaded for ${that} yet.`,
  },

  attention: {
    heading: 'Needs attention',
    pointer: (titles: string) => `Needs attention: ${titles}`,
    held: 'Held back',
    heldSince: (time: string) =>
      `on ${time}, the service sent very different figures. The earlier ones stay unless somebody accepts the new ones.`,
    provisional: 'Provisional',
    newClients: 'New clients',
    vanishedClients: 'Clients no longer listed',
    stillHeld: (days: string) => `Still held back: ${days}.`,
    known: (what: string) => `Usual for this service, so counted as complete: ${what}.`,
    unreported: (what: string) => `Not reported by the service, so not in any total or rate: ${what}.`,
    unreportedOf: (count: string, some: string, campaigns: string) => `${count} of ${some} of ${campaigns}`,
    balances: { one: 'balance', many: 'balances' },
    lowBalances: (balances: string, limit: string) => `${balances} below ${limit}`,
    newOnes: (all: string, count: string, names: string) => `${all}, ${count} of them new: ${names}`,
  },

  closing: {
    completeThrough: (day: string) => `Complete through ${day}.`,
    incomplete: 'Not complete yet.',
    updated: (time: string) => `Updated ${time}.`,
    csv: (campaignsOf: string) => `Every campaign of ${campaignsOf} is in the attached CSV.`,
    cutCsv: (campaignsOf: string) =>
      `Not every campaign of ${campaignsOf} fits into one mail: the attached CSV contains only the first ones. To get all of them, reply to this mail.`,
    glossary:
      'Connected, live and busy are shares of the attempts, if both are reported. A dash means not reported.',
    typical: 'Typical is the mean of that weekday in the four weeks before.',
    why: (name: string) => `This is the digest “${name}”. To unsubscribe, reply to this mail.`,
  },

  csv: {
    cut: 'The rest does not fit into the mail. To get the complete file, reply to the mail.',
  },
};

export type Words = typeof en;
