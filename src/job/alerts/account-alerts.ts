import type { AlertStep, Hit } from '../../model/alert.ts';
import { type Anomaly, unknownAnomalies } from '../../model/anomaly.ts';
import { addDays, type Day, isOver, yesterday } from '../../model/day.ts';
import type { SameCampaigns } from '../../model/digest.ts';
import { type ErrorCode, errorCatalogue } from '../../model/errors.ts';
import {
  capitalize,
  formatCount,
  formatCountOf,
  formatDays,
  formatList,
  plural,
  withStop,
} from '../../support/english.ts';
import { needsCompleteWalk, walkConcerns } from '../clients/walk-status.ts';
import { describeAnomaly } from '../windows/describe-anomaly.ts';
import { dismiss, hit, manual, runNow, titled, typed, unique } from './sentences.ts';
import type { AccountState, FoundAlert, WarehouseState } from './state.ts';

/** A day of an account that a cause hit; its client list if the day is null. */
type Item = { readonly account: AccountState; readonly day: Day | null };

/** The alerts about days and client lists, over all accounts. */
export function accountAlerts(
  state: WarehouseState,
  now: Temporal.Instant,
  nextAttempt: string,
): FoundAlert[] {
  const { accounts } = state;
  return [
    ...errors(accounts, nextAttempt),
    ...missingDays(state, now, nextAttempt),
    ...earlierDays(state),
    ...heldDays(accounts),
    ...provisionalDays(accounts),
    ...knownAnomalies(accounts),
    ...unusualVolumes(accounts),
    ...quarantined(accounts),
    ...missingClients(accounts),
    ...state.sameCampaigns.map(sameCampaigns),
  ];
}

const daysOf = (items: readonly Item[]): Day[] => unique(items.flatMap(({ day }) => day ?? [])).sort();
const isBeyondReach = ({ account, day }: Item) => day !== null && day < account.firstCaughtUp;
const namesOf = (items: readonly Item[]) => unique(items.map(({ account }) => account.name));
const hitsOf = (items: readonly Item[]): Hit[] => [
  ...hit(
    'account',
    items.map(({ account }) => account.label),
  ),
  ...hit('day', daysOf(items)),
];

/** The fields of an alert about these, which the next run tries again. */
const about = (items: readonly Item[]) => ({
  accounts: namesOf(items),
  affects: unique(items.map(({ account, day }) => `${account.name} ${day ?? 'clients'}`)),
  retried: true,
});

/** `--account` for each, unless they are too many for a line: then the command takes all. */
const accountOptions = (items: readonly Item[]) =>
  namesOf(items).length > 5 ? [] : namesOf(items).flatMap((name) => ['--account', name]);
const daySpan = (days: readonly Day[]) => ['--from', days[0]!, '--to', days.at(-1)!];
/** The first three, as one sentence. */
const firstOf = (sentences: readonly string[]) => {
  const some = unique(sentences);
  return `${some.slice(0, 3).join('; ')}${some.length > 3 ? '; …' : ''}`;
};

type ErrorItem = Item & { readonly code: ErrorCode; readonly detail: string; readonly isLoaded: boolean };

/** The last errors of days and client lists: one alert for each code and what the service answered. */
function errors(accounts: readonly AccountState[], nextAttempt: string): FoundAlert[] {
  const items = accounts.flatMap((account): ErrorItem[] => {
    const { walk } = account;
    const days = account.failed.map((failed) => ({ account, ...failed }));
    if (!needsCompleteWalk(walk)) return days;
    const code = walk.errorCode ?? 'WALK_INCOMPLETE';
    return [{ account, day: null, code, detail: walk.reason!, isLoaded: true }, ...days];
  });
  const alike = Map.groupBy(items, (item) => [item.code, ...answerOf(item)].join('/'));
  return [...alike].map(([key, group]) => errorAlert(key, group, nextAttempt));
}

/** Part of the key of a token that is refused for the client list alone: campaigns load. */
const listAlone = 'clients';

