import { needsAction, toDoLine } from '../../model/alert.ts';
import { periodOf } from '../../model/period.ts';
import { formatDay, formatPeriod } from '../../support/english.ts';
import type { NewestDigests } from '../../warehouse/queries/digest-history.ts';
import { asSentence, formatInstant, formatTime } from './elements.ts';
import type { Overview } from './overview.ts';

/** The state of everything in one sentence, and what else there is to know. */
export type StatusLine = {
  readonly tone: 'good' | 'attention' | 'bad';
  readonly sentence: string;
  readonly also: string;
};

type StatusInput = Pick<Overview, 'alerts' | 'accounts' | 'digests' | 'running' | 'timeZone'>;

/** A run that is running is mentioned next to what the last one left. */
export function statusLine({ alerts, accounts, digests, running, timeZone }: StatusInput): StatusLine {
  const active = alerts.filter(needsAction);
  const sent = describeDigests(digests, timeZone);
  const [first] = accounts.flatMap(({ completeThrough }) => completeThrough ?? []).sort();
  const loaded = first === undefined ? 'nothing is late' : `every day is loaded through ${formatDay(first)}`;
  const besides = (text: string) =>
    running === null
      ? asSentence(text)
      : `Running since ${formatTime(running.startedAt, timeZone)}. ${asSentence(text)}`;
  if (active.length > 0) {
    const tone = active.some(({ severity }) => severity === 'error') ? 'bad' : 'attention';
    return { tone, sentence: toDoLine(active), also: besides(sent) };
  }
  // People wait for the digest. One that isn't with everybody yet is no good news.
  const isSent = digests !== null && digests.sent === digests.recipients;
  const [what, also] = isSent ? [sent, loaded] : [loaded, sent];
  return { tone: 'good', sentence: `All good: ${what}.`, also: besides(also) };
}

/** `digest of Fri 20 Nov sent to 2 of 2 at 06:31`; with a date if it wasn't sent on the next day. */
export function describeDigests(newest: NewestDigests | null, timeZone: string): string {
  if (newest === null) return 'no digest has been built yet';
  const { every, day, digests, recipients, sent, written, sentAt } = newest;
  const what = `${digests === 1 ? 'digest' : `${digests} digests`} of ${formatPeriod(periodOf(every, day), formatDay)}`;
  const verb = written > 0 && written === sent ? 'written to the outbox for' : 'sent to';
  return `${what} ${verb} ${sent} of ${recipients}${describeTime(day, sentAt, timeZone)}`;
}

function describeTime(day: NewestDigests['day'], sentAt: string | null, timeZone: string): string {
  if (sentAt === null) return '';
  const date = Temporal.Instant.from(sentAt).toZonedDateTimeISO(timeZone).toPlainDate();
  const isNextDay = date.equals(Temporal.PlainDate.from(day).add({ days: 1 }));
  return isNextDay ? ` at ${formatTime(sentAt, timeZone)}` : ` on ${formatInstant(sentAt, timeZone)}`;
}
