import type { ActiveAlert } from '../../model/alert.ts';
import type { Day } from '../../model/day.ts';
import type { FailureKind } from '../../model/failure.ts';
import type { Window } from '../../model/window.ts';
import type { UndeliveredMessage } from '../../warehouse/outbox/alerts.ts';
import type { ReportedError } from '../run/run-stats.ts';

/** What a run leaves behind that may need a person. */
export type Remains = {
  readonly failures: readonly ReportedError[];
  /** Windows of which an answer is held back. */
  readonly held: readonly Window[];
  readonly deliveries: readonly UndeliveredMessage[];
  /** Digests that went out incomplete and were not corrected yet, with the accounts that were missing. */
  readonly incomplete: readonly {
    readonly name: string;
    readonly day: Day;
    readonly lacking: readonly string[];
  }[];
};

/** The troubles in it, the gravest first, each with what to type. */
export function activeAlerts({ failures, held, deliveries, incomplete }: Remains): ActiveAlert[] {
  const together = Map.groupBy(failures, ({ kind, account }) => `${kind} ${account}`);
  return [
    ...[...together].map(([key, alike]) => failed(key, alike)).sort((one, other) => one.rank - other.rank),
    ...deliveries.filter(({ state }) => state === 'unknown' || state === 'refused').map(undelivered),
    ...waiting(deliveries.filter(({ state }) => state === 'failed' || state === 'pending')),
    ...held.map(heldBack),
    ...incomplete.map(({ name, day, lacking }) => ({
      key: `incomplete ${day} ${name}`,
      what: `${name} of ${day} went out incomplete: ${lacking.join(', ')} missing`,
      cause: 'A corrected one follows by itself once the day is loaded; the next runs try.',
      command: `npm start -- run --day ${day}`,
    })),
  ].map(({ key, what, cause, command }) => ({ key, what, cause, command }));
}

const gravest: readonly FailureKind[] = ['token refused', 'configuration', 'request refused'];

/** What to look at, where running again isn't what helps. */
const examined: ReadonlySet<FailureKind> = new Set(['request refused', 'answer not understood']);

function failed(key: string, alike: readonly ReportedError[]): ActiveAlert & { readonly rank: number } {
  const { kind, account, line } = alike.at(-1)!;
  const days = alike.flatMap(({ day }) => day ?? []).sort();
  const range = days.length > 0 ? ` --from ${days[0]} --to ${days.at(-1)}` : '';
  const rank = gravest.indexOf(kind);
  return {
    rank: rank < 0 ? gravest.length : rank,
    key: `failure ${key}`,
    what: `${account}: ${kind}${days.length > 0 ? `, asked for ${shorten(days)}` : ''}`,
    cause: `${line}.`,
    command: examined.has(kind)
      ? 'npm start -- doctor'
      : `npm start -- run${range} --account ${quoted(account)}`,
  };
}

function undelivered({ digest, day, recipient, state, reply }: UndeliveredMessage): ActiveAlert {
  const after =
    state === 'refused'
      ? 'It is not tried again. Mend the address or the mail server, then:'
      : 'It may have arrived, so it is not tried again. If it has not:';
  return {
    key: `${state} ${digest} ${recipient}`,
    what: `${digest} of ${day} to ${recipient}: ${state}`,
    cause: `${reply ?? 'No reply'}. ${after}`,
    command: `npm start -- digest --day ${day} --digest ${quoted(digest)} --to ${quoted(recipient)} --resend`,
  };
}

function waiting(deliveries: readonly UndeliveredMessage[]): ActiveAlert[] {
  const last = deliveries.at(-1);
  if (last === undefined) return [];
  return [
    {
      key: 'mail waits',
      what: `${deliveries.length} ${deliveries.length === 1 ? 'message waits' : 'messages wait'}, up to ${last.digest} of ${last.day}`,
      cause: `${last.reply ?? 'Not tried yet'}. The next run tries again. What the mail server says:`,
      command: 'npm start -- doctor',
    },
  ];
}

function heldBack({ account, day }: Window): ActiveAlert {
  return {
    key: `held ${account} ${day}`,
    what: `${account}: an answer for ${day} is held back`,
    cause:
      'It would take most of that day away, so the day stands as it was. If a later night says the same, it is applied by itself. To apply it now:',
    command: `npm start -- accept --day ${day} --account ${quoted(account)}`,
  };
}

function shorten(days: readonly Day[]): string {
  return days.length <= 3 ? days.join(', ') : `${days.length} days from ${days[0]} to ${days.at(-1)}`;
}

/** As one word for a shell, whatever is in it. */
const quoted = (text: string) => (/^[\w.@+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);
