import type { ObservedSign } from '../../../model/accepted.ts';
import type { AlertStep } from '../../../model/alert.ts';
import { type Anomaly, type HeldCode, openAnomalies, signOf } from '../../../model/anomaly.ts';
import { addDays, type Day } from '../../../model/day.ts';
import type { DayState } from '../../../model/window.ts';
import {
  capitalize,
  formatCount,
  formatCountOf,
  formatDate,
  formatDates,
  plural,
  withStop,
} from '../../../support/english.ts';
import { describeAnomalies } from '../../windows/describe-anomaly.ts';
import {
  acceptAlways,
  accountOptions,
  daysOf,
  detailsIn,
  detailsOf,
  dismiss,
  firstThree,
  fromTo,
  type Item,
  type Items,
  manual,
  ofAll,
  ofDay,
  partOfSigns,
  rangeOptions,
  seeFault,
  total,
  typed,
  unique,
  windowOptions,
  writeTokens,
} from '../items.ts';
import type { AccountState, WarehouseState } from '../state.ts';
import type { Alert, Condition, Text } from './condition.ts';
import { listsAlone } from './service.ts';

export const figureConditions = {
  EARLIER_DAYS_INCOMPLETE: {
    severity: 'error',
    kind: 'to do',
    find: ({ accounts }) =>
      accounts.flatMap((account): Items => {
        const { name, earlier } = account;
        return earlier === null ? [] : [{ id: `${name} ${earlier.first}`, account, count: earlier.days }];
      }),
    describe: ({ key, items, today }) => {
      const days = items.flatMap(({ account }) => [account!.earlier!.first, account!.earlier!.last]).sort();
      const ends = [days[0]!, days.at(-1)!] as const;
      const range = ['--from', ends[0], '--to', ends[1], ...accountOptions(items)];
      const dates = unique(ends.map((day) => formatDate(day, today))).join(' to ');
      const whose = items.length === 1 ? '' : ` of ${formatCountOf(items.length, 'account')}`;
      return {
        what: 'earlier days incomplete',
        more: [dates],
        explanation: `${formatCountOf(total(items), 'day')}${whose} (${dates}) ${plural(total(items), 'is', 'are')} missing from the figures or provisional. No run fetches days that are older than CATCH_UP_DAYS.`,
        steps: [
          typed('To load them', 'backfill', ...range),
          typed(
            `Then, if days stay provisional and are right, to confirm them${allElse(days, items, today)}`,
            'accept',
            ...range,
          ),
          dismiss('If the service no longer has those days', key),
        ],
      };
    },
  },

  RESPONSE_HELD: {
    severity: 'warning',
    kind: 'to check',
    find: (state: WarehouseState) => {
      // Days that are held because of shared campaigns are in that alert.
      const explained = new Set(findShared(state).map(({ id, day }) => `${id} ${day}`));
      const held = eachDay((account, { day, heldCode, heldReason, isOver }) => {
        if (heldCode === null) return [];
        const detail = isOver ? heldReason! : `${heldReason}, which were a part of the day`;
        return { ...ofDay(account, day), part: heldCode, detail };
      });
      return held(state).filter(({ id }) => !explained.has(id));
    },
    describe: ({ key, items, today }) => {
      const loss = losses[items[0]!.part as HeldCode];
      const applied = loss
        ? ''
        : 'Each run fetches the day again and applies a complete response automatically. ';
      return {
        what: `figures kept: ${loss ?? 'the new ones look incomplete'}`,
        explanation: `${detailsOf(items, today)} ${applied}Nothing to do, unless you know that the new figures are right.`,
        steps: [
          seeCampaigns(items),
          acceptStep('To replace the figures with the new ones', items, today),
          dismiss('To keep the earlier figures and end the alert', key),
        ],
      };
    },
  },
  DAYS_PROVISIONAL: {
    severity: 'warning',
    kind: 'to check',
    find: eachDay((account, { day, state, heldCode, anomalies, ...each }) => {
      const open = openAnomalies(anomalies);
      // Quarantined records have an alert of their own.
      if (open.length === 0 || open.every(({ code }) => isQuarantined(account, code, day))) return [];
      if (state !== 'provisional' || !each.isOver || heldCode !== null) return [];
      return { ...ofDay(account, day), ...ofSigns(account, open), detail: describeAnomalies(open)! };
    }),
    describe: ({ items, today, state }) => {
      const isOfCalls = items.every(({ signs = [] }) => signs.every(({ sign }) => sign === 'no_calls'));
      // Repetition shows that something was decided, not that it is complete.
      const confirming = isOfCalls
        ? 'Nothing to do: they are confirmed once the service lists campaigns of a later day, and another night returns the same.'
        : 'They are confirmed once a response no longer shows this, or once you accept it.';
      const these = plural(daysOf(items).length, 'this day', 'these days');
      return {
        what: 'provisional figures',
        explanation: `${detailsOf(items, today)} The figures may be wrong, and digests mark them as provisional. ${confirming} If they change, a corrected digest follows.`,
        retried: true,
        steps: [
          seeCampaigns(items),
          acceptStep(`If they are right, to confirm ${these}`, items, today),
          ...acceptAlways('If such days are normal', items, state),
          ...(isOfCalls ? [] : [askProvider]),
        ],
      };
    },
  },
  NEW_REMARK: {
    severity: 'warning',
    kind: 'to check',
    find: ({ accounts }) =>
      accounts.flatMap((account): Items => {
        // The newest loaded day says what the service does now.
        const newest = account.days.findLast(({ state }) => state === 'loaded' || state === 'provisional');
        const isRemark = ({ code, confirmedBy }: Anomaly) => code === 'remark' && confirmedBy === 'figures';
        const remarks = newest?.anomalies.filter(isRemark) ?? [];
        if (newest === undefined || remarks.length === 0) return remarkedList(account);
        const item = { ...ofDay(account, newest.day), ...ofSigns(account, remarks) };
        return [{ ...item, detail: describeAnomalies(remarks)! }, ...remarkedList(account)];
      }),
    describe: ({ items, state }) => ({
      what: 'the service says something new',
      more: isOfLists(items) ? ['client list'] : [],
      explanation: `${withStop(capitalize(firstThree(detailsIn(items))))} ${
        isOfLists(items)
          ? `${listsAlone} Until somebody accepts it, clients that are gone stay in the list.`
          : 'Confirmed figures came with it, too, and are unchanged, so it makes no day provisional.'
      }`,
      steps: [
        ...acceptAlways(`If it doesn't concern the ${isOfLists(items) ? 'list' : 'figures'}`, items, state),
        askProvider,
      ],
    }),
  },
  UNUSUAL_VOLUME: {
    severity: 'warning',
    kind: 'to check',
    find: eachDay((account, { day, attempts, typicalAttempts: typical }) => {
      if (attempts === null || typical === null || !isUnusuallyFew(attempts, typical)) return [];
      const detail = `${formatCountOf(attempts, 'attempt')}, on a weekday that usually has ${formatCount(Math.round(typical))}`;
      return { ...ofDay(account, day), detail };
    }),
    describe: ({ key, items, today }) => ({
      what: 'unusually few attempts',
      explanation: `${detailsOf(items, today)} Digests don't mark a day for that alone. Nothing to do if it is right: the alert ends when a second night returns the same figures.`,
      steps: [seeCampaigns(items), dismiss('If the figures are right', key)],
    }),
  },
  NO_CAMPAIGNS_YET: {
    severity: 'warning',
    kind: ({ items, today }) =>
      items.every(({ account }) => isInFirstWeek(account!, today)) ? 'note' : 'to check',
    find: ({ accounts }) =>
      accounts
        .filter(({ daysWithoutCampaigns }) => daysWithoutCampaigns >= minDaysWithoutCampaigns)
        .map((account) => ({ id: account.name, account, count: account.daysWithoutCampaigns })),
    describe: ({ key, items }) => ({
      what: 'no campaigns yet',
      explanation: `The service has listed no campaign on ${plural(items.length, `any of the ${items[0]!.count} loaded days`, 'any loaded day of these accounts')}. If there were calls, the figures are missing rather than 0: the token may belong to another account, or the service leaves out the last day of a range.`,
      steps: [
        seeFault,
        manual('If there were calls, set WINDOW_END=next-day if doctor says so; else ask whose token it is'),
        dismiss('If there were no calls', key),
      ],
    }),
  },
  LISTS_CUT: {
    severity: 'warning',
    kind: 'note',
    find: ({ accounts }) =>
      accounts.flatMap((account): Items => {
        const { name, cutAt } = account;
        return cutAt === null ? [] : [{ id: `${name} ${cutAt}`, account, count: cutAt }];
      }),
    describe: ({ key, items }) => {
      const lengths = unique(items.map(({ count }) => formatCount(count!))).join(' or ');
      return {
        what: `lists of exactly ${lengths} campaigns`,
        explanation: `The service listed exactly ${lengths} campaigns on each of the last three days with calls. If it cuts its lists there, campaigns are missing, and the figures are too low.`,
        steps: [
          manual(`Ask the provider whether campaignSummary ends its lists at ${lengths}, and to list all`),
          dismiss('If nothing is missing', key),
        ],
      };
    },
  },
  RECORDS_QUARANTINED: {
    severity: 'warning',
    kind: 'to check',
    find: ({ accounts }) =>
      accounts.flatMap((account) =>
        account.quarantined
          // If none could be read, the day failed: that is its alert.
          .filter(({ day }) => !account.days.some((each) => each.day === day && each.state === 'failed'))
          .map(({ day, reason, records: count }) => {
            const sign = {
              kind: 'anomaly',
              operation: 'campaignSummary',
              sign: `unreadable/${reason}`,
            } as const;
            // A dismissal is about this account and reason, whatever the day.
            const id = `${account.name} ${day === null ? 'clients' : 'campaigns'} ${reason}`;
            const signs = [{ ...sign, account: account.name }];
            return { id, account, ...(day !== null && { day }), signs, detail: reason, count };
          }),
      ),
    describe: describeQuarantined,
  },
  SAME_CAMPAIGNS: {
    severity: 'warning',
    kind: 'to do',
    // Statistics belong to the account of the token: accounts with the same campaigns are one, counted again and again.
    find: findShared,
    describe: ({ items, today }) => ({
      what: 'same campaigns',
      explanation:
        "These accounts have the same campaigns with the same counts: probably one uses another's token, and shows the other's figures. Sums over these accounts count the campaigns more than once.",
      steps: [
        writeTokens(
          'Ask the provider which account each token belongs to, and write the right tokens',
          items,
        ),
        typed('Then, to fetch what each account has itself', 'run', ...windowOptions(items)),
        acceptStep('Then, to see what changes, and replace the wrong figures if you agree', items, today),
        typed(
          `If they really share these campaigns, to accept it for good${ofAll(accountOptions(items))}`,
          'accept',
          '--always',
          'same_campaigns',
          ...accountOptions(items),
        ),
      ],
    }),
  },
  CLIENTS_MISSING: {
    severity: 'warning',
    kind: 'to check',
    find: ({ accounts }) =>
      accounts.flatMap((account) => {
        const { implausibleSince: since, implausibleMissing: count } = account.walk;
        return since === null ? [] : { id: `${account.name} ${since}`, account, count };
      }),
    describe: ({ key, items }) => ({
      what: `${formatCountOf(total(items), 'client')} missing`,
      explanation: `The service lists less than half of the clients. That is usually an error of the service, so the missing clients stay as they were. Figures are not affected.`,
      steps: [
        typed('To see what the service lists', 'clients', ...accountOptions(items)),
        manual('Ask the provider why the others are missing'),
        dismiss('If they are really gone, to end the alert (they stay in the list)', key),
      ],
    }),
  },
} as const satisfies Record<string, Condition>;

