import type { AlertStep, CommandWords, Hit } from '../../model/alert.ts';
import type { AnomalyCode, HeldCode } from '../../model/anomaly.ts';
import { addDays, type Day } from '../../model/day.ts';
import type { DeliveryCause } from '../../model/digest.ts';
import { type ErrorCode, errorCatalogue } from '../../model/errors.ts';
import { exitCode } from '../../model/exit-code.ts';
import { type DigestKey, digestName, periodOf } from '../../model/period.ts';
import {
  capitalize,
  formatCount,
  formatCountOf,
  formatDate,
  formatDates,
  formatList,
  plural,
  withStop,
} from '../../support/english.ts';
import { type Concern, isGivenUp } from './concerns.ts';
import type { FoundAlert } from './state.ts';

/** What is true of all alerts. */
export type Situation = {
  readonly today: Day;
  /** A sentence that says when failed work is tried again. */
  readonly nextAttempt: string;
  /** How many there are. */
  readonly accounts: number;
  /** All that is wrong. */
  readonly concerns: readonly Concern[];
};

/** One cause, and all that it hit. */
type Cause = {
  readonly key: string;
  readonly concerns: readonly Concern[];
  readonly now: Situation;
};

/** The words of an alert. */
type Text = Pick<FoundAlert, 'severity' | 'cause' | 'steps'> & {
  /** What happened, in a few words: the title names what it hit. */
  readonly what: string;
  /** The same in subjects, where it is shorter. */
  readonly short?: string;
  /** What else the title names. */
  readonly more?: readonly string[];
  /** A title of its own. */
  readonly title?: string;
  readonly brief?: string;
  /** The next run tries again by itself; true by default. */
  readonly retried?: boolean;
};

/** An alert about concerns that have its code and cause. */
export function alertOf(key: string, concerns: readonly Concern[], now: Situation): FoundAlert {
  const { code } = concerns[0]!;
  const text = textOf({ key, concerns, now });
  const hits = hitsOf(concerns, now);
  const [first] = hits;
  const short = text.short ?? text.what;
  const whom = hits.map((hit) =>
    hit.noun === 'day' ? formatLacking(concerns, now.today) : countOrNames(hit),
  );
  const named = [...whom, ...(text.more ?? [])].join(', ');
  return {
    code,
    key,
    severity: text.severity,
    brief: text.brief ?? (first === undefined ? short : `${short} (${countOrNames(first)})`),
    title: text.title ?? [capitalize(text.what), named].filter((part) => part !== '').join(': '),
    cause: text.cause,
    accounts: unique(concerns.flatMap(({ account }) => account?.name ?? [])),
    hits,
    affects: unique(concerns.map(({ affects }) => affects)),
    retried: text.retried ?? true,
    steps: text.steps,
  };
}

function textOf(cause: Cause): Text {
  const { code, cause: part } = cause.concerns[0]!;
  if (part === 'run') return runEnded(cause);
  if (part === 'digest') return digestNotSent(cause);
  if (code in texts) return texts[code as keyof typeof texts](cause);
  return part === 'clients' ? clientListRefused(cause) : failed(cause);
}

