import type { Command } from 'commander';
import { readAlerts } from '../../job/alerts/read-alerts.ts';
import type { AppContext } from '../../job/run/app-context.ts';
import { requireSchema } from '../../job/run/database.ts';
import type { ActiveAlert, AlertStep } from '../../model/alert.ts';
import { usageFailure } from '../../model/errors.ts';
import { exitCode } from '../../model/exit-code.ts';
import { anyNeedsAction } from '../../planning/diagnosis/diagnose.ts';
import { asTyped } from '../../support/commands.ts';
import { dismissAlert } from '../../warehouse/outbox/alerts.ts';
import { lastRuns, type RunStatus } from '../../warehouse/queries/run-history.ts';
import { type AccountStatus, accountStatuses, unsentMail } from '../../warehouse/queries/status.ts';
import { type Context, readSettings, withApp } from '../context.ts';
import { exampleOf } from '../options.ts';
import { formatTable, type Row } from '../table.ts';

type Status = Awaited<ReturnType<typeof readStatus>>;

const runsShown = 5;

/** `status`: what needs a run or a person, and what is loaded. */
export function addStatus(program: Command, context: Context): void {
  program
    .command('status')
    .description(
      'active alerts with cause and command, complete through, last runs, mail; ends with 75 where an alert needs a run or a person, else with 0',
    )
    .option('--json', 'for machines')
    .option('--dismiss <alert>', "acknowledge an alert that can't be mended, by its key")
    .addHelpText('after', exampleOf('status', '--json'))
    .action(async ({ json, dismiss }: { json?: true; dismiss?: string }) => {
      const settings = readSettings(context, { service: false });
      const status = await withApp(settings, async (app) => {
        await requireSchema(app.warehouse);
        if (dismiss !== undefined) await acknowledge(app, dismiss);
        return await readStatus(app);
      });
      context.print(json ? JSON.stringify(status, null, 2) : describe(status));
      if (anyNeedsAction(status.alerts)) context.end(exitCode.runAgain);
    });
}

async function acknowledge(app: AppContext, key: string): Promise<void> {
  const alert = (await readAlerts(app.warehouse, app)).find((each) => each.key === key);
  if (alert === undefined) throw usageFailure(`no active alert is called ${key}`);
  await dismissAlert(app.warehouse, alert);
}

async function readStatus(app: AppContext) {
  const { warehouse } = app;
  return {
    alerts: await readAlerts(warehouse, app),
    accounts: await accountStatuses(warehouse),
    runs: await lastRuns(warehouse, runsShown),
    unsent: await unsentMail(warehouse),
  };
}

function describe({ alerts, accounts, runs, unsent }: Status): string {
  const paragraphs = alerts.map(describeAlert);
  if (accounts.length > 0) paragraphs.push(formatTable(accounts.map(accountRow)));
  paragraphs.push(runs.length === 0 ? 'No run yet.' : `Last runs\n${formatTable(runs.map(runRow))}`);
  if (unsent.length > 0) {
    const columns = ['day', 'digest', 'recipient', 'state', 'reply'];
    paragraphs.push(`Mail that was not delivered\n${formatTable(unsent, columns)}`);
  }
  return paragraphs.join('\n\n');
}

const marks = { error: '✕', warning: '!', note: '·' } as const;

function describeAlert({ severity, title, since, cause, steps, dismissed }: ActiveAlert): string {
  const when = since === null ? '' : `Since the night of ${since}. `;
  const acknowledged = dismissed ? ' Acknowledged.' : '';
  const lines = dismissed ? [] : steps.map(describeStep);
  return [`${marks[severity]} ${title}`, `  ${when}${cause}${acknowledged}`, ...lines].join('\n');
}

const describeStep = ({ text, command }: AlertStep) =>
  command === null ? `  ${text}.` : `  ${text}:\n    ${asTyped(...command)}`;

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
