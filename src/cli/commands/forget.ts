import type { Command } from 'commander';
import { openExistingDatabase, requireSchema } from '../../job/run/database.ts';
import { withRunLock } from '../../job/run/run.ts';
import { Failure, usageFailure } from '../../model/errors.ts';
import { asTyped } from '../../support/commands.ts';
import {
  type ForgettableAccount,
  type ForgottenRows,
  forgetAccount,
  previewForget,
  readForgettable,
} from '../../warehouse/retention/forget-account.ts';
import { type Context, readSettings, withApp } from '../context.ts';
import { exampleOf, unknownName } from '../options.ts';
import { formatTable } from '../table.ts';

type Options = {
  readonly account: string;
  readonly yes?: true;
};

/** `forget`: erases an account that is gone from the settings. */
export function add(program: Command, context: Context): void {
  program
    .command('forget')
    .description('Erase an account that is no longer in the settings')
    .requiredOption('--account <NAME>', 'the account, by its name')
    .option('--yes', 'erase it; without this option, only show what would be erased')
    .addHelpText('after', exampleOf('forget', '--account', 'north'))
    .action(async ({ account: name, yes }: Options) => {
      const settings = readSettings(context, { service: true });
      const { print, setExitCode, signal } = context;
      await withApp(
        settings,
        async (app) => {
          await requireSchema(app.warehouse);
          if (settings.config.accounts.some((each) => each.name === name))
            throw new Failure(
              'INVALID_ARGUMENTS',
              `account ${name} is still in the settings (ACCOUNTS_FILE, or ACCOUNT_NAME), and the next run would load it again`,
              { advice: 'remove it there, restart all workers, then repeat this command' },
            );
          const account = chosen(await readForgettable(app.warehouse), name);
          if (!yes) {
            const command = asTyped('forget', '--account', name, '--yes');
            print(tableOf(await previewForget(app.warehouse, account)));
            return print(`\nNothing is erased yet. To erase ${name} for good:\n\n  ${command}`);
          }
          // `etl.runs` doesn't name the account.
          const start = { kind: 'forget', command: 'forget' } as const;
          const report = await withRunLock(app, start, signal, async (run) => {
            print(tableOf(await forgetAccount(run.warehouse, account)));
            print(`\nErased: ${name}. Delivered mail, files, logs and backups are not changed.`);
            return undefined;
          });
          setExitCode(report.exitCode);
        },
        () => openExistingDatabase(settings, settings.log),
      );
    });
}

function chosen(accounts: readonly ForgettableAccount[], name: string): ForgettableAccount {
  const account = accounts.find((each) => each.name === name);
  if (account !== undefined) return account;
  if (accounts.length === 0) throw usageFailure(`no account is called ${name}: the database has none yet`);
  const known = accounts.map((each) => each.name);
  throw usageFailure(unknownName('account', name, known));
}

const tableOf = (rows: readonly ForgottenRows[]) =>
  formatTable(rows.map(({ table, rows: count, what }) => ({ rows: count, table, erased: what })));