/** Finds the days of accounts that a condition holds for. */
function eachDay(find: (account: AccountState, day: DayState) => Item | readonly []): Condition['find'] {
  return ({ accounts }) => accounts.flatMap((account) => account.days.flatMap((day) => find(account, day)));
}

const isOfLists = (items: Items) => items.every(({ day }) => day === undefined);

const askProvider = manual('Otherwise ask the provider');

const seeCampaigns = (items: Items): AlertStep =>
  typed('To see what the service returns now', 'campaigns', ...rangeOptions(items), ...accountOptions(items));

/** Losses of figures: only a person applies them. */
const losses: { readonly [code in HeldCode]?: string } = {
  emptied: 'the service now reports nothing',
  halved: 'the service now reports far less',
  zeroed: 'the service now reports 0 only',
  unreported: 'the service now leaves out counts',
};

/** Finds the days on which accounts have the same campaigns. */
function findShared({ accounts, sameCampaigns }: WarehouseState): Items {
  const byName = new Map(accounts.map((account) => [account.name, account]));
  return sameCampaigns.flatMap((set) =>
    set.accounts.flatMap(({ name }) =>
      set.days.map((day) => ({ id: name, part: set.accounts[0]!.name, account: byName.get(name)!, day })),
    ),
  );
}

/** The signs of an item, which all of its alert have, whatever their numbers. */
function ofSigns({ name: account }: AccountState, anomalies: readonly Anomaly[]) {
  const signs = anomalies.map((anomaly) => ({ ...signOf(anomaly), account }));
  return { signs, part: partOfSigns(signs) };
}