/** What the service answered, as a part of the alert's key: a status, or the code of its connection. */
function answerOf({ account, code, detail }: ErrorItem): string[] {
  if (code === 'TOKEN_REFUSED' && account.failed.every((day) => day.code !== code)) return [listAlone];
  if (code === 'TOKEN_REFUSED' || code === 'WALK_INCOMPLETE' || code === 'INTERNAL') return [];
  const [, status, connection] = /\bstatus (\d{3})\b|\(([A-Z][A-Z_]{3,})\)/.exec(detail) ?? [];
  return [status ?? connection ?? []].flat();
}

function errorAlert(key: string, items: readonly ErrorItem[], nextAttempt: string): FoundAlert {
  const [code, answer] = key.split('/') as [ErrorCode, string?];
  if (answer === listAlone) return refusedLists(key, items);
  const lists = items.filter(({ day }) => day === null);
  const open = items.filter(({ isLoaded }) => !isLoaded);
  const status = answer === undefined ? '' : ` (${/^\d/.test(answer) ? 'status ' : ''}${answer})`;
  const listWords = lists.length === 0 ? [] : [`client ${plural(lists.length, 'list')}`];
  const first = firstSteps(code, answer, items);
  const isOld = items.every(isBeyondReach);
  const next = isOld ? 'No run fetches that any more: it is beyond CATCH_UP_DAYS.' : nextAttempt;
  return {
    code,
    key,
    severity: 'error',
    ...titled(`${errorCatalogue[code].summary}${status}`, hitsOf(items), listWords),
    brief: titled(errorCatalogue[code].summary, hitsOf(items)).brief,
    cause: [
      withStop(capitalize(items.at(-1)!.detail)),
      ...(lists.length === items.length ? [] : [figuresOf(daysOf(open))]),
      ...(lists.length === 0 ? [] : [describeLists(lists)]),
      code === 'TOKEN_REFUSED' ? 'Every run fails until the token is replaced.' : next,
    ].join(' '),
    ...about(items),
    retried: code !== 'TOKEN_REFUSED' && !isOld,
    // A service that is there and busy needs time alone.
    steps: [...first, ...loadSteps(items, first.length > 0 ? 'Then' : 'Wait, or once it answers again')],
  };
}

function refusedLists(key: string, items: readonly ErrorItem[]): FoundAlert {
  const places = unique(items.map(({ account }) => account.tokenPlace));
  return {
    code: 'TOKEN_REFUSED',
    key,
    severity: 'error',
    ...titled(`client ${plural(items.length, 'list')} refused`, hitsOf(items)),
    cause: [
      withStop(capitalize(items.at(-1)!.detail)),
      'Only getClients is refused: campaigns are requested all the same.',
      describeLists(items),
    ].join(' '),
    ...about(items),
    retried: false,
    steps: [
      manual(`Ask the provider to permit getClients, or write another token to ${formatList(places)}`),
      runNow('Then'),
      dismiss(`If ${plural(items.length, 'the account', 'these accounts')} may not list clients`, key),
    ],
  };
}

/** What an error of days means for the figures. */
function figuresOf(open: readonly Day[]): string {
  if (open.length === 0) return 'The figures that were loaded before stay.';
  return `The figures lack ${formatDays(open)}, and digests say so.`;
}

function describeLists(lists: readonly Item[]): string {
  const last = lists.flatMap(({ account }) => account.walk.completeRunDate ?? []).sort()[0];
  const of = last === undefined ? 'No client list is complete yet' : `Client lists stay as of ${last}`;
  return lists.length === 1 ? `${of.replace('lists stay', 'list stays')}.` : `${of} or later.`;
}