const texts = {
  NOTHING_LOADED: () => ({
    severity: 'warning',
    what: 'no nightly run yet',
    cause: 'The first one loads yesterday.',
    steps: [runNow()],
  }),
  RUN_INTERRUPTED: ({ concerns, now }) => ({
    // Figures are missing.
    severity: daysOf(concerns).length > 0 ? 'error' : 'warning',
    what: 'last run interrupted',
    brief: 'last run interrupted',
    title: 'Last run interrupted',
    cause: `${lackedBy(concerns, now)} ${now.nextAttempt}`,
    steps: [runNow()],
  }),
  FILES_CHANGED: ({ concerns }) => ({
    severity: 'warning',
    what: 'schedule uses older files',
    // As the row has it: the next process reads it there.
    title: concerns[0]!.detail,
    cause:
      'The process of schedule read this at its start and goes on with what it read. Restart it to use the change.',
    retried: false,
    steps: [manual(`Restart it, ${restartCommand}`)],
  }),
  CLOCKS_APART: ({ concerns }) => ({
    severity: 'error',
    what: 'clocks apart',
    title: `The clock of the machine that runs Callsheet is ${concerns[0]!.detail} the database's`,
    cause:
      'One of the two is wrong. A day is over, and a run begins, once both say so: runs and mails may come late, and no day is confirmed before its end.',
    retried: false,
    steps: [manual('Type date -u on both machines, correct the clock that is wrong, and let NTP set it')],
  }),
  DAYS_NOT_LOADED: (cause) =>
    cause.concerns[0]!.cause === 'earlier' ? earlierDays(cause) : missingDays(cause),
  RESPONSE_HELD: ({ key, concerns, now }) => ({
    severity: 'warning',
    what: plural(concerns.length, 'response held', 'responses held'),
    cause: `${concerns.length === 1 ? 'The newest response was' : `The newest responses of ${concerns.length} days were`} not applied: ${withStop(reasonsOf(concerns, now))} The earlier figures stay. Nothing to do, unless you know that the new ones are right. ${whatAppliesHeld(concerns)}`,
    steps: [
      typed('To see what would change', 'run', ...windowsOf(concerns), '--dry-run'),
      accepted('To replace the earlier figures by', '', concerns, now),
      dismiss('To end the alert without changing anything', key),
    ],
  }),
  DAYS_PROVISIONAL: ({ concerns, now }) => ({
    severity: 'warning',
    what: 'provisional figures',
    cause: `${detailsOf(concerns, now)} Digests mark the figures as provisional. Each run fetches ${plural(daysOf(concerns).length, 'the day', 'the days')} again. ${whatConfirms(concerns)} If they change, a corrected digest follows.`,
    steps: [
      typed('To see what the service returns now', 'campaigns', ...spanOf(concerns), ...accountsOf(concerns)),
      accepted(
        'To load and confirm',
        ` as the service returns ${plural(concerns.length, 'it', 'them')} now`,
        concerns,
        now,
      ),
    ],
  }),
  DATES_IGNORED: ({ concerns, now }) => ({
    severity: 'warning',
    what: 'the service ignores dates',
    cause: `A request for two days returned the figures of one: the service returns the same figures for every date. Those of ${formatDates(daysOf(concerns), now.today)} are provisional, because nobody knows which days they are of. Each run fetches them again.`,
    steps: [
      manual('Ask the provider why campaignSummary ignores startdate and enddate'),
      typed('To see what the service returns', 'doctor'),
    ],
  }),
  ANOMALY_KNOWN: ({ key, concerns, now }) => ({
    severity: 'warning',
    what: 'known anomaly',
    cause: `${detailsOf(concerns, now)} More than half of the last 14 days had this, so the figures count as confirmed. If the service leaves something out every time, they are too low.`,
    steps: [
      manual(
        `Compare a day${namesOf(concerns).length === 1 ? '' : ' of each account'} with the provider's own report; if figures are missing, ask the provider`,
      ),
      typed('To see how the service responds', 'doctor'),
      dismiss('If the figures are right', key),
    ],
  }),
  UNUSUAL_VOLUME: ({ key, concerns, now }) => ({
    severity: 'warning',
    what: 'unusually few attempts',
    cause: `${detailsOf(concerns, now)} Nothing else looks wrong, so the figures are used. The alert ends when a second night returns the same figures.`,
    steps: [
      typed('To see what the service returns now', 'campaigns', ...spanOf(concerns), ...accountsOf(concerns)),
      dismiss('If the figures are right', key),
    ],
  }),
  NO_CAMPAIGNS_YET: ({ key, concerns, now }) => {
    const isFirstWeek = concerns.every(({ account }) => {
      // A dated run or a backfill sets no first expected day.
      return account!.since === null || now.today < addDays(account!.since, 8);
    });
    return {
      // A new account may not have called yet.
      severity: isFirstWeek ? 'note' : 'warning',
      what: 'no campaigns yet',
      cause: `The service has not listed a campaign for ${plural(namesOf(concerns).length, `this account on any of its ${concerns[0]!.count} loaded days`, 'these accounts on any loaded day')}. If there were calls, the figures are missing rather than 0: the token may belong to another account, or the service expects the day after as the end of a range.`,
      retried: false,
      steps: [
        typed('To see what the service returns', 'doctor'),
        manual(
          'If there were calls, set WINDOW_END=next-day, or ask the provider which account the token belongs to',
        ),
        dismiss('If there were no calls', key),
      ],
    };
  },
  LISTS_CUT: ({ key, concerns }) => {
    const lengths = [...new Set(concerns.map(({ count }) => count!))].map(formatCount).join(' or ');
    return {
      severity: 'note',
      what: `lists of exactly ${lengths} campaigns`,
      cause: `The service listed exactly ${lengths} campaigns on each of the last three days with calls. If it cuts its lists there, campaigns are missing, and the figures are too low.`,
      retried: false,
      steps: [
        manual(`Ask the provider whether campaignSummary lists more than ${lengths} campaigns`),
        dismiss('If nothing is missing', key),
      ],
    };
  },
  RECORDS_QUARANTINED: quarantined,
  CLIENTS_MISSING: ({ key, concerns, now }) => {
    const since = concerns.map(({ detail }) => detail).sort()[0]!;
    return {
      severity: 'warning',
      what: `${formatCountOf(total(concerns), 'client')} missing`,
      cause: `Since ${formatDate(since, now.today)} the service has listed less than half of the clients. That is usually an error, so nobody is marked absent. Campaigns are still loaded.`,
      steps: [
        typed('To see what the service lists', 'clients', ...accountsOf(concerns)),
        dismiss('If they are really gone, to end the alert (they are not marked absent)', key),
      ],
    };
  },
  SAME_CAMPAIGNS: ({ key, concerns }) => {
    const names = namesOf(concerns);
    const isPair = names.length === 2;
    return {
      severity: 'warning',
      what: 'same campaigns',
      cause: `These accounts have the same campaigns with the same counts. ${isPair ? "One of them probably uses the other's token, so it shows the other's figures. A sum over both counts the campaigns twice." : "Some of them probably use another account's token, so they show its figures. A sum over them counts the campaigns more than once."} Days that were confirmed before keep their figures; the others are provisional.`,
      retried: false,
      steps: [
        manual(
          `Ask the provider which account each token belongs to, and write the right tokens ${tokenDestination(concerns)}`,
        ),
        ...restarts(concerns),
        typed('Then, to load what each account has itself', 'run', ...windowsOf(concerns)),
        dismiss(`If ${isPair ? 'both' : 'all of them'} really share these campaigns`, key),
      ],
    };
  },
  MAIL_REFUSED: (cause) => {
    const { key, concerns } = cause;
    if (isGivenUp(concerns[0]!.message!)) return mailGivenUp(cause);
    return {
      ...undelivered(cause, 'mail refused', "The mail wasn't delivered and won't be resent automatically."),
      steps: [
        manual(
          'Correct or remove the address in DIGEST_TO or DIGESTS_FILE: the next run ends the alert. If nobody else got the mail, it also sends it to the new address. If somebody did, type the last command with the new address',
        ),
        dismiss("If the address is right and this mail isn't needed", key),
        ...resends('If the address accepts mail again', concerns),
      ],
    };
  },
  MAIL_UNKNOWN: (cause) => {
    const { key, concerns } = cause;
    return {
      ...undelivered(
        cause,
        'mail may not have arrived',
        "The mail may have arrived, so it won't be resent automatically.",
      ),
      steps: [
        manual('Ask the recipient whether it arrived'),
        dismiss('If it did', key),
        ...resends('If it did not', concerns),
      ],
    };
  },
  MAIL_WAITING: mailWaiting,
  DIGEST_INCOMPLETE: () => ({
    severity: 'note',
    what: 'sent with incomplete or provisional figures',
    cause: 'Nothing to do: a corrected digest follows automatically if the figures change.',
    steps: [],
  }),
} satisfies { readonly [code: string]: (cause: Cause) => Text };

