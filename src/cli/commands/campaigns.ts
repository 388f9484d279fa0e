import { type Command, Option } from 'commander';
import type { Day } from '../../model/day.ts';
import { createService } from '../../service/service.ts';
import { systemClock } from '../../support/clock.ts';
import { type Context, readSettings } from '../context.ts';
import { dayOption, idOption, latestToday, requestedDays } from '../options.ts';
import { type Format, formatRows, formats } from '../table.ts';

type Options = { readonly from: Day; readonly to: Day; readonly campaign?: number; readonly format: Format };

const columns = ['account', 'callset_id', 'attempts', 'busies', 'connects', 'live_answers', 'campaign'];

/** `campaigns`: requests campaign summaries over a range of days, live. */
export function addCampaigns(program: Command, context: Context): void {
  program
    .command('campaigns')
    .description('request campaign summaries over a range of days from the service, live, and print them')
    .requiredOption('--from <D>', 'first day', dayOption)
    .requiredOption('--to <D>', 'last day', dayOption)
    .option('--campaign <ID>', 'only the campaign with this id', idOption)
    .addOption(new Option('--format <F>', 'how to print').choices([...formats]).default('table'))
    .action(async ({ from, to, campaign, format }: Options) => {
      const { config, secrets, log } = readSettings(context, { service: true });
      requestedDays(
        { from, to },
        latestToday(
          systemClock(),
          config.accounts.map((account) => account.timeZone),
        ),
      );
      const { signal } = context;
      const { token, tokenRedactor: redactor } = secrets;
      const service = createService({ settings: config.service, token, redactor, signal });
      const query = { from, to, ...(campaign !== undefined && { callsetId: campaign }) };
      const rows = [];
      for (const account of config.accounts) {
        const { records, rejects } = await service.summarizeCampaigns(account, query);
        if (rejects.length > 0)
          log.warn(`${account.name}: ${rejects.length} records can't be read and are left out`);
        rows.push(
          ...records.map((record) => ({
            account: account.name,
            callset_id: record.callsetId,
            attempts: record.attempts,
            busies: record.busies,
            connects: record.connects,
            live_answers: record.liveAnswers,
            campaign: record.campaign,
            ...(Object.keys(record.extra).length > 0 && { extra: record.extra }),
          })),
        );
      }
      context.print(formatRows(rows, columns, format));
    });
}
