import type { Command } from 'commander';
import { type Suggestion, suggestionsFor } from '../../job/alerts/suggested-commands.ts';
import { requireSchema } from '../../job/run/database.ts';
import { exitCode } from '../../model/exit-code.ts';
import { npmCommand } from '../../support/commands.ts';
import { type DeadWindow, deadWindows } from '../../warehouse/queries/dead-windows.ts';
import { lastRuns, type RunStatus } from '../../warehouse/queries/run-history.ts';
import {
  type AccountStatus,
  accountStatuses,
  type UnsentStatus,
  unsentMail,
} from '../../warehouse/queries/status.ts';
import { type Context, readSettings, withApp } from '../context.ts';
import { formatRows } from '../table.ts';

type Status = {
  readonly accounts: readonly AccountStatus[];
  readonly runs: readonly RunStatus[];
  readonly unsent: readonly UnsentStatus[];
  /** Of distributed runs. */
  readonly unfinished: readonly DeadWindow[];
};

const runsShown = 5;

/** `status`: what is loaded, what is not, and what a run would do about it. */
export function addStatus(program: Command, context: Context, end: (code: number) => void): void {
  program
    .command('status')
    .description(
      'complete through, gaps, held responses, last runs, unsent mail; ends with 0, or 75 where a run is needed',
    )
    .option('--json', 'for machines')
    .action(async ({ json }: { json?: true }) => {
      const settings = readSettings(context, { service: false });
      const status = await withApp(settings, async ({ warehouse }) => {
        await requireSchema(warehouse);
        return {
          accounts: await accountStatuses(warehouse),
          runs: await lastRuns(warehouse, runsShown),
          unsent: await unsentMail(warehouse),
          unfinished: await deadWindows(warehouse),
        };
      });
      context.print(json ? JSON.stringify(status, null, 2) : describe(status));
      const needsRun = status.accounts.some((account) => account.gaps.length > 0) || status.unsent.length > 0;
      end(needsRun || status.accounts.length === 0 ? exitCode.runAgain : exitCode.done);
    });
}

function describe({ accounts, runs, unsent, unfinished }: Status): string {
  const paragraphs = [
    accounts.length === 0 ? `Nothing is loaded yet: ${npmCommand('run')}` : accountTable(accounts),
    ...accounts.flatMap(suggestionsFor).map(written),
    runs.length === 0 ? 'No run yet.' : `Last runs\n${runTable(runs)}`,
    unsent.length === 0 ? 'No mail is waiting.' : `Mail that was not delivered\n${mailTable(unsent)}`,
    ...(unfinished.length === 0 ? [] : [`Windows that no worker could finish\n${deadTable(unfinished)}`]),
  ];
  return paragraphs.join('\n\n');
}

function accountTable(accounts: readonly AccountStatus[]): string {
  const rows = accounts.map((account) => ({
    account: account.account,
    'complete through': account.completeThrough ?? 'nothing yet',
    gaps: account.gaps.length,
    held: account.held.length,
    suspicious: account.suspicious.length,
    settling: account.settling,
    quarantined: account.quarantined,
  }));
  return formatRows(rows, Object.keys(rows[0]!), 'table');
}

const written = ({ message, command }: Suggestion) =>
  command === null ? message : `${message}: npm start -- ${command}`;

function runTable(runs: readonly RunStatus[]): string {
  const rows = runs.map((run) => ({
    run: run.run,
    started: run.startedAt.slice(0, 19),
    outcome: run.outcome ?? (run.finishedAt === null ? 'in progress, or killed' : '–'),
    'exit code': run.exitCode,
    command: run.command,
  }));
  return formatRows(rows, ['run', 'started', 'outcome', 'exit code', 'command'], 'table');
}

function mailTable(unsent: readonly UnsentStatus[]): string {
  return formatRows(unsent, ['day', 'digest', 'recipient', 'state', 'reply'], 'table');
}

function deadTable(unfinished: readonly DeadWindow[]): string {
  const rows = unfinished.map((dead) => ({ ...dead, since: dead.gaveUpAt.slice(0, 19) }));
  return formatRows(rows, ['day', 'account', 'run', 'since', 'said'], 'table');
}
