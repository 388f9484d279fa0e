import { needsAction } from '../../model/alert.ts';
import { periodOf } from '../../model/period.ts';
import { capitalize, formatCountOf } from '../../support/english.ts';
import type { NewestDigests } from '../../warehouse/queries/digest-history.ts';
import { asSentence, formatDay, formatInstant, formatPeriod, formatTime } from './elements.ts';
import type { Overview } from './overview.ts';

/** The state of everything in one sentence, and the reason. */
export type StatusLine = {
  readonly tone: 'good' | 'attention' | 'bad';
  readonly sentence: string;
  readonly why: string;
};

type StatusInput = Pick<Overview, 'alerts' | 'accounts' | 'digests' | 'timeZone'>;

export function statusLine(overview: StatusInput): StatusLine {
  const active = overview.alerts.filter(needsAction);
  const [first] = active;
  if (first === undefined) return allGood(overview);
  return {
    tone: first.severity === 'error' ? 'bad' : 'attention',
    sentence: `${first.title}${active.length === 1 ? '' : `, and ${formatCountOf(active.length - 1, 'more alert')}`}.`,
    why: capitalize(first.cause),
  };
}

function allGood(overview: StatusInput): StatusLine {
  const loaded = describeLoaded(overview);
  const digests = describeDigests(overview.digests, overview.timeZone);
  // The sentence is about the digest, because people wait for it; without one, about the loaded days.
  const [what, why] = overview.digests === null ? [loaded, digests] : [digests, loaded];
  return { tone: 'good', sentence: `All good: ${what}.`, why: asSentence(why) };
}

function describeLoaded({ accounts }: Pick<Overview, 'accounts'>): string {
  const [first] = accounts.flatMap(({ completeThrough }) => completeThrough ?? []).sort();
  return first === undefined ? 'nothing is late' : `every day is loaded through ${formatDay(first)}`;
}

/** `digest of Fri 20 Nov sent to 2 of 2 at 06:31`; with a date if it wasn't sent on the next day. */
export function describeDigests(newest: NewestDigests | null, timeZone: string): string {
  if (newest === null) return 'no digest has been built yet';
  const { every, day, digests, recipients, sent, written, sentAt } = newest;
  const what = `${digests === 1 ? 'digest' : `${digests} digests`} of ${formatPeriod(periodOf(every, day))}`;
  const verb = written > 0 && written === sent ? 'written to the outbox for' : 'sent to';
  return `${what} ${verb} ${sent} of ${recipients}${describeTime(day, sentAt, timeZone)}`;
}

function describeTime(day: NewestDigests['day'], sentAt: string | null, timeZone: string): string {
  if (sentAt === null) return '';
  const date = Temporal.Instant.from(sentAt).toZonedDateTimeISO(timeZone).toPlainDate();
  const isNextDay = date.equals(Temporal.PlainDate.from(day).add({ days: 1 }));
  return isNextDay ? ` at ${formatTime(sentAt, timeZone)}` : ` on ${formatInstant(sentAt, timeZone)}`;
}