/** An error of days and client lists: what the service answered. */
function failed({ concerns, now }: Cause): Text {
  const { code, cause: answer } = concerns[0]! as Concern & { readonly code: ErrorCode };
  const lists = concerns.filter(({ day }) => day === undefined);
  const isRefused = code === 'TOKEN_REFUSED' && answer !== 'unproven';
  const isEveryToken =
    code === 'TOKEN_REFUSED' && now.accounts > 1 && namesOf(concerns).length === now.accounts;
  const isOld = concerns.every(isBeyondReach);
  const open = daysOf(concerns.filter(({ lacks }) => lacks));
  const sentences = [withStop(capitalize(concerns.at(-1)!.detail))];
  if (open.length > 0) sentences.push(missingFrom(concerns, now.today));
  else if (lists.length < concerns.length)
    sentences.push(
      `${formatDates(daysOf(concerns), now.today)} ${plural(daysOf(concerns).length, 'keeps its', 'keep their')} earlier figures.`,
    );
  if (lists.length > 0) sentences.push(lastComplete(lists, now));
  if (lists.length === concerns.length && code !== 'TOKEN_REFUSED')
    sentences.push('Campaigns are still loaded.');
  const tried = triedSetting(lists);
  if (tried !== null)
    sentences.push(
      `A client page that failed ${tried.helps ? 'loads' : 'fails, too,'} with ${tried.setting}.`,
    );
  if (isEveryToken)
    sentences.push(
      'Every token is refused: either the service has a fault, which passes, or the tokens have expired.',
    );
  if (isRefused && isEveryToken) sentences.push('Each nightly run tries them again.');
  else if (isRefused)
    sentences.push(
      `Nothing is loaded for ${plural(namesOf(concerns).length, 'the account until its token is', 'these accounts until their tokens are')} replaced.`,
    );
  else if (isOld)
    sentences.push(
      plural(
        daysOf(concerns).length,
        'It is older than CATCH_UP_DAYS, so no run fetches it.',
        'They are older than CATCH_UP_DAYS, so no run fetches them.',
      ),
    );
  else if (!tried?.helps) sentences.push(now.nextAttempt);
  const first = [
    ...(tried?.helps ? sets(tried.setting) : []),
    ...(isRefused && isEveryToken ? [typed('To see whether the service still refuses them', 'doctor')] : []),
    ...firstSteps(code, answer, concerns),
  ];
  const status = /^\d/.test(answer ?? '')
    ? `status ${answer}`
    : answer === 'unproven'
      ? 'not yet certain'
      : answer;
  return {
    severity: 'error',
    what: `${errorCatalogue[code].summary}${status === undefined ? '' : ` (${status})`}`,
    short: errorCatalogue[code].summary,
    // The summary of an incomplete list names it.
    more: lists.length === 0 || code === 'WALK_INCOMPLETE' ? [] : [`client ${plural(lists.length, 'list')}`],
    cause: sentences.join(' '),
    retried: !isRefused && !isOld,
    // A service that is there and busy needs time alone.
    steps: [
      ...first,
      ...loads(concerns, first.length > 0 ? 'Then' : 'To run as soon as the service is back', now),
    ],
  };
}