/** A client list beside whose records the service says something that nobody accepted. */
function remarkedList(account: AccountState): Items {
  const { verdict, reason } = account.walk;
  if (verdict !== 'remarked' || account.walk.signs.length === 0) return [];
  const signs = account.walk.signs.map(
    (sign): ObservedSign => ({ kind: 'remark', operation: 'getClients', sign, account: account.name }),
  );
  return [{ id: `${account.name} clients`, account, signs, part: partOfSigns(signs), detail: reason! }];
}

/** Accepts all of them at once. */
function acceptStep(what: string, items: Items, today: Day): AlertStep {
  return typed(`${what}${allElse(daysOf(items), items, today)}`, 'accept', ...windowOptions(items));
}

/** A clause on the other days that `accept` applies; empty if it applies none. */
function allElse(days: readonly Day[], items: Items, today: Day): string {
  const whose = ofAll(accountOptions(items));
  const isOne = days[0] === days.at(-1);
  if (isOne && whose === '') return '';
  const when = isOne ? `on ${formatDate(days[0]!, today)}` : fromTo(days, today);
  return `; it also confirms what else is provisional, and replaces what else is held, ${when}${whose}`;
}

const isQuarantined = ({ quarantined }: AccountState, code: Anomaly['code'], day: Day): boolean =>
  code === 'unreadable' && quarantined.some((group) => group.day === day);