/** What a person has to do before a run can help. */
function firstSteps(code: ErrorCode, answer: string | undefined, items: readonly Item[]): AlertStep[] {
  if (code === 'TOKEN_REFUSED') {
    const places = unique(items.map(({ account }) => account.tokenPlace));
    const where = places.length > 3 ? 'where ACCOUNTS_FILE names them' : `to ${formatList(places)}`;
    return [manual(`Write the new ${plural(namesOf(items).length, 'token')} ${where}`)];
  }
  if (code === 'INTERNAL') return [manual('Report it, with the stack in the log of the run')];
  if (code === 'WINDOW_UNFINISHED') return [manual('Look at the logs of the workers')];
  if (answer === '429') return [manual('Set RATE_PER_SECOND to what the service allows')];
  if (code === 'SERVICE_UNAVAILABLE' && answer?.startsWith('5')) return [];
  if (answer === '403')
    return [manual("Have this machine's address allowed by the firewall in front of the service")];
  if (code === 'SERVICE_UNAVAILABLE')
    return [typed('To see whether SERVICE_BASE_URL can be reached from here', 'doctor')];
  return [typed('To see what the service says', 'doctor')];
}

/** A run loads days within its reach, a backfill those that no worker could finish before. */
function loadSteps(items: readonly Item[], runText: string): AlertStep[] {
  const old = items.filter(isBeyondReach);
  const days = daysOf(old);
  return [
    ...(old.length < items.length ? [runNow(runText)] : []),
    ...(old.length > 0
      ? [typed(`To load ${formatDays(days)}`, 'backfill', ...daySpan(days), ...accountOptions(old))]
      : []),
  ];
}

function missingDays(state: WarehouseState, now: Temporal.Instant, nextAttempt: string): FoundAlert[] {
  const items = state.accounts.flatMap((account) =>
    account.missing.filter((day) => !awaitsRun(day, account, state, now)).map((day) => ({ account, day })),
  );
  if (items.length === 0) return [];
  const count = daysOf(items).length;
  const them = plural(count, 'it', 'them');
  return [
    {
      code: 'DAYS_NOT_LOADED',
      key: 'DAYS_NOT_LOADED',
      severity: 'error',
      ...titled(plural(count, 'day not loaded', 'days not loaded'), hitsOf(items)),
      cause: [
        `No run has loaded ${them} since ${plural(count, 'it was', 'they were')} over, and the figures lack ${them}.`,
        nextAttempt,
      ].join(' '),
      ...about(items),
      steps: [runNow()],
    },
  ];
}

/** Days that no run fetches any more: all that is known of them is the last day before the first that lacks. */
function earlierDays({ accounts, isBackfilling }: WarehouseState): FoundAlert[] {
  const items = accounts.flatMap((account) => {
    const { since, completeThrough, firstCaughtUp } = account;
    const first = completeThrough === null ? since : addDays(completeThrough, 1);
    return first !== null && first < firstCaughtUp ? [{ account, day: first }] : [];
  });
  if (items.length === 0) return [];
  const first = daysOf(items)[0]!;
  const end = items
    .map(({ account }) => account.firstCaughtUp)
    .sort()
    .at(-1)!;
  const key = 'DAYS_NOT_LOADED/earlier';
  return [
    {
      code: 'DAYS_NOT_LOADED',
      key,
      // A backfill is at work on them.
      severity: isBackfilling ? 'note' : 'error',
      ...titled(
        'earlier days not complete',
        hit(
          'account',
          items.map(({ account }) => account.label),
        ),
        [`from ${first} on`],
      ),
      cause: `Some days before ${end} are missing or not confirmed. No run fetches them any more: they are beyond CATCH_UP_DAYS.`,
      ...about(items),
      retried: false,
      steps: [
        // It loads only what is missing between the two.
        typed('To load them', 'backfill', ...daySpan([first, addDays(end, -1)]), ...accountOptions(items)),
        dismiss('If the service no longer has those days', key),
      ],
    },
  ];
}

/**
 * Returns whether the next run loads a day by itself: it ended after the last run began, or that run or a
 * backfill is still at work. A run that ends meanwhile planned without the days of a backfill.
 */