/** The setting that a run tried last on a page of one of the lists, rather one that helps; null if none did. */
function triedSetting(lists: readonly Concern[]) {
  const tried = lists.flatMap(({ account }) => {
    const { triedSetting: setting, triedSettingHelps: helps } = account!.walk;
    return setting === null ? [] : { setting, helps };
  });
  return tried.find(({ helps }) => helps) ?? tried[0] ?? null;
}

/** Sets what helped in a trial; each has its price. */
function sets(setting: string): AlertStep[] {
  const prices = {
    CLIENT_BALANCE: 'balances are then no longer loaded',
    PAGE_LIMIT: 'a list then takes more requests',
    CONCURRENCY: 'a run then sends one request at a time, and takes longer',
  };
  const price = prices[setting.split('=')[0] as keyof typeof prices];
  return [
    manual(`Set ${setting}: ${price}`),
    manual(`If schedule is running, restart it, ${restartCommand}`),
  ];
}

/** What the figures lack, counted for each day where accounts differ. */
function missingFrom(concerns: readonly Concern[], today: Day): string {
  const open = concerns.filter(({ lacks }) => lacks);
  const days = daysOf(open);
  const from = (text: string) => `${text} missing from the figures`;
  const end = ', and the digests say so.';
  if (lackTheSame(open))
    return `${from(`${formatDates(days, today)} ${plural(days.length, 'is', 'are')}`)}${end}`;
  if (days.length > 3)
    return `${from(`Days ${formatBetween(days, today)} are`)} of ${formatCountOf(namesOf(open).length, 'account')}${end}`;
  const [[first, most], ...rest] = days
    .map((day) => [formatDate(day, today), open.filter((each) => each.day === day).length] as const)
    .sort(([, one], [, other]) => other - one) as [
    readonly [string, number],
    ...(readonly [string, number])[],
  ];
  const others = rest.map(([day, count]) => `${day} from those of ${formatCount(count)}`);
  return `${from(`${first} is`)} of ${formatCountOf(most, 'account')}, ${formatList(others)}${end}`;
}

const formatBetween = (days: readonly Day[], today: Day) =>
  `between ${formatDate(days[0]!, today)} and ${formatDate(days.at(-1)!, today)}`;

/** All accounts lack the same days. */
const lackTheSame = (open: readonly Concern[]) => open.length === daysOf(open).length * namesOf(open).length;

function lastComplete(lists: readonly Concern[], { today }: Situation): string {
  const first = lists.flatMap(({ account }) => account!.walk.completeRunDate ?? []).sort()[0];
  if (first === undefined) return 'No client list has been complete yet.';
  const date = formatDate(first, today);
  return lists.length === 1
    ? `The client list was last complete on ${date}.`
    : `Client lists were last complete on ${date} or later.`;
}

/** What a person has to do before a run can help. */
function firstSteps(
  code: ErrorCode,
  answer: string | undefined,
  concerns: readonly Concern[],
): readonly AlertStep[] {
  if (answer === 'unproven') return [];
  if (code === 'TOKEN_REFUSED') {
    return [
      manual(`Write the new ${plural(namesOf(concerns).length, 'token')} ${tokenDestination(concerns)}`),
      ...restarts(concerns),
    ];
  }
  if (code === 'INTERNAL') return [manual("Report it, with the stack in the run's log")];
  if (code === 'WINDOW_UNFINISHED') return [manual("Look at the workers' logs")];
  if (answer === '429') return [manual('Set RATE_PER_SECOND to what the service allows')];
  if (code === 'SERVICE_UNAVAILABLE' && answer?.startsWith('5')) return [];
  if (answer === '403')
    return [manual("Let the firewall in front of the service allow this machine's address")];
  if (code === 'SERVICE_UNAVAILABLE')
    return [typed('To see whether SERVICE_BASE_URL can be reached from here', 'doctor')];
  return [typed('To see what the service returns', 'doctor')];
}

