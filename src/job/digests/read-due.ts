import type { Config } from '../../config/config.ts';
import { addDays, type Day, isOver } from '../../model/day.ts';
import type { DigestDefinition, DigestState } from '../../model/digest.ts';
import { type DigestKey, endsBetween, type Period, periodOf } from '../../model/period.ts';
import type { Window } from '../../model/window.ts';
import type { Queries } from '../../warehouse/db/database.ts';
import { readAccounts } from '../../warehouse/ledger/accounts.ts';
import { readHeldOn, readLedger } from '../../warehouse/ledger/ledger.ts';
import { recordStarts } from '../../warehouse/outbox/mails.ts';
import {
  type DigestEnds,
  type PeriodEnd,
  readCurrent,
  readDigestStates,
  readMailed,
  readMailedInPart,
  readUnmailed,
  readUpdated,
} from '../../warehouse/outbox/periods.ts';
import type { AppContext } from '../run/app-context.ts';
import type { Run } from '../run/run.ts';
import { catchUpFrom, windowKey, yesterdaysOf } from '../windows/due.ts';
import { type DigestPeriod, type DueInput, digestStarts, isInPart, isNews } from './due.ts';

/** Records the start of each digest that is new in the settings, before this run loads anything. */
export async function recordDigestStarts(run: Run): Promise<void> {
  const { warehouse } = run;
  // The ledger first: if another process loads yesterday in between, it has already recorded its digests.
  const starts = await startsOfNew(run, await readDigestStates(warehouse, run.config.digests), run.runDate);
  await recordStarts(warehouse, starts);
}

async function startsOfNew(
  { config, warehouse, clock }: Pick<AppContext, 'config' | 'warehouse' | 'clock'>,
  states: readonly DigestState[],
  runDate: Day,
): Promise<DigestKey[]> {
  const added = config.digests.filter((_, place) => states[place]!.start === null);
  if (added.length === 0) return [];
  const ledger = await readLedger(warehouse, addDays(runDate, -2));
  return digestStarts(added, config.accounts, ledger, clock());
}

/** First expected days by account; null if none is expected yet. */
export type FirstDays = ReadonlyMap<string, Day | null>;

export const readFirstDays = async (queries: Queries): Promise<FirstDays> =>
  new Map((await readAccounts(queries)).map(({ name, since }) => [name, since]));

/**
 * Reads what is due after the attempts at `windows` and at windows with a response held on this run date: an earlier run of
 * this run date attempted those. Days that aren't over don't count.
 */
export async function readDue(
  app: Pick<AppContext, 'config' | 'warehouse' | 'clock'>,
  runDate: Day,
  windows: readonly Window[],
  beginning: FirstDays = new Map(),
): Promise<DueInput[]> {
  const { config, warehouse } = app;
  const first = new Map([...beginning, ...(await readFirstDays(warehouse))]);
  const { digests, accounts } = config;
  const now = app.clock();
  const read = await readDigestStates(warehouse, digests);
  // Digests that no run has recorded yet: only a dry run and `digest --skip --all` meet them.
  const added = new Map(
    (await startsOfNew(app, read, runDate)).map(({ name, every, day }) => [`${every} ${name}`, day]),
  );
  const states = read.map((state, place) => {
    const { name, every } = digests[place]!;
    return { ...state, start: state.start ?? added.get(`${every} ${name}`)! };
  });
  const candidates = candidatesOf(config, states, now);
  const unmailed = await readUnmailed(warehouse, candidates);
  const isNew = new Set(unmailed.map(({ place, day }) => `${place} ${day}`));
  const updated = (await readUpdatedEnds(warehouse, digests, states)).filter(
    ({ place, day }) => day <= candidates[place]!.last && !isNew.has(`${place} ${day}`),
  );
  const waiting = states.flatMap(({ waitingMailId }) => waitingMailId ?? []);
  const periods = await readPeriods(warehouse, digests, [...unmailed, ...updated], first, waiting);
  const zones = new Map(accounts.map((account) => [account.name, account.timeZone]));
  const isEnded = ({ account, day }: Window) => zones.has(account) && isOver(day, zones.get(account)!, now);
  const lacking = periods.flatMap(({ accounts }) =>
    accounts.flatMap(({ now: { account, lackingDays } }) => lackingDays.map((day) => ({ account, day }))),
  );
  const held = await readHeldOn(warehouse, runDate, lacking);
  const attempted = new Set([...windows, ...held].filter(isEnded).map(windowKey));
  const catchUpFrom = catchUpFromByAccount(config, now);
  const byDigest = Map.groupBy(periods, ({ place }) => place);
  return digests.map((digest, place) => {
    const own = byDigest.get(place) ?? [];
    return {
      digest,
      state: states[place]!,
      unmailed: own.filter(({ day }) => isNew.has(`${place} ${day}`)),
      updated: own.filter(({ day }) => !isNew.has(`${place} ${day}`)),
      attempted,
      catchUpFrom,
    };
  });
}

/** A load that committed late is found, too: the content decides whether anything changed. */
const lateCommit = { hours: 24 };