function awaitsRun(
  day: Day,
  { timeZone }: AccountState,
  { isBackfilling, lastRun }: WarehouseState,
  now: Temporal.Instant,
): boolean {
  const isYesterday = day === yesterday(now, timeZone);
  if (isBackfilling && !isYesterday) return true;
  if (lastRun === null) return false;
  if (isYesterday && (lastRun.state === 'in progress' || lastRun.state === 'waiting')) return true;
  if (isOver(day, timeZone, lastRun.startedAt)) return false;
  return isYesterday || Temporal.Instant.compare(now, lastRun.nextScheduledAt) < 0;
}

/** Held responses: each is applied once a later night brings it again, or by a person. */
function heldDays(accounts: readonly AccountState[]): FoundAlert[] {
  const items = accounts.flatMap((account) => account.held.map((held) => ({ account, ...held })));
  if (items.length === 0) return [];
  const days = daysOf(items);
  const key = 'RESPONSE_HELD';
  const reasons = items.map(({ reason }) => reason ?? 'it differs too much from what is loaded');
  return [
    {
      code: 'RESPONSE_HELD',
      key,
      severity: 'warning',
      ...titled(plural(items.length, 'response held', 'responses held'), hitsOf(items)),
      cause: [
        withStop(capitalize(firstOf(reasons))),
        `The figures of ${formatDays(days)} stay as they are.`,
        'What a later night brings again is applied automatically, but for what another account has, too, and for days beyond LOOKBACK_DAYS that would lose campaigns or counts.',
      ].join(' '),
      ...about(items),
      steps: [
        ...items.slice(0, 2).flatMap(({ account, day }) => accepts(account.name, day)),
        ...(items.length > 2 ? [manual(`The other ${items.length - 2} in the same way`)] : []),
        dismiss('If the figures are right as they are', key),
      ],
    },
  ];
}

/** Looks at a held response first, then applies it. */
function accepts(account: string, day: Day): AlertStep[] {
  const of = ['--day', day, '--account', account];
  return [
    typed(`To see what the response for ${day} would change`, 'run', ...of, '--dry-run'),
    typed('To apply it now', 'accept', ...of),
  ];
}

/** Days whose figures aren't confirmed yet: one alert for each kind of anomaly. */
function provisionalDays(accounts: readonly AccountState[]): FoundAlert[] {
  const items = accounts.flatMap((account) =>
    account.days
      .filter(({ state, isOver, held }) => state === 'provisional' && isOver && !held)
      .flatMap(({ day, anomalies }) =>
        unknownAnomalies(anomalies).map((anomaly) => ({ account, day, anomaly })),
      )
      .filter((item) => !isQuarantined(item) && item.anomaly.code !== 'same_campaigns'),
  );
  return [...Map.groupBy(items, ({ anomaly }) => anomaly.code)].map(([code, group]) => {
    const days = daysOf(group);
    const key = `DAYS_PROVISIONAL/${code}`;
    return {
      code: 'DAYS_PROVISIONAL',
      key,
      severity: 'warning',
      ...titled('provisional', hitsOf(group)),
      cause: [
        withStop(
          capitalize(
            firstOf(
              group.map(
                ({ account, day, anomaly }) => `${account.label}, ${day}: ${describeAnomaly(anomaly)}`,
              ),
            ),
          ),
        ),
        `Each night fetches ${plural(days.length, 'the day', 'the days')} again; if the service says the same, that is believed. The mail is corrected if the figures change.`,
      ].join(' '),
      ...about(group),
      steps: [
        typed('To see what the service says now', 'campaigns', ...daySpan(days)),
        ...group
          .slice(0, 2)
          .map(({ account, day }) =>
            typed('If it is right', 'accept', '--day', day, '--account', account.name),
          ),
        ...(group.length > 2 ? [manual(`The other ${group.length - 2} in the same way`)] : []),
      ],
    };
  });
}

/** The alert about the records says it. */
const isQuarantined = ({ account, day, anomaly }: Item & { readonly anomaly: Anomaly }) =>
  anomaly.code === 'unreadable' && account.quarantined.some((group) => group.day === day);

