import type { WalkState } from '../../model/walk.ts';
import { type WalkConcern, walkConcerns } from '../../planning/walk-status.ts';
import { formatCountOf, plural } from '../../support/english.ts';
import { toRun } from './suggested-commands.ts';

/** What a client list needs somebody for: the same words in status, on the page and in the alert mail. */
export type WalkAlert = Pick<WalkConcern, 'kind' | 'since'> & {
  /** What happened to which account, and since which run date. */
  readonly what: string;
  readonly cause: string;
  /** What to type, without the program's name. */
  readonly words: readonly string[];
};

/** The active alerts of an account's client list, the gravest first. */
export function walkAlerts(account: string, walk: WalkState): WalkAlert[] {
  return walkConcerns(walk).map((concern) =>
    concern.kind === 'incomplete' ? incomplete(account, walk, concern) : unbelievable(account, concern),
  );
}

function incomplete(
  account: string,
  { completeRunDate }: WalkState,
  { kind, since, problem }: WalkConcern,
): WalkAlert {
  const last =
    completeRunDate === null ? 'There is none yet' : `The last complete one is of ${completeRunDate}`;
  return {
    kind,
    since,
    what: `${account}: no complete walk over the client list since ${since}`,
    cause: `${problem!.replace(/\.$/, '')}. ${last}; until the next, nobody is marked absent. The next run walks again; or now`,
    words: toRun([], account),
  };
}

function unbelievable(account: string, { kind, since, missing }: WalkConcern): WalkAlert {
  return {
    kind,
    since,
    what: `${account}: ${formatCountOf(missing, 'client')} ${plural(missing, 'is', 'are')} missing since ${since}`,
    cause:
      'That is over half of the list, and more often an error of the service than news, so nobody is marked absent. It is over when a complete walk has them again. To see what the service lists',
    words: ['doctor'],
  };
}
