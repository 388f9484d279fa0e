import { countWords } from '../../support/english.ts';

/** All English words of a digest. Dates, numbers and lists arrive formatted for the locale. */
export const en = {
  counts: countWords,
  campaigns: { one: 'campaign', many: 'campaigns' },
  accounts: { one: 'account', many: 'accounts' },
  days: { one: 'day', many: 'days' },
  partOfAttempts: (part: string, attempts: string) => `${part} of ${attempts} attempts`,
  shareOfAttempts: (rate: string) => `${rate} of attempts`,
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
  /** `week of 16 Nov`, `week of 16–22 November 2026`. */
  weekOf: (days: string) => `week of ${days}`,
  openDashboard: 'Open the dashboard',
  period: {
    the: { day: 'the day', week: 'the week', month: 'the month' },
    that: { day: 'that day', week: 'that week', month: 'that month' },
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
  },
  points: (points: string) => `${points} points`,
  noChange: 'no change',
  /** The basis of a comparison. */
  basis: {
    typical: (weekday: string) => `a typical ${weekday}`,
    week: 'a typical week',
  },
  /** Beside a figure of which a percentage would say nothing. */
  typically: { day: 'typically', week: 'typically', month: 'the month before:' },
  callingDays: (now: string, before: string, basis: string) => `${now}, ${before} in ${basis}`,
  toDate: { week: 'This week', month: 'This month' },
  compared: {
    with: (basis: string) => `Compared with ${basis}`,
    perDayWith: (basis: string) => `Compared with ${basis}, per day with calls`,
    none: {
      day: (basis: string) => `Not compared yet: ${basis} takes two earlier ones.`,
      week: (basis: string) => `Not compared yet: ${basis} takes two earlier ones.`,
      month: (basis: string) => `Not compared: ${basis} isn’t complete.`,
    },
    newSince: (day: string) => `new since ${day}`,
    without: (names: string, figures: string) => `Without ${names}: ${figures}.`,
    attempts: (attempts: string, change: string) => `${attempts} attempts (${change})`,
    connected: (rate: string, change: string) => `${rate} connected (${change})`,
  },

  insight: {
    normal: {
      day: (weekday: string) => `A normal ${weekday}`,
      week: () => 'A normal week',
      month: (basis: string) => `A month like ${basis}`,
    },
    figures: (attempts: string, connected: string) => `${attempts} attempts, ${connected} connected`,
    attemptsAlone: (attempts: string) => `${attempts} attempts`,
    overall: (normal: string) => `${normal} overall`,
    whatMoved: (changes: string) => `What moved: ${changes}.`,
    butAttempts: (changes: string) => `Attempts are normal overall. What moved: ${changes}.`,
    without: (names: string, sentence: string) => `Without ${names}, ${sentence}`,
    more: (percent: string) => `${percent} more attempts`,
    fewer: (percent: string) => `${percent} fewer attempts`,
    than: {
      day: (basis: string) => `than on ${basis}`,
      week: (basis: string) => `than in ${basis}`,
      month: (basis: string) => `per day with calls than in ${basis}`,
    },
    /** Used if a percentage would say nothing. */
    instead: (now: string, typical: string) => `${now} attempts instead of ${typical}`,
    higherRate: (points: string) => `Connect rate ${points} higher`,
    lowerRate: (points: string) => `Connect rate ${points} lower`,
    rateThan: {
      day: (basis: string) => `than on ${basis}`,
      week: (basis: string) => `than in ${basis}`,
      month: (basis: string) => `than in ${basis}`,
    },
    mostly: (sentence: string, names: string) => `${sentence}, mostly ${names}.`,
    partly: (sentence: string, names: string) => `${sentence}, partly ${names}.`,
    sameReason: (sentence: string) => `${sentence}, mostly for the same reason.`,
    /** Several that moved alike. */
    largest: (some: string, largest: string) => `${some}, ${largest} the largest`,
    inMost: {
      attempts: (sentence: string) => `${sentence}, in most campaigns.`,
      rate: (sentence: string) => `${sentence}: most campaigns contributed.`,
    },
    since: (day: string) => `since ${day}`,
    noneSince: (day: string) => `none since ${day}`,
    at: (rate: string) => `at ${rate}`,
    moreCalls: (rate: string) => `a larger share of attempts, at ${rate}`,
    fewerCalls: (rate: string) => `a smaller share of attempts, at ${rate}`,
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
      change: 'Change',
      effect: 'Effect on\u00a0rate',
    },
    lastDays: (count: string) => `The last ${count} days`,
    twoWeeks: 'The week and the one before',
    dayByDay: 'Day by day',
    earlier: 'Earlier periods and corrections',
    accounts: 'Accounts',
    movers: 'What moved',
    campaigns: 'Campaigns',
    others: 'All others',
    othersLeftOut: 'Others, not compared',
  },

  notes: {
    corrected: (that: string) => `Corrected: this replaces the digest sent for ${that}.`,
    moved: {
      day: (day: string, changes: string) => `Corrected: ${day} had ${changes}.`,
      week: (week: string, changes: string) => `Corrected: the ${week} had ${changes}.`,
      month: (month: string, changes: string) => `Corrected: ${month} had ${changes}.`,
    },
    instead: (now: string, mailed: string) => `${now}, not ${mailed}`,
    sameSums: 'The totals are the same; some campaigns changed.',
    incomplete: (what: string) => `Incomplete, so too low: ${what}.`,
    allMissing: (the: string) => `Nothing is loaded for ${the} yet.`,
    accountsIncomplete: (accounts: string) => `${accounts} incomplete`,
    refused: 'the service refused access',
    unavailable: 'the service was unavailable',
    tooLow: (why: string) => `Provisional, probably too low: ${why}.`,
    perhapsWrong: (why: string) => `Provisional, perhaps wrong: ${why}.`,
    accountsProvisional: (accounts: string) => `${accounts} not confirmed yet`,
    changesFollow: 'If they change, tomorrow at the earliest, a corrected mail follows.',
    notOver: 'the day was not over',
    daysLacking: (days: string) => `${days} not loaded or not over`,
    correctedFollows: 'A corrected mail follows once the rest is loaded.',
  },
  /** Why figures are provisional. */
  provisional: {
    missing: (missing: string, campaigns: string) => `${missing} of ${campaigns} missing`,
    announced: (announced: string, listed: string) =>
      `the service announced ${announced} and listed ${listed}`,
    unreadable: 'some records could not be read',
    unreadableCounts: (campaigns: string) => `counts of ${campaigns} could not be read`,
    remark: (text: string) => `the service says “${text}” beside its campaigns`,
    unreported: (counts: string) => `most campaigns report no ${counts}`,
    noList: 'the service sent no list of campaigns',
    noCalls: 'no calls, on a weekday that usually has some',
    sameFigures: 'the same campaigns and counts as the day beside it',
  },
  empty: {
    noCampaigns: (that: string) => `No calls: the service lists no campaigns for ${that}.`,
    noAttempts: 'No calls: no campaign made an attempt.',
    noneSoFar: 'No calls in the figures loaded so far.',
    on: (days: string) => `No calls on ${days}.`,
  },

  attention: {
    heading: 'Needs attention',
    held: 'Held back',
    heldSince: (time: string) =>
      `on ${time}, the service sent very different figures. The earlier ones stay unless somebody accepts the new ones.`,
    newAccounts: 'New account',
    goneAccounts: 'Account gone',
    noLongerIn: 'no longer in this digest',
    newClients: 'New clients',
    vanishedClients: 'Clients no longer listed',
    twice: (accounts: string) =>
      `${accounts} have the same campaigns and counts, so these calls may count twice.`,
    stillHeld: (days: string) => `Still held back: ${days}.`,
    known: (what: string) => `Accepted as the way of the service, so counted as complete: ${what}.`,
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
    cutCsv:
      'Not all campaigns fit into one mail: the CSV has only the first ones. To get all of them, reply to this mail.',
    glossary: 'Rates are per attempt; a dash is not reported.',
    typical: (weekday: string) => `Typical: the middle of the last four ${weekday}s with calls.`,
    unsubscribe: 'To unsubscribe, reply to this mail.',
  },

  csv: {
    cut: 'The rest does not fit into the mail. To get the complete file, reply to the mail.',
  },
};

export type Words = typeof en;
