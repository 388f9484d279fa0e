import type { Command } from 'commander';
import { wholeNumber } from '../../config/formats.ts';
import { Failure } from '../../model/errors.ts';
import { unreadableReason } from '../../model/records.ts';
import { type Context, connectService, forEachAccount, readSettings } from '../context.ts';
import {
  exampleOf,
  optionOf,
  type RangeOptions,
  rangeCommand,
  requestedAccounts,
  requestedDays,
} from '../options.ts';
import { extraColumn, type Format, formatOption, formatRows, leftOut, quoted, type Row } from '../table.ts';

type Options = RangeOptions & { readonly campaign?: number; readonly format: Format };

const columns = ['account', 'callset_id', 'attempts', 'busies', 'connects', 'live_answers', 'campaign'];
const idOption = optionOf(wholeNumber(0, Number.MAX_SAFE_INTEGER));

/** `campaigns`: requests campaign summaries over a range of days, live. */
export function add(program: Command, context: Context): void {
  rangeCommand(program, 'campaigns', context.environment)
    .description('List the campaign summaries of the service, live')
    .option('--campaign <ID>', 'only the campaign with this id (default: all)', idOption)
    .addOption(formatOption())
    .addHelpText(
      'after',
      exampleOf('campaigns', '--from', '2026-11-01', '--to', '2026-11-20', '--format', 'csv'),
    )
    .action(async ({ from, to, account: names, campaign, format }: Options) => {
      const settings = readSettings(context, { service: true });
      const { accounts } = settings.config;
      requestedDays({ from, to }, accounts);
      const service = connectService(settings, context.signal);
      const query = { from, to, ...(campaign !== undefined && { callsetId: campaign }) };
      const rows: Row[] = [];
      let isRead = false;
      await forEachAccount(context, settings, requestedAccounts(names, accounts), async (account) => {
        using summary = await service.summarizeCampaigns(account, query);
        const { records, rejectCount, remarks, logged } = summary;
        const unreadable = unreadableReason(summary);
        if (unreadable !== null)
          throw new Failure('INVALID_RESPONSE', `invalid response (${unreadable})`, {
            subject: `account ${account.name}`,
          });
        isRead = true;
        const left = rejectCount > 0 ? [leftOut(rejectCount)] : [];
        for (const line of [...remarks.map(quoted), ...logged, ...left])
          settings.log.warn({ account: account.name }, `${account.name}: ${line}`);
        for (const record of records)
          rows.push({
            account: account.name,
            callset_id: record.callsetId,
            attempts: record.attempts,
            busies: record.busies,
            connects: record.connects,
            live_answers: record.liveAnswers,
            campaign: record.campaign,
            ...extraColumn(record),
          });
      });
      context.print(formatRows(rows, columns, format, context.isTerminal));
      if (isRead && rows.length === 0) {
        const which = campaign === undefined ? 'no campaign' : `no campaign ${campaign}`;
        settings.log.warn(`the service lists ${which} from ${from} to ${to}`);
      }
    });
}