/** A run loads days within its reach, a backfill those that no worker could finish before. */
function loads(concerns: readonly Concern[], runText: string, { today }: Situation): AlertStep[] {
  const old = concerns.filter(isBeyondReach);
  return [
    ...(old.length < concerns.length ? [runNow(runText)] : []),
    ...(old.length === 0
      ? []
      : [
          typed(`To load ${formatDates(daysOf(old), today)}`, 'backfill', ...spanOf(old), ...accountsOf(old)),
        ]),
  ];
}

function clientListRefused({ key, concerns, now }: Cause): Text {
  return {
    severity: 'error',
    what: `client ${plural(concerns.length, 'list')} refused`,
    cause: [
      withStop(capitalize(concerns.at(-1)!.detail)),
      'Only the client list (getClients) is refused. Campaigns are still loaded.',
      lastComplete(concerns, now),
    ].join(' '),
    retried: false,
    steps: [
      manual(
        `Ask the provider to allow getClients for the token, or write another token to ${formatList(tokenPlaces(concerns))}`,
      ),
      ...restarts(concerns),
      runNow('Then'),
      dismiss(
        `If ${plural(concerns.length, "the account isn't", "these accounts aren't")} meant to list clients`,
        key,
      ),
    ],
  };
}

function missingDays({ key, concerns, now }: Cause): Text {
  const isOne = daysOf(concerns).length === 1;
  return {
    severity: 'error',
    what: isOne ? 'day not loaded' : 'days not loaded',
    cause: `${isOne ? 'It is' : 'They are'} missing from the figures: no run has loaded ${isOne ? 'it' : 'them'}. ${now.nextAttempt}`,
    steps: [runNow(), dismiss("If the service doesn't have them", key)],
  };
}

/** Of days that no run fetches any more, only the first is known. */
function earlierDays({ key, concerns, now }: Cause): Text {
  const first = concerns.map(({ detail }) => detail).sort()[0]!;
  const end = concerns
    .map(({ account }) => account!.catchUpFrom)
    .sort()
    .at(-1)!;
  return {
    severity: 'error',
    what: 'earlier days incomplete',
    more: [`from ${formatDate(first, now.today)}`],
    cause: `Some days from ${formatDate(first, now.today)} to ${formatDate(addDays(end, -1), now.today)} are missing from the figures or not confirmed. No run fetches days that are older than CATCH_UP_DAYS.`,
    retried: false,
    steps: [
      typed(
        'To load the missing ones',
        'backfill',
        '--from',
        first,
        '--to',
        addDays(end, -1),
        ...accountsOf(concerns),
      ),
      typed(
        'If those that stay provisional are right, to confirm them',
        'accept',
        '--from',
        first,
        '--to',
        addDays(end, -1),
        ...accountsOf(concerns),
      ),
      dismiss('If the service no longer has those days', key),
    ],
  };
}

/** A person alone applies what takes figures away; what is incomplete may still come complete. */
function whatAppliesHeld(concerns: readonly Concern[]): string {
  const code = concerns[0]!.cause as HeldCode;
  const isLoss = code === 'emptied' || code === 'halved' || code === 'zeroed' || code === 'unreported';
  const them = plural(concerns.length, 'It is', 'They are');
  return isLoss
    ? `${them} applied only if you accept ${plural(concerns.length, 'it', 'them')}.`
    : `Each run fetches ${plural(daysOf(concerns).length, 'the day', 'the days')} again, and a complete response is applied automatically.`;
}

/** Repetition shows that something was decided, not that it is complete. */
function whatConfirms(concerns: readonly Concern[]): string {
  const code = concerns[0]!.cause as AnomalyCode;
  if (code === 'no_list' || code === 'no_calls')
    return 'If another night returns the same, they are confirmed.';
  if (code === 'same_figures')
    return 'A request for both days at once shows whether the service ignores dates.';
  return 'They are confirmed once the service sends the day completely, or if you accept them.';
}

/** Accepts all of them at once, and says so if there is more between the first and the last. */
function accepted(
  what: string,
  condition: string,
  concerns: readonly Concern[],
  { concerns: all }: Situation,
): AlertStep {
  const days = daysOf(concerns);
  const names = accountsOf(concerns).length === 0 ? null : namesOf(concerns);
  const own = new Set(concerns);
  const others = all.filter(
    (each) =>
      !own.has(each) &&
      (each.code === 'RESPONSE_HELD' || each.code === 'DAYS_PROVISIONAL') &&
      each.day! >= days[0]! &&
      each.day! <= days.at(-1)! &&
      (names === null || names.includes(each.account!.name)),
  );
  const them = concerns.length === 1 ? 'it' : `all ${concerns.length}`;
  const more = others.length === 0 ? '' : `, and ${others.length} of other alerts`;
  return typed(`${what} ${them}${more}${condition}`, 'accept', ...windowsOf(concerns));
}