/** Reads the ends of periods of which a day was updated since the digest's last mail. */
async function readUpdatedEnds(
  queries: Queries,
  digests: readonly DigestDefinition[],
  states: readonly DigestState[],
): Promise<PeriodEnd[]> {
  const since = states.map(({ mailedAt }) =>
    mailedAt === null ? null : Temporal.Instant.from(mailedAt).subtract(lateCommit),
  );
  const [earliest] = since.filter((each) => each !== null).sort(Temporal.Instant.compare);
  if (earliest === undefined) return [];
  const byAccount = Map.groupBy(await readUpdated(queries, earliest), ({ account }) => account);
  return digests.flatMap(({ every, accounts }, place) => {
    const from = since[place]!;
    if (from === null) return [];
    const own = accounts.flatMap((account) => byAccount.get(account) ?? []);
    const days = new Set(own.filter(({ at }) => at > from.epochMilliseconds / 1000).map(({ day }) => day));
    const ends = new Set([...days].map((day) => periodOf(every, day).to));
    return [...ends].sort().map((day) => ({ place, day }));
  });
}

/**
 * The ends of the periods of each digest that may be due: over for one account, after its start, and within CATCH_UP_DAYS or
 * newer than what was mailed: quiet days wait for the next mail, however old. And the last day that is over for one account.
 */
function candidatesOf(
  config: Config,
  states: readonly { readonly start: Day; readonly newestDay: Day | null }[],
  now: Temporal.Instant,
): (DigestEnds & { readonly last: Day })[] {
  const catchUpFrom = catchUpFromByAccount(config, now);
  const yesterdays = yesterdaysOf(config.accounts, now);
  return config.digests.map(({ name, every, accounts }, place) => {
    const { start, newestDay } = states[place]!;
    const begins = addDays(start, 1);
    const last = accounts
      .map((account) => yesterdays.get(account)!)
      .sort()
      .at(-1)!;
    const caughtUp = accounts.map((account) => catchUpFrom.get(account)!);
    const [earliest] = [...caughtUp, addDays(newestDay ?? last, 1)].sort();
    return { name, every, ends: endsBetween(every, begins > earliest! ? begins : earliest!, last), last };
  });
}

/** Reads periods of digests, by their last days, in their order: what is true of each account, and what was mailed. */
export async function readPeriods(
  queries: Queries,
  digests: readonly DigestDefinition[],
  ends: readonly PeriodEnd[],
  first: FirstDays,
  waitingMailIds: readonly number[] = [],
): Promise<(DigestPeriod & PeriodEnd)[]> {
  const requested = ends.flatMap(({ place, day }) => {
    const { name, every, accounts } = digests[place]!;
    return accounts.flatMap((account) => {
      const since = first.get(account) ?? null;
      return since === null || since > day ? [] : [{ place, name, every, day, account, since }];
    });
  });
  const current = await readCurrent(queries, requested);
  const mailed = await readMailed(queries, requested, waitingMailIds);
  const accounts = Map.groupBy(
    requested.map((each, index) => ({
      ...each,
      now: current[index]!,
      ...mailed[index]!,
    })),
    ({ place, day }) => `${place} ${day}`,
  );
  return ends.map(({ place, day }) => ({
    place,
    day,
    accounts: accounts.get(`${place} ${day}`) ?? [],
  }));
}

/** A period that somebody asks for, due or not. If none of its accounts expected it, it has all. */
export async function requestedPeriod(
  queries: Queries,
  digest: DigestDefinition,
  { from, to }: Period,
): Promise<DigestPeriod> {
  const ends = [{ place: 0, day: to }];
  const [expected] = await readPeriods(queries, [digest], ends, await readFirstDays(queries));
  if (expected!.accounts.length > 0) return expected!;
  const all = new Map(digest.accounts.map((account) => [account, from]));
  const [period] = await readPeriods(queries, [digest], ends, all);
  return period!;
}

/** The periods that were mailed in part, and whose correction is still to be mailed. */
export async function incompletePeriods(
  queries: Queries,
  digests: readonly DigestDefinition[],
): Promise<DigestKey[]> {
  const ends = await readMailedInPart(queries, digests);
  if (ends.length === 0) return [];
  const periods = await readPeriods(queries, digests, ends, await readFirstDays(queries));
  return periods
    .filter(({ accounts }) =>
      accounts.some(
        (each) => each.mailed !== undefined && isInPart(each.mailed) && (isNews(each) || isOpen(each)),
      ),
    )
    .map(({ place, day }) => ({
      name: digests[place]!.name,
      every: digests[place]!.every,
      day,
    }));
}

/** It isn't confirmed, and nobody decided that nothing more is mailed of it. */
const isOpen = ({ now, mailed }: DigestPeriod['accounts'][number]) =>
  now.state !== 'whole' && !mailed!.skipped.includes(null);

/** The first day that a run at `now` catches up on, by account. */
const catchUpFromByAccount = ({ accounts, planning }: Config, now: Temporal.Instant): Map<string, Day> =>
  new Map(
    [...yesterdaysOf(accounts, now)].map(([name, last]) => [name, catchUpFrom(last, planning.catchUpDays)]),
  );

/** The ends of all periods that may be due, mailed or not. */
export async function candidateEnds({ config, warehouse, clock }: AppContext): Promise<DigestKey[]> {
  const states = await readDigestStates(warehouse, config.digests);
  const begun = states.map(({ start, newestDay }) => ({ start: start ?? '0001-01-01', newestDay }));
  return candidatesOf(config, begun, clock()).flatMap(({ name, every, ends }) =>
    ends.map((day) => ({ name, every, day })),
  );
}
