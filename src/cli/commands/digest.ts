import type { Command } from 'commander';
import { previewDigest } from '../../job/digests/compose-digest.ts';
import { skipAll, skipOne } from '../../job/digests/make-digests.ts';
import { sendDigests } from '../../job/digests/send-digests.ts';
import type { AppContext } from '../../job/run/app-context.ts';
import { requireSchema } from '../../job/run/database.ts';
import type { Day } from '../../model/day.ts';
import type { DigestDefinition } from '../../model/digest.ts';
import { exitCode } from '../../model/exit-code.ts';
import { usageFailure } from '../../model/failure.ts';
import { systemClock } from '../../support/clock.ts';
import { type Context, readSettings, withApp } from '../context.ts';
import { dayOption, latestToday, requestedDays } from '../options.ts';

type Options = {
  readonly day?: Day;
  readonly digest?: string;
  readonly preview?: string;
  readonly resend?: true;
  readonly to?: string;
  readonly skip?: true;
};

/** `digest`: builds, shows, sends or skips the digest of a day, from the warehouse alone. */
export function addDigest(program: Command, context: Context, end: (code: number) => void): void {
  program
    .command('digest')
    .description('build the digest of a day from the warehouse, and send it if it was not sent')
    .option('--day <D>', 'the day', dayOption)
    .option('--digest <NAME>', 'only this digest of DIGESTS_FILE')
    .option('--preview <DIR>', 'send nothing: write .html, .txt, .csv and .eml into this folder')
    .option('--resend', 'send again what was sent, refused or left unknown')
    .option('--to <ADDRESS>', 'only to this recipient')
    .option('--skip', 'send nothing, now or later; without --day, nothing of all that is due now')
    .action(async (options: Options) => {
      const day = requestedDay(options);
      const settings = readSettings(context, { service: true });
      const { accounts } = settings.config;
      const zones = accounts.map((each) => each.timeZone);
      requestedDays({ ...(day !== null && { day }) }, latestToday(systemClock(), zones));
      const digests = chosen(settings.config.digests, options.digest);
      const command = ['digest', ...program.args.slice(1)].join(' ');
      await withApp(settings, async (app) => {
        await requireSchema(app.warehouse);
        if (day === null) return context.print(await skipAll(app));
        end(await carryOut(context, app, { command, digests, day }, options));
      });
    });
}

/** The day; null where all that is due now is skipped. Throws a usage Failure for invalid arguments. */
function requestedDay({ day, digest, preview, resend, skip, to }: Options): Day | null {
  if ([preview, resend, skip].filter((mode) => mode !== undefined).length > 1)
    throw usageFailure('--preview, --resend and --skip go one at a time');
  if (to !== undefined && (preview !== undefined || skip)) throw usageFailure('--to is for sending');
  if (day !== undefined) return day;
  if (skip && digest === undefined) return null;
  throw usageFailure('which day: --day is missing');
}

function chosen(digests: readonly DigestDefinition[], name: string | undefined): readonly DigestDefinition[] {
  const wanted = digests.filter((digest) => name === undefined || digest.name === name);
  if (wanted.length > 0) return wanted;
  throw usageFailure(name === undefined ? 'no digest is set' : `no digest is called ${name}`);
}

type DigestTask = {
  readonly command: string;
  readonly digests: readonly DigestDefinition[];
  readonly day: Day;
};

async function carryOut(
  context: Context,
  app: AppContext,
  task: DigestTask,
  options: Options,
): Promise<number> {
  const { digests, day } = task;
  if (options.preview !== undefined) {
    for (const digest of digests) {
      for (const file of await previewDigest(app, digest, day, options.preview)) context.print(file);
    }
    return exitCode.done;
  }
  if (options.skip) {
    for (const { name } of digests) context.print(await skipOne(app, name, day));
    return exitCode.done;
  }
  return await send(context, app, task, options);
}

async function send(context: Context, app: AppContext, task: DigestTask, options: Options): Promise<number> {
  const request = { ...task, to: options.to ?? null, again: options.resend === true };
  let sent = 0;
  const report = await sendDigests(app, request, context.signal, ({ digest, recipient, outcome }) => {
    sent++;
    context.print(`${digest} of ${task.day} to ${recipient}: ${outcome.state} (${outcome.reply})`);
  });
  if (sent === 0) context.print(`${task.day}: nothing left to send; --resend sends it again`);
  return report.exitCode;
}