function quarantined({ key, concerns, now }: Cause): Text {
  const ofDays = concerns.filter(({ day }) => day !== undefined);
  const ofLists = concerns.filter(({ day }) => day === undefined);
  const example = concerns
    .flatMap(({ account }) => account!.quarantined)
    .find((group) => group.example !== null);
  const stateOf = ({ account, day }: Concern) => account!.days.find((each) => each.day === day);
  const low = ofDays.filter((each) => stateOf(each)?.anomalies.some(({ code }) => code === 'unreadable'));
  // Nothing speaks against the day: its records repeat what is loaded.
  const repeated = ofDays.filter((each) => {
    const state = stateOf(each);
    return (
      !low.includes(each) &&
      (state === undefined ||
        (state.state !== 'failed' &&
          state.state !== 'missing' &&
          state.code === null &&
          !state.held &&
          state.isOver))
    );
  });
  const lacking = ofDays.filter((each) => !repeated.includes(each));
  const isHarmless = lacking.length === 0 && ofLists.length === 0;
  const sentences = [`Reason: ${withStop(firstThree(concerns.map(({ detail }) => detail)))}`];
  if (low.length > 0)
    sentences.push(`They are missing from the figures of ${formatDates(daysOf(low), now.today)}.`);
  if (repeated.length > 0)
    sentences.push(
      `On ${formatDates(daysOf(repeated), now.today)} they repeat records that are loaded, so nothing is missing.`,
    );
  if (ofLists.length > 0)
    sentences.push(
      'Known clients keep their last name and balance; new ones are missing until they can be read.',
    );
  sentences.push('The alert ends when the service sends readable records, or stops sending them.');
  sentences.push(`For example: ${example?.example ?? 'none is kept'}`);
  return {
    severity: 'warning',
    what: `${formatCountOf(total(concerns), 'record')} can't be read`,
    short: "records can't be read",
    more: ofDays.length === 0 ? ['client list'] : [],
    cause: sentences.join(' '),
    steps: [
      ...(ofLists.length > 0 ? [runNow('To fetch the client list again')] : []),
      ...(lacking.length === 0
        ? []
        : [
            typed(
              `To fetch ${plural(daysOf(lacking).length, 'the day', 'the days')} again`,
              'run',
              ...windowsOf(lacking),
            ),
            typed('After an update of Callsheet that can read them', 'replay', ...spanOf(lacking)),
          ]),
      typed('To see all of them', 'status', '--json'),
      dismiss(
        isHarmless
          ? 'To end the alert'
          : "If you don't need these records (their days then count as confirmed without them)",
        key,
      ),
    ],
  };
}

/** The error that ended or prevented a run. */
function runEnded({ concerns, now }: Cause): Text {
  const { code, detail } = concerns[0]! as Concern & { readonly code: ErrorCode };
  const what = `run failed: ${errorCatalogue[code].summary}`;
  const isForGood = errorCatalogue[code].exitCode === exitCode.configuration;
  return {
    severity: 'error',
    what,
    brief: what,
    title: capitalize(what),
    cause: `${withStop(capitalize(detail))} ${lackedBy(concerns, now)} ${isForGood ? 'Every run fails like this until it is corrected.' : now.nextAttempt}`,
    steps: [stepBeforeRun(code), runNow('Then')],
  };
}

/** What the figures lack because a run failed. */
function lackedBy(concerns: readonly Concern[], { today }: Situation): string {
  const days = daysOf(concerns);
  if (days.length === 0) return 'Loaded figures stay; the rest is missing until a run succeeds.';
  const whose =
    namesOf(concerns).length === 1 ? '' : ` of ${formatCountOf(namesOf(concerns).length, 'account')}`;
  return `${formatDates(days, today)}${whose} ${plural(days.length, 'is', 'are')} missing from the figures until a run succeeds.`;
}

function stepBeforeRun(code: ErrorCode): AlertStep {
  if (code === 'SCHEMA_TOO_OLD') return typed('To bring the schema to this version', 'migrate');
  if (code === 'INTERNAL') return manual("Report it, with the stack in the run's log");
  return typed('To see what is wrong', 'doctor');
}

/** Digests that an error kept from being built. */
function digestNotSent({ concerns, now }: Cause): Text {
  const { code, detail } = concerns.at(-1)! as Concern & { readonly code: ErrorCode };
  return {
    severity: 'error',
    what: `digest not sent (${errorCatalogue[code].summary})`,
    cause: `${withStop(capitalize(detail))} Loaded figures are not affected. ${now.nextAttempt}`,
    steps: [
      ...(code === 'INTERNAL' ? [manual("Report it, with the stack in the run's log")] : []),
      runNow(`To send ${plural(concerns.length, 'it', 'them')} now`),
    ],
  };
}

