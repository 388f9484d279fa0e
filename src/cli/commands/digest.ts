import { type Command, Option } from 'commander';
import { skipAll, skipOne } from '../../job/digests/make-digests.ts';
import { previewDigest } from '../../job/digests/preview-digest.ts';
import { sendDigests } from '../../job/digests/send-digests.ts';
import { requireSchema } from '../../job/run/database.ts';
import type { Day } from '../../model/day.ts';
import type { DigestDefinition } from '../../model/digest.ts';
import { usageFailure } from '../../model/errors.ts';
import { digestName, periodOf } from '../../model/period.ts';
import { type Context, readSettings, withApp } from '../context.ts';
import { dayOption, daysHelp, exampleOf, requestedDays, unknownName } from '../options.ts';

type Options = {
  readonly day?: Day;
  readonly digest?: string;
  readonly preview?: string;
  readonly resend?: true;
  readonly to?: string;
  readonly skip?: true;
  readonly all?: true;
};

/** `digest`: builds, shows, sends or skips the digest of a day, week or month, from the warehouse only. */
export function add(program: Command, context: Context): void {
  program
    .command('digest')
    .description('Send, repeat, preview or skip the digest of a period')
    .option(
      '--day <DAY>',
      'the day, or any day of the week or month; required except with --skip --all',
      dayOption(context.environment),
    )
    .option('--digest <NAME>', 'only this digest of DIGESTS_FILE, by its name (default: all)')
    .option('--preview <DIR>', 'send nothing: write .html, .txt, .csv and .eml into this folder')
    .addOption(
      new Option(
        '--resend',
        'send even if it was sent, given up, unknown or skipped, or if days are not loaded',
      ).conflicts(['preview', 'skip']),
    )
    .addOption(
      new Option('--to <ADDRESS>', 'only to this recipient (default: all)').conflicts(['preview', 'skip']),
    )
    .addOption(new Option('--skip', 'send nothing about that day, now or later').conflicts('preview'))
    .addOption(
      new Option(
        '--all',
        'with --skip: skip all that is due now, and corrections of days that are over',
      ).conflicts(['day', 'digest']),
    )
    .addHelpText('after', daysHelp)
    .addHelpText('after', exampleOf('digest', '--day', '2026-11-20', '--preview', 'preview'))
    .action(async (options: Options) => {
      const day = requestedDay(options);
      const { preview, skip } = options;
      const settings = readSettings(context, { service: true });
      requestedDays({ day: day ?? undefined }, settings.config.accounts);
      const digests = chosen(settings.config.digests, options.digest);
      await withApp(settings, async (app) => {
        await requireSchema(app.warehouse);
        await app.compareClocks(app.warehouse);
        if (day === null) return context.print(await skipAll(app));
        if (preview === undefined && !skip) {
          const to = options.to ?? null;
          const request = { command: context.command, digests, day, to, again: options.resend === true };
          let sent = 0;
          const report = await sendDigests(app, request, context.signal, (digest, recipient, outcome) => {
            sent++;
            context.print(`${digestName(digest)} to ${recipient}: ${outcome.state} (${outcome.reply})`);
          });
          if (sent === 0) context.print(`${day}: nothing left to send; to send it again, add --resend`);
          return context.setExitCode(report.exitCode);
        }
        for (const digest of digests) {
          const lines =
            preview === undefined
              ? [await skipOne(app, digest, day)]
              : await previewDigest(app, digest, periodOf(digest.every, day), preview);
          for (const line of lines) context.print(line);
        }
      });
    });
}

/** The day; null to skip everything that is due now. Throws a usage Failure for invalid arguments. */
function requestedDay({ day, skip, all }: Options): Day | null {
  if (all && skip) return null;
  if (all) throw usageFailure('--all works only with --skip');
  if (day !== undefined) return day;
  const orAll = skip ? '; --skip --all skips all that is due now, corrections included' : '';
  throw usageFailure(`--day is missing${orAll}`);
}

function chosen(digests: readonly DigestDefinition[], name: string | undefined): readonly DigestDefinition[] {
  const wanted = digests.filter((digest) => name === undefined || digest.name === name);
  if (wanted.length > 0) return wanted;
  if (name === undefined || digests.length === 0)
    throw usageFailure('no digest has a recipient: set DIGEST_TO or DIGESTS_FILE');
  const known = digests.map((digest) => digest.name);
  throw usageFailure(unknownName('digest', name, known));
}
