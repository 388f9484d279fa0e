import type { Command } from 'commander';
import { migrate, openDatabase } from '../../job/run/database.ts';
import { asTyped } from '../../support/commands.ts';
import { formatCountOf } from '../../support/english.ts';
import { currentUrl } from '../../warehouse/db/connection.ts';
import { openWarehouse } from '../../warehouse/db/database.ts';
import { openPlainSql } from '../../warehouse/db/plain-sql.ts';
import { migrationStates, refuseOtherSchema } from '../../warehouse/schema/migrate.ts';
import { type Context, readSettings, requireShared, type Settings } from '../context.ts';
import { exampleOf } from '../options.ts';

/** `migrate`: brings the schema up to date. */
export function add(program: Command, context: Context): void {
  program
    .command('migrate')
    .description('Update the schema of the warehouse')
    .option('--queue', 'also set up or update the queue for distributed runs')
    .option('--status', 'list the migrations and apply none')
    .addHelpText('after', exampleOf('migrate', '--status'))
    .action(async ({ status, queue }: { status?: true; queue?: true }) => {
      const settings = readSettings(context, { service: false });
      if (queue) requireShared(settings);
      const database = await openDatabase(settings, settings.log);
      try {
        const url = settings.secrets.migrateDatabaseUrl() ?? currentUrl(database.url);
        if (status) {
          await using warehouse = openWarehouse(url, 1);
          for (const { name, appliedAt } of await migrationStates(warehouse))
            context.print(`${name}  ${appliedAt === null ? 'pending' : `applied ${appliedAt}`}`);
          await refuseOtherSchema(warehouse);
        } else await applyAll(context, settings, url);
        if (queue && !status) await setUpQueue(settings, url);
      } finally {
        await database.close();
      }
    });
}

async function applyAll(context: Context, { log }: Settings, url: string): Promise<void> {
  const { applied, readerSql } = await migrate(url, (line) => log.warn(line));
  // Stdout is for the SQL alone: it is piped into psql.
  for (const name of applied) log.info(`applied ${name}`);
  log.info(
    applied.length === 0
      ? 'the schema is up to date'
      : `${formatCountOf(applied.length, 'migration')} applied`,
  );
  if (readerSql.length === 0) return;
  log.warn(
    'this role may not set up callsheet_reader, the role for BI tools: let a superuser run the printed SQL',
  );
  context.print(readerSql.join('\n'));
}

async function setUpQueue({ log }: Settings, url: string): Promise<void> {
  const { installQueue } = await import('../../queue/boss.ts');
  const sql = openPlainSql(url, 1, 0);
  try {
    await installQueue(sql);
    log.info(`the queue is set up: start workers with ${asTyped('worker')}`);
  } finally {
    await sql.end();
  }
}
