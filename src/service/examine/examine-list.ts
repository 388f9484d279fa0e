import { cutLengths } from '../../model/cut-lists.ts';
import { Failure } from '../../model/errors.ts';
import { exitCode } from '../../model/exit-code.ts';
import type { Finding } from '../../model/finding.ts';
import type { Account } from '../../model/records.ts';
import type { WalkVerdict } from '../../model/walk.ts';
import { formatCountOf, formatDuration } from '../../support/english.ts';
import type { ClientPage } from '../operations.ts';
import type { WalkEnd } from '../paging/walk-clients.ts';
import { error, ok, warning } from './findings.ts';

/** An account has fewer clients of a round number by chance. */
const minCut = 1_000;

/** The settings that decide how a run walks a client list. */
export type ListSettings = {
  readonly pageLimit: number;
  readonly concurrency: number;
  readonly balance: boolean;
};

/** Walks the client list with these settings, and stops after `maxMs`. */
export type WalkWith = (settings: ListSettings, maxMs: number) => AsyncGenerator<ClientPage | WalkEnd, void>;

type Walked = {
  readonly clients: number;
  readonly pages: number;
  readonly end: WalkVerdict | 'long';
  readonly problem: string | null;
  readonly failure: Failure | null;
};

/**
 * Walks the client list of an account as a run does. If it fails or takes long, walks it with one setting changed after the other,
 * the one of the lowest price first, and names the first that helps.
 *
 * @param maxMs a list that takes longer takes long
 */
export async function examineList(
  walkWith: WalkWith,
  account: Account,
  settings: ListSettings,
  maxMs = 120_000,
): Promise<Finding> {
  const subject = 'client list';
  const walk = (changed: Partial<ListSettings> = {}) =>
    walkOnce(walkWith, { ...settings, ...changed }, maxMs);
  const asSet = await walk();
  if (asSet.end === 'complete' && asSet.clients >= minCut && cutLengths.includes(asSet.clients))
    return warning(
      subject,
      `${account.name}: exactly ${countOf(asSet)}: the list may be cut there`,
      'ask the provider whether getClients lists more',
    );
  if (asSet.end === 'complete') return ok(subject, `${account.name}: ${countOf(asSet)}, complete`);
  if (asSet.end === 'changed')
    return warning(
      subject,
      `${account.name}: it changed while it was fetched (${asSet.problem})`,
      'if it does so each time, the service lists its pages in no order: set PAGE_LIMIT to more than it has clients',
    );
  const fault = asSet.end === 'long' ? `${countOf(asSet)} in ${formatDuration(maxMs)}` : asSet.problem;
  const { failure } = asSet;
  // Other settings don't change a rate.
  if (failure?.status === '429') throw failure;
  const tried: string[] = [];
  for (const { setting, changed, price } of trials(settings)) {
    tried.push(setting);
    if (!helps(await walk(changed), asSet)) continue;
    // A service that has just recovered sends everything, whatever is set.
    if ((await walk()).end === 'complete')
      return ok(subject, `${account.name}: it failed once (${fault}), and was complete the next time`);
    return error(subject, `${account.name}: ${fault}`, `set ${setting}, which helps: ${price}`);
  }
  // Its advice says more: a refusal may be of the token, or of a setting.
  if (failure?.code === 'TOKEN_REFUSED') throw failure;
  const vain = tried.length === 0 ? '' : `; what doesn't help: ${tried.join(', ')}`;
  const code = failure?.exitCode ?? exitCode.runAgain;
  return error(subject, `${account.name}: ${fault}`, `ask the provider${vain}`, code);
}

/** Each setting that may help, with its price. */
function trials({ pageLimit, concurrency, balance }: ListSettings) {
  const smaller = Math.floor(pageLimit / 4);
  return [
    {
      setting: `PAGE_LIMIT=${smaller}`,
      isOther: smaller > 0,
      changed: { pageLimit: smaller },
      price: 'a list then takes more requests',
    },
    {
      setting: 'CONCURRENCY=1',
      isOther: concurrency > 1,
      changed: { concurrency: 1 },
      price: 'a run then sends one request at a time, and takes longer',
    },
    {
      setting: 'CLIENT_BALANCE=false',
      isOther: balance,
      changed: { balance: false },
      price: 'balances are then no longer loaded',
    },
  ].filter(({ isOther }) => isOther);
}

/** A list that takes long is helped by twice as many clients in the same time, too. */
function helps(walked: Walked, asSet: Walked): boolean {
  if (walked.end === 'complete') return walked.clients > 0;
  return asSet.end === 'long' && walked.end === 'long' && walked.clients >= 2 * asSet.clients;
}

async function walkOnce(walkWith: WalkWith, settings: ListSettings, maxMs: number): Promise<Walked> {
  const began = performance.now();
  let pages = 0;
  try {
    for await (const item of walkWith(settings, maxMs)) {
      if (!('verdict' in item)) {
        pages++;
        continue;
      }
      const { verdict, reason, failure, ids } = item;
      const isLong = verdict === 'incomplete' && failure === null && performance.now() - began >= maxMs;
      // Remarks have findings of their own.
      const end = isLong ? 'long' : verdict === 'remarked' ? 'complete' : verdict;
      return {
        clients: ids.size,
        pages,
        end,
        problem: reason,
        failure,
      };
    }
    throw new Error('the walk has no end');
  } catch (failure) {
    // The first page failed.
    if (!(failure instanceof Failure)) throw failure;
    return { clients: 0, pages, end: 'incomplete', problem: failure.detail, failure };
  }
}

const countOf = ({ clients, pages }: Walked) =>
  `${formatCountOf(clients, 'client')} on ${formatCountOf(pages, 'page')}`;