/** Anomalies of confirmed days: the service's way, or a list that is always cut. One alert over all accounts. */
function knownAnomalies(accounts: readonly AccountState[]): FoundAlert[] {
  const items = accounts.flatMap((account) => {
    const newest = account.days.findLast(
      ({ state, anomalies }) => state === 'loaded' && anomalies.length > 0,
    );
    return (newest?.anomalies ?? [])
      .filter(({ code }) => code !== 'no_calls' && code !== 'same_campaigns')
      .map((anomaly) => ({ account, day: newest!.day, anomaly }))
      .filter((item) => !isQuarantined(item));
  });
  if (items.length === 0) return [];
  const key = 'ANOMALY_KNOWN';
  const codes = unique(items.map(({ account, anomaly }) => `${account.name} ${anomaly.code}`));
  return [
    {
      code: 'ANOMALY_KNOWN',
      key,
      severity: 'warning',
      ...titled(
        'known anomaly',
        hit(
          'account',
          items.map(({ account }) => account.label),
        ),
      ),
      cause: [
        withStop(
          capitalize(
            firstOf(
              items.map(
                ({ account, day, anomaly }) => `${account.label}, ${day}: ${describeAnomaly(anomaly)}`,
              ),
            ),
          ),
        ),
        'Confirmed days had it, too, so it marks no day any more. But it may also be something that always lacks: compare a day with the figures of the provider.',
      ].join(' '),
      accounts: namesOf(items),
      affects: codes,
      retried: true,
      steps: [
        typed('To see how the service settles what its document leaves open', 'doctor'),
        dismiss('If it is the way of the service', key),
      ],
    },
  ];
}

/** Below this share of what the weekday usually has, where that is so many attempts at least. */
const unusualShare = 0.4;
const minUsualAttempts = 100;

/** Confirmed days with far fewer attempts than usual (design, *Unusual volume*), until a second night says the same. */
function unusualVolumes(accounts: readonly AccountState[]): FoundAlert[] {
  const items = accounts.flatMap((account) =>
    account.days.flatMap(({ day, state, settling, attempts, typicalAttempts: usual }) => {
      const isUnusual =
        state === 'loaded' &&
        settling &&
        usual !== null &&
        usual >= minUsualAttempts &&
        attempts !== null &&
        attempts < unusualShare * usual;
      return isUnusual ? [{ account, day, attempts, usual: Math.round(usual) }] : [];
    }),
  );
  if (items.length === 0) return [];
  const days = daysOf(items);
  const key = 'UNUSUAL_VOLUME';
  const facts = items.map(
    ({ account, day, attempts, usual }) =>
      `${account.label}, ${day}: ${formatCountOf(attempts, 'attempt')}, where that weekday usually has ${formatCount(usual)}`,
  );
  return [
    {
      code: 'UNUSUAL_VOLUME',
      key,
      severity: 'warning',
      ...titled('unusually few attempts', hitsOf(items)),
      cause: `${withStop(capitalize(firstOf(facts)))} Nothing speaks against the response. This ends once a second night says the same.`,
      ...about(items),
      steps: [
        typed('To see what the service says now', 'campaigns', ...daySpan(days)),
        dismiss('If it is right', key),
      ],
    },
  ];
}

