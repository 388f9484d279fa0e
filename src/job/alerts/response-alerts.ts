import type { SameCampaigns } from '../../model/digest.ts';
import {
  capitalize,
  formatCountOf,
  formatDays,
  formatList,
  plural,
  withStop,
} from '../../support/english.ts';
import type { AccountState, FoundAlert, HeldDay, SuspiciousReason } from './state.ts';
import { accepts, beyondCatchUp, dismiss, manual, typed } from './steps.ts';

/** The alert about held responses. */
export function heldDays({ name, label, held, firstCaughtUp }: AccountState): FoundAlert[] {
  if (held.length === 0) return [];
  const days = held.map(({ day }) => day);
  const old = days.filter((day) => day < firstCaughtUp);
  const key = `RESPONSE_HELD/${name}`;
  const isOne = held.length === 1;
  return [
    {
      code: 'RESPONSE_HELD',
      key,
      account: name,
      severity: 'warning',
      title: `${label}: ${isOne ? 'a response' : 'responses'} for ${formatDays(days)} ${isOne ? 'is' : 'are'} held`,
      cause: [
        ...describeHeld(held),
        isOne ? 'The day stays as it is.' : 'The days stay as they are.',
        ...(old.length < days.length ? ['What a later night brings again is applied by itself.'] : []),
        ...beyondCatchUp(old),
      ].join(' '),
      days,
      affects: days,
      retried: old.length === 0,
      steps: [
        ...days.flatMap((day) => accepts(name, day)),
        dismiss(isOne ? 'If the day is right as it is' : 'If the days are right as they are', key),
      ],
    },
  ];
}

/** The reasons of the first three, as sentences. */
function describeHeld(held: readonly HeldDay[]): string[] {
  const shown = held.slice(0, 3).map(({ day, reason }) => {
    const because = reason ?? 'it differs too much from what is loaded';
    return held.length === 1 ? `${capitalize(because)}.` : `${day}: ${because}.`;
  });
  return held.length > 3 ? [...shown, '…'] : shown;
}

const causes: { readonly [reason in SuspiciousReason]: (details: readonly string[]) => string } = {
  'no calls': () => 'There are no calls, on a weekday that usually has some.',
  unreported: (details) =>
    `Most campaigns report no ${formatList(details).replaceAll('_', ' ')}: sums and rates are without them.`,
  notice: (details) => `The service added: ${formatList(details.map((detail) => `"${detail}"`))}.`,
  counts: (details) => `${formatList(details).replaceAll('_', ' ')}: campaigns are missing.`,
  unreadable: () => 'Records can not be read.',
};

/** Responses that are loaded and may be wrong: one alert for each reason. */
export function suspiciousDays(account: AccountState): FoundAlert[] {
  const alike = Map.groupBy(account.suspicious, ({ reason }) => reason);
  return [...alike].map(([reason, group]) => suspiciousDay(account, reason, group));
}

/** A day without calls is no error of the service: it is a note. */
function suspiciousDay(
  { name, label, firstCaughtUp }: AccountState,
  reason: SuspiciousReason,
  group: AccountState['suspicious'],
): FoundAlert {
  const days = [...new Set(group.map(({ day }) => day))];
  const details = [...new Set(group.flatMap(({ detail }) => detail ?? []))];
  const old = days.filter((day) => day < firstCaughtUp);
  const isNote = reason === 'no calls';
  const isShort = reason !== 'no calls' && reason !== 'notice';
  const code = isNote ? 'NO_CALLS' : 'RESPONSE_SUSPICIOUS';
  const key = isNote ? `${code}/${name}` : `${code}/${name}/${reason}`;
  const again = `fetches ${plural(days.length, 'the day', 'the days')} again`;
  const fetches = isShort
    ? `Every night ${again}, and corrects the mail once it is whole.`
    : `The next night ${again}; if it says the same, that is believed.`;
  const believed = old.length < days.length ? [fetches] : [];
  return {
    code,
    key,
    account: name,
    severity: isNote ? 'note' : 'warning',
    title: isNote
      ? `${label}: no calls on ${formatDays(days)}`
      : `${label}: figures of ${formatDays(days)} may be low`,
    cause: [causes[reason](details.slice(0, 3)), ...believed, ...beyondCatchUp(old)].join(' '),
    days,
    affects: days,
    retried: old.length === 0,
    steps: isNote
      ? []
      : [
          typed('To see what the service says now', 'campaigns', '--from', days[0]!, '--to', days.at(-1)!),
          dismiss('If it is right', key),
        ],
  };
}

/** Records that couldn't be read. */
export function quarantined({ name, label, quarantined: groups }: AccountState): FoundAlert[] {
  const [first] = groups;
  if (first === undefined) return [];
  const records = groups.reduce((total, group) => total + group.records, 0);
  const days = [...new Set(groups.flatMap(({ day }) => day ?? []))].sort();
  const reasons = [...new Set(groups.map(({ reason }) => reason))];
  const ofClients = groups.some(({ day }) => day === null);
  const where = [...(ofClients ? ['the client list'] : []), ...(days.length > 0 ? [formatDays(days)] : [])];
  const key = `RECORDS_QUARANTINED/${name}`;
  return [
    {
      code: 'RECORDS_QUARANTINED',
      key,
      account: name,
      severity: 'warning',
      title: `${label}: ${formatCountOf(records, 'record')} of ${where.join(', ')} couldn't be read`,
      cause: [
        `What ${plural(records, 'it says', 'they say')} may be missing from the figures.`,
        withStop(`${reasons.slice(0, 3).join('; ')}${reasons.length > 3 ? '; …' : ''}`),
        `For example: ${first.example}`,
      ].join(' '),
      days,
      affects: groups.map(({ day, reason }) => `${day ?? 'clients'} ${reason}`),
      retried: true,
      steps: [
        manual(
          'Send the record to the provider of the service, or update Callsheet if a newer version reads it',
        ),
        ...(days.length === 0
          ? []
          : [typed('After an update', 'replay', '--from', days[0]!, '--to', days.at(-1)!, '--reread')]),
        dismiss('If nothing can be done', key),
      ],
    },
  ];
}

/** Statistics belong to the account of the token: two accounts with the same campaigns are one, counted twice. */
export function sameCampaigns({ account, label, other, otherLabel, days }: SameCampaigns): FoundAlert {
  const key = `SAME_CAMPAIGNS/${account}/${other}`;
  return {
    code: 'SAME_CAMPAIGNS',
    key,
    account: other,
    severity: 'warning',
    title: `${label} and ${otherLabel}: the same campaigns on ${formatDays(days)}`,
    cause:
      'All counts are the same, too: both tokens probably belong to one account. Digests with both, and sums over all accounts, count it twice.',
    days,
    affects: [`${account} and ${other}`],
    retried: false,
    steps: [
      manual(`Check which accounts the tokens of ${account} and ${other} belong to`),
      typed('To see what both say now', 'doctor'),
      dismiss('If it is right', key),
    ],
  };
}
