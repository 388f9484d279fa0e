import type { Command } from 'commander';
import { suggestionsFor } from '../../job/alerts/suggestions.ts';
import { requireSchema } from '../../job/run/database.ts';
import { exitCode } from '../../model/exit-code.ts';
import { walkConcerns } from '../../planning/walk-status.ts';
import { inClone, npmCommand } from '../../support/commands.ts';
import type { Warehouse } from '../../warehouse/db/database.ts';
import { type DeadWindow, deadWindows } from '../../warehouse/queries/dead-windows.ts';
import { lastRuns, type RunStatus } from '../../warehouse/queries/run-history.ts';
import { type AccountStatus, accountStatuses, unsentMail } from '../../warehouse/queries/status.ts';
import { type Context, readSettings, withApp } from '../context.ts';
import { formatTable, type Row } from '../table.ts';

type Status = Awaited<ReturnType<typeof readStatus>>;

const runsShown = 5;

/** `status`: what is loaded, what is not, and what a run would do about it. */
export function addStatus(program: Command, context: Context): void {
  program
    .command('status')
    .description(
      'complete through, gaps, held responses, client walks, last runs, unsent mail; ends with 0, or 75 where a run or a person is needed',
    )
    .option('--json', 'for machines')
    .action(async ({ json }: { json?: true }) => {
      const settings = readSettings(context, { service: false });
      const status = await withApp(settings, ({ warehouse }) => readStatus(warehouse));
      context.print(json ? JSON.stringify(status, null, 2) : describe(status));
      if (needsRun(status)) context.end(exitCode.runAgain);
    });
}

async function readStatus(warehouse: Warehouse) {
  await requireSchema(warehouse);
  return {
    accounts: await accountStatuses(warehouse),
    runs: await lastRuns(warehouse, runsShown),
    unsent: await unsentMail(warehouse),
    // Of distributed runs.
    unfinished: await deadWindows(warehouse),
  };
}

function needsRun({ accounts, unsent }: Status): boolean {
  if (accounts.length === 0 || unsent.length > 0) return true;
  return accounts.some(
    ({ gaps, notRefreshed, disagreeing, walk }) =>
      gaps.length + notRefreshed.length + disagreeing.length + walkConcerns(walk).length > 0,
  );
}

function describe({ accounts, runs, unsent, unfinished }: Status): string {
  const paragraphs = [
    accounts.length === 0
      ? `Nothing is loaded yet: ${npmCommand('run')}`
      : formatTable(accounts.map(accountRow)),
  ];
  for (const { message, command } of accounts.flatMap(suggestionsFor))
    paragraphs.push(command === null ? message : `${message}: ${inClone(command)}`);
  paragraphs.push(
    runs.length === 0 ? 'No run yet.' : `Last runs\n${formatTable(runs.map(runRow))}`,
    unsent.length === 0
      ? 'No mail is waiting.'
      : `Mail that was not delivered\n${formatTable(unsent, ['day', 'digest', 'recipient', 'state', 'reply'])}`,
  );
  if (unfinished.length > 0)
    paragraphs.push(`Windows that no worker could finish\n${formatTable(unfinished.map(unfinishedRow))}`);
  return paragraphs.join('\n\n');
}

const accountRow = (account: AccountStatus): Row => ({
  account: account.account,
  'complete through': account.completeThrough ?? 'nothing yet',
  gaps: account.gaps.length,
  held: account.held.length,
  suspicious: account.suspicious.length,
  settling: account.settling,
  quarantined: account.quarantined,
  'last complete walk': account.walk.completeAt?.slice(0, 16) ?? 'none yet',
});

const runRow = (run: RunStatus): Row => ({
  run: run.run,
  started: run.startedAt.slice(0, 19),
  outcome: run.outcome ?? describeUnfinished(run),
  'exit code': run.exitCode,
  command: run.command,
});

function describeUnfinished({ finishedAt, retryAt }: RunStatus): string {
  if (retryAt !== null) return `next attempt at ${retryAt.slice(0, 19)}`;
  return finishedAt === null ? 'in progress, or killed' : '–';
}

const unfinishedRow = (window: DeadWindow): Row => ({
  day: window.day,
  account: window.account,
  run: window.run,
  since: window.gaveUpAt.slice(0, 19),
  error: window.said,
});