/** Mail that failed on several run dates. */
function mailGivenUp(cause: Cause): Text {
  const { key, concerns } = cause;
  const { correct } = waitingCauses[concerns[0]!.cause as keyof typeof waitingCauses];
  return {
    ...undelivered(
      cause,
      'mail refused (given up)',
      "It failed on seven run dates, so it won't be resent automatically.",
    ),
    steps: [
      manual(correct ?? 'Ask who runs the mail server'),
      ...resends('Then, to send it again', concerns),
      dismiss("If this mail isn't needed", key),
    ],
  };
}

/** What the mail server replied, in quotes; or what happened instead. */
const quoted = (detail: string): string =>
  withStop(/^[2-5]\d\d\b/.test(detail) ? `The mail server replied "${detail}"` : capitalize(detail));

function undelivered({ concerns }: Cause, what: string, then: string) {
  return {
    severity: 'error',
    what,
    cause: `${quoted(concerns.at(-1)!.detail)} ${then}`,
    retried: false,
  } as const;
}

function resends(text: string, concerns: readonly Concern[]): AlertStep[] {
  const { digest, message } = concerns.at(-1)!;
  const rest = concerns.length - 1;
  return [
    { ...resend(digest!.name, digest!.day, message!.recipient), text },
    ...(rest === 0 ? [] : [manual(`For the other ${rest}, status --json has the same command`)]),
  ];
}

/** Sends a message again that may or may not have arrived. */
export const resend = (digest: string, day: Day, recipient: string): AlertStep =>
  typed('To send it again', 'digest', '--day', day, '--digest', digest, '--to', recipient, '--resend');

type Waiting = {
  /** What happens, with the mail server or the folder as its subject. */
  readonly what: string;
  /** What to correct; null if it may pass without a person. */
  readonly correct: string | null;
};

/** Why mail waits. docs/operations.md has them as a table. */
export const waitingCauses: Readonly<Record<Exclude<DeliveryCause, 'recipient'>, Waiting>> = {
  sender: {
    what: 'mail server refuses DIGEST_FROM',
    correct: 'Set DIGEST_FROM to an address that this login may send from',
  },
  message: {
    what: 'mail server refuses the message',
    correct: 'If it is too large, lower DIGEST_MAX_MB; else ask who runs the mail server',
  },
  machine: {
    what: 'mail server refuses this machine',
    correct:
      'Let the mail server accept this machine, or log in by SMTP_URL; its reply may name a block list',
  },
  login: {
    what: 'mail server refuses the login',
    correct: 'Correct user and password in SMTP_URL',
  },
  encryption: {
    what: "connection to the mail server can't be secured",
    correct: 'Correct SMTP_URL or the certificate, as the reply says',
  },
  policy: {
    what: "mail server's rules refuse the mail",
    correct:
      'Ask who runs the mail server which rule or limit it is: about DIGEST_FROM, this machine, the content or the number of mails',
  },
  undecided: {
    what: 'mail server refuses mail',
    correct: 'Check the address, DIGEST_FROM and SMTP_URL, or ask who runs the mail server',
  },
  busy: { what: 'mail server postpones mail', correct: null },
  unreachable: { what: "mail server can't be reached", correct: null },
  silent: { what: "mail server doesn't answer", correct: null },
  folder: { what: "OUTBOX_DIR can't be written", correct: 'Let Callsheet write to OUTBOX_DIR' },
};

function mailWaiting({ concerns, now }: Cause): Text {
  const { cause, detail, mailServer } = concerns.at(-1)!;
  const waiting = cause === undefined ? undefined : waitingCauses[cause as keyof typeof waitingCauses];
  const what = waiting?.what ?? 'mail is waiting';
  const digests = unique(concerns.map(({ digest }) => digestName(digest!))).length;
  const count = formatCountOf(digests, 'digest');
  const subject = waiting === undefined || cause === 'folder' ? capitalize(what) : `The ${what}`;
  return {
    severity: 'error',
    what,
    brief: `${what} (${count})`,
    title: `${subject}: ${count} not sent yet`,
    cause: `${quoted(detail)} ${mailServer!.isLeftAlone ? 'The server left two messages unanswered today, which may have arrived: so scheduled runs send nothing until tomorrow.' : now.nextAttempt}`,
    steps: [
      ...(waiting?.correct == null ? [] : [manual(waiting.correct)]),
      cause === 'folder'
        ? typed('To check the folder', 'doctor')
        : typed('To send a test message', 'doctor', '--mail-to', mailServer!.testAddress),
      runNow(waiting?.correct == null ? 'To send now' : 'Then, to send the digests'),
    ],
  };
}