/** Records that couldn't be read. */
function quarantined(accounts: readonly AccountState[]): FoundAlert[] {
  const items = accounts.flatMap((account) => account.quarantined.map((group) => ({ account, ...group })));
  const [first] = items;
  if (first === undefined) return [];
  const days = daysOf(items);
  const records = items.reduce((total, group) => total + group.records, 0);
  const key = 'RECORDS_QUARANTINED';
  return [
    {
      code: 'RECORDS_QUARANTINED',
      key,
      severity: 'warning',
      ...titled(
        `${formatCountOf(records, 'record')} can't be read`,
        hitsOf(items),
        days.length === 0 ? ['client list'] : [],
      ),
      brief: titled('records unreadable', hitsOf(items)).brief,
      cause: [
        withStop(firstOf(items.map(({ reason }) => reason))),
        ...meaningOfRejects(items),
        'It ends once the service sends them in a form that can be read, or not at all.',
        `For example: ${first.example}`,
      ].join(' '),
      accounts: namesOf(items),
      affects: unique(
        items.map(({ account, day, reason }) => `${account.name} ${day ?? 'clients'} ${reason}`),
      ),
      retried: true,
      steps: [
        ...(days.length === 0
          ? [runNow('To read the client list again')]
          : [
              typed(
                'While the service still lists the campaigns of that time',
                'run',
                ...(days.length === 1 ? ['--day', days[0]!] : daySpan(days)),
                ...accountOptions(items.filter(({ day }) => day !== null)),
              ),
              typed('After an update that reads them', 'replay', ...daySpan(days), '--reread'),
            ]),
        dismiss('If nothing can be done', key),
      ],
    },
  ];
}

/** Only what is known: a day is low, or its rejected records repeat loaded ones. */
function meaningOfRejects(items: readonly Item[]): string[] {
  const ofDays = items.filter(({ day }) => day !== null);
  const low = ofDays.filter(({ account, day }) =>
    account.days.some((each) => each.day === day && each.anomalies.some(({ code }) => code === 'unreadable')),
  );
  const repeated = ofDays.filter((item) => !low.includes(item) && isLoaded(item));
  return [
    ...(low.length === 0 ? [] : [`The figures of ${formatDays(daysOf(low))} lack them.`]),
    ...(repeated.length === 0
      ? []
      : [
          `Those of ${formatDays(daysOf(repeated))} repeat records that are loaded: nothing is missing there.`,
        ]),
    ...(ofDays.length === items.length ? [] : ['Clients among them keep the name and balance they had.']),
  ];
}

const isLoaded = ({ account: { failed, missing, held }, day }: Item) =>
  !missing.includes(day!) && ![...failed, ...held].some((each) => each.day === day);

function missingClients(accounts: readonly AccountState[]): FoundAlert[] {
  const items = accounts.flatMap((account) =>
    walkConcerns(account.walk)
      .filter(({ kind }) => kind === 'implausible')
      .map(({ missing, since }) => ({ account, day: null, missing, since })),
  );
  if (items.length === 0) return [];
  const missing = items.reduce((total, each) => total + each.missing, 0);
  const key = 'CLIENTS_MISSING';
  return [
    {
      code: 'CLIENTS_MISSING',
      key,
      severity: 'warning',
      ...titled(`${formatCountOf(missing, 'client')} missing`, hitsOf(items)),
      cause: `Since ${items.map(({ since }) => since).sort()[0]} the service lists less than half of them, which is more often an error of it than news. They count as present until a complete walk lists them again.`,
      accounts: namesOf(items),
      affects: items.map(({ account, since }) => `${account.name} ${since}`),
      retried: true,
      steps: [typed('To see what the service lists', 'clients'), dismiss('If they are gone', key)],
    },
  ];
}

/** Statistics belong to the account of the token: accounts with the same campaigns are one, counted again and again. */
function sameCampaigns({ accounts, days }: SameCampaigns): FoundAlert {
  const names = accounts.map(({ name }) => name);
  const key = `SAME_CAMPAIGNS/${names[0]}`;
  return {
    code: 'SAME_CAMPAIGNS',
    key,
    severity: 'warning',
    ...titled('the same campaigns', [
      ...hit(
        'account',
        accounts.map(({ label }) => label),
      ),
      ...hit('day', days),
    ]),
    cause:
      'All counts are the same, too: the tokens probably belong to one account, and its campaigns are counted more than once. Days that were not confirmed before are provisional until they differ.',
    accounts: names,
    affects: names,
    retried: false,
    steps: [
      manual(
        names.length > 3
          ? 'Check which accounts the tokens belong to'
          : `Check which accounts the tokens of ${formatList(names)} belong to`,
      ),
      typed('To see what they return now', 'doctor'),
      dismiss('If they share them on purpose', key),
    ],
  };
}
