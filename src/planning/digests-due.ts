import type { Day } from '../model/day.ts';
import type { DigestDefinition } from '../model/digest.ts';
import type { LedgerEntry, Window } from '../model/window.ts';
import type { DigestStart } from './digest-starts.ts';
import { windowKey } from './windows-due.ts';

export type DigestPlan = {
  readonly digests: readonly DigestDefinition[];
  /** The last `CATCH_UP_DAYS` of the ledger, and the days that this run attempted. */
  readonly ledger: readonly Pick<LedgerEntry, 'account' | 'day' | 'state'>[];
  /** Windows whose attempts are over for this run: no reason to wait for them any longer. */
  readonly tried: readonly Window[];
  /** Digests that were built or skipped. */
  readonly settled: readonly { readonly name: string; readonly day: Day }[];
  /** Where each digest begins; days before are none of its news. */
  readonly starts: readonly DigestStart[];
  /** `DIGEST_CATCH_UP`: how many days, newest first, get a digest of their own. */
  readonly catchUp: number;
};

export type DueDigest = {
  readonly digest: DigestDefinition;
  readonly day: Day;
  /** Earlier days that are due but only named, in the newest digest. */
  readonly earlierDays: readonly Day[];
};

export type DueDigests = {
  readonly due: readonly DueDigest[];
  /** Days beyond `catchUp`: named in the newest digest, and skipped. */
  readonly skipped: readonly { readonly digest: DigestDefinition; readonly day: Day }[];
};

/** Which digests are to be built now: oldest first, so that mails arrive in the order of their days. */
export function digestsDue(plan: DigestPlan): DueDigests {
  const settled = new Set(plan.settled.map(({ name, day }) => `${day} ${name}`));
  const decided = [...plan.ledger.filter((entry) => entry.state === 'loaded'), ...plan.tried];
  const days = [...new Set(decided.map((window) => window.day))].sort();
  const ready = new Set(decided.map(windowKey));

  const perDigest = plan.digests.map((digest) => {
    const dueFrom = plan.starts.find((start) => start.name === digest.name)?.dueFrom ?? null;
    const open = days.filter(
      (day) =>
        (dueFrom === null || day >= dueFrom) &&
        !settled.has(`${day} ${digest.name}`) &&
        digest.accounts.every((account) => ready.has(windowKey({ account, day }))),
    );
    const own = open.slice(Math.max(0, open.length - plan.catchUp));
    const earlierDays = open.slice(0, open.length - own.length);
    return {
      due: own.map((day) => ({ digest, day, earlierDays: day === own.at(-1) ? earlierDays : [] })),
      skipped: earlierDays.map((day) => ({ digest, day })),
    };
  });
  return { due: perDigest.flatMap((one) => one.due), skipped: perDigest.flatMap((one) => one.skipped) };
}