/** What they hit, by its kind: whom it concerns first. */
function hitsOf(concerns: readonly Concern[], { today }: Situation): Hit[] {
  const hit = (noun: string, names: readonly string[]): Hit[] =>
    names.length === 0 ? [] : [{ noun, names: unique(names) }];
  return [
    ...hit(
      'account',
      concerns.flatMap(({ account }) => account?.label ?? []),
    ),
    ...hit(
      'recipient',
      concerns.flatMap(({ message }) => message?.recipient ?? []),
    ),
    ...hit(
      'digest',
      concerns.flatMap(({ digest }) => (digest === undefined ? [] : nameOfDigest(digest, today))),
    ),
    ...hit(
      'day',
      lackingDays(concerns).map((day) => formatDate(day, today)),
    ),
  ];
}

/** `Campaigns of 20 Nov`, `Campaigns of the week of 16 Nov`, `Campaigns of Nov`. */
function nameOfDigest({ name, every, day }: DigestKey, today: Day): string {
  const from = formatDate(periodOf(every, day).from, today);
  if (every === 'day') return `${name} of ${from}`;
  return `${name} of ${every === 'week' ? `the week of ${from}` : from.replace('1 ', '')}`;
}

/** Two names, or how many. */
function countOrNames({ noun, names }: Hit): string {
  return names.length <= 2 ? formatList(names) : formatCountOf(names.length, noun);
}

const detailsOf = (concerns: readonly Concern[], now: Situation): string =>
  withStop(capitalize(reasonsOf(concerns, now)));

/** The reason where all have one, else the first three with their places. */
function reasonsOf(concerns: readonly Concern[], { today }: Situation): string {
  const reasons = unique(concerns.map(({ detail }) => detail));
  if (reasons.length === 1) return reasons[0]!;
  return firstThree(
    concerns.map(({ account, day, detail }) => `${account!.label}, ${formatDate(day!, today)}: ${detail}`),
  );
}

function firstThree(phrases: readonly string[]): string {
  const some = unique(phrases);
  return `${some.slice(0, 3).join('; ')}${some.length > 3 ? `; and ${some.length - 3} more` : ''}`;
}

const unique = <T>(items: readonly T[]): T[] => [...new Set(items)];
const total = (concerns: readonly Concern[]) => concerns.reduce((sum, { count }) => sum + count!, 0);
const daysOf = (concerns: readonly Concern[]) => unique(concerns.flatMap(({ day }) => day ?? [])).sort();
const namesOf = (concerns: readonly Concern[]) =>
  unique(concerns.flatMap(({ account }) => account?.name ?? []));
const tokenPlaces = (concerns: readonly Concern[]) =>
  unique(concerns.map(({ account }) => account!.token.place));
const tokenDestination = (concerns: readonly Concern[]) => {
  const places = tokenPlaces(concerns);
  return places.length > 3 ? 'where ACCOUNTS_FILE names them' : `to ${formatList(places)}`;
};
const restartCommand = 'in Compose by: docker compose up --detach --force-recreate schedule';

/** `schedule` reads a setting at its start alone. */
const restarts = (concerns: readonly Concern[]): AlertStep[] =>
  concerns.some(({ account }) => account!.token.isReadAtStart)
    ? [manual(`If schedule is running, restart it, ${restartCommand}`)]
    : [];

const isBeyondReach = ({ account, day }: Concern) => day !== undefined && day < account!.catchUpFrom;

/** The days that the figures lack; all of them, where they lack none. */
function lackingDays(concerns: readonly Concern[]): Day[] {
  const lacking = daysOf(concerns.filter(({ lacks }) => lacks));
  return lacking.length > 0 ? lacking : daysOf(concerns);
}

/** Days that only some of the accounts lack are no list of days for all. */
function formatLacking(concerns: readonly Concern[], today: Day): string {
  const open = concerns.filter(({ lacks }) => lacks);
  const days = lackingDays(concerns);
  return lackTheSame(open) ? formatDates(days, today) : formatBetween(days, today);
}

/** `--account` for each, unless they are too many for a line: then the command takes all. */
const accountsOf = (concerns: readonly Concern[]) =>
  namesOf(concerns).length > 5 ? [] : namesOf(concerns).flatMap((name) => ['--account', name]);

function spanOf(concerns: readonly Concern[]): string[] {
  const days = daysOf(concerns);
  return ['--from', days[0]!, '--to', days.at(-1)!];
}

function windowsOf(concerns: readonly Concern[]): string[] {
  const days = daysOf(concerns);
  return [...(days.length === 1 ? ['--day', days[0]!] : spanOf(concerns)), ...accountsOf(concerns)];
}

const manual = (text: string): AlertStep => ({ text, command: null });

const typed = (text: string, ...command: CommandWords): AlertStep => ({ text, command });

/** Does the next run's work at once. */
export const runNow = (text = 'To do it now'): AlertStep => typed(text, 'run');

/** Acknowledges what can't be fixed. */
const dismiss = (text: string, key: string): AlertStep => typed(text, 'status', '--dismiss', key);