const unusualShare = 0.4;
const minTypicalAttempts = 100;

/** Returns whether a day has unusually few attempts (docs/operations.md, UNUSUAL_VOLUME). */
export const isUnusuallyFew = (attempts: number, typical: number): boolean =>
  typical >= minTypicalAttempts && attempts < unusualShare * typical;

/** A new account may not have called yet. A dated run or a backfill sets no first expected day. */
const isInFirstWeek = ({ since }: AccountState, today: Day) => since === null || today < addDays(since, 8);

/** An account that lists nothing for so many days may be another one's, or its requests end too early. */
const minDaysWithoutCampaigns = 3;

/** The day whose figures lack the records; none if the records repeat others that are loaded. */
const lackingDay = ({ account, day }: Item) =>
  account!.days.find((each) => each.day === day && each.anomalies.some(({ code }) => code === 'unreadable'));

function describeQuarantined({ key, items, today, state }: Alert): Text {
  const ofDays = items.filter(({ day }) => day !== undefined);
  const hasLists = ofDays.length < items.length;
  const lacking = ofDays.filter(lackingDay);
  const isProvisional = lacking.every((item) => lackingDay(item)!.state === 'provisional');
  const [example] = items.flatMap(({ account }) =>
    account!.quarantined.flatMap((group) => group.example ?? []),
  );
  const sentences = [
    `${formatCountOf(total(items), 'record')}${ofDays.length === 0 ? ' of the client list' : ''} (${firstThree(detailsIn(items))}).`,
    lacking.length > 0
      ? `They are missing from the figures of ${formatDates(daysOf(lacking), today)}${isProvisional ? ', which are provisional' : ''}.`
      : 'No figures are missing because of them.',
    ...(hasLists ? ['Known clients keep the name and balance loaded before; new clients are missing.'] : []),
    'The alert ends when the service sends readable records, or stops sending them.',
    `For example: ${example ?? 'none is kept'}`,
  ];
  return {
    what: "records can't be read",
    more: ofDays.length === 0 ? ['client list'] : [],
    explanation: sentences.join(' '),
    steps: [
      ...(lacking.length > 0 ? [typed('To fetch their days again', 'run', ...windowOptions(lacking))] : []),
      typed('To see all of them', 'status', '--json'),
      ...(lacking.length > 0
        ? acceptAlways('If you never need such records', lacking, state)
        : [dismiss("If you don't need them", key)]),
    ],
  };
}
