import type { Command } from 'commander';
import { requireSchema } from '../job/database.ts';
import { buildDigest } from '../job/make-digests.ts';
import type { Parts } from '../job/parts.ts';
import { previewDigest } from '../job/preview-digest.ts';
import { sendDigest } from '../job/resend-digest.ts';
import type { Day } from '../model/day.ts';
import type { DigestDefinition } from '../model/digest.ts';
import { exitCode } from '../model/exit-code.ts';
import { usageFailure } from '../model/failure.ts';
import { systemClock } from '../support/clock.ts';
import { isWaived, unwaiveDigest, waiveDeliveries, waiveDigest } from '../warehouse/outbox.ts';
import { type Context, readSettings, withParts } from './context.ts';
import { askedDays, dayOption, latestToday } from './options.ts';

type Options = {
  readonly day: Day;
  readonly digest?: string;
  readonly preview?: string;
  readonly resend?: true;
  readonly waive?: true;
};

/** `digest`: builds, shows, sends or waives the digest of a day, from the warehouse alone. */
export function addDigest(program: Command, context: Context, end: (code: number) => void): void {
  program
    .command('digest')
    .description('build the digest of a day from the warehouse, and send it if it was not sent')
    .requiredOption('--day <D>', 'the day it is about', dayOption)
    .option('--digest <NAME>', 'only this digest of DIGESTS_FILE')
    .option('--preview <DIR>', 'send nothing: write .html, .txt, .csv and .eml into this folder')
    .option('--resend', 'send again what was sent, refused or left unknown')
    .option('--waive', 'send nothing, now or later')
    .action(async (options: Options) => {
      const modes = [options.preview, options.resend, options.waive].filter((mode) => mode !== undefined);
      if (modes.length > 1) throw usageFailure('--preview, --resend and --waive go one at a time');
      const settings = readSettings(context, { service: true });
      askedDays(
        { day: options.day },
        latestToday(
          systemClock(),
          settings.config.accounts.map((each) => each.timeZone),
        ),
      );
      const digests = chosen(settings.config.digests, options.digest);
      await withParts(settings, async (parts) => {
        await requireSchema(parts.warehouse);
        const codes = [];
        for (const digest of digests) codes.push(await handle(context, parts, digest, options));
        end(Math.max(...codes));
      });
    });
}

function chosen(digests: readonly DigestDefinition[], name: string | undefined): readonly DigestDefinition[] {
  const wanted = digests.filter((digest) => name === undefined || digest.name === name);
  if (wanted.length > 0) return wanted;
  throw usageFailure(name === undefined ? 'no digest is set' : `no digest is called ${name}`);
}

async function handle(
  context: Context,
  parts: Parts,
  digest: DigestDefinition,
  options: Options,
): Promise<number> {
  const { day } = options;
  if (options.preview !== undefined) {
    for (const file of await previewDigest(parts, digest, day, options.preview)) context.print(file);
    return exitCode.done;
  }
  if (options.waive) {
    const before = await waiveDigest(parts.warehouse, digest.name, day, null);
    const open = before ? 0 : await waiveDeliveries(parts.warehouse, digest.name, day);
    context.print(`${digest.name} of ${day}: ${before ? 'waived' : `${open} open deliveries waived`}`);
    return exitCode.done;
  }
  if (options.resend) await unwaiveDigest(parts.warehouse, digest.name, day);
  else if (await isWaived(parts.warehouse, digest.name, day)) {
    throw usageFailure(`${digest.name} of ${day} was waived: --resend builds and sends it all the same`);
  }
  await buildDigest(parts, { digest, day, earlierDays: [] }, null);
  const outcomes = await sendDigest(parts, digest.name, day, options.resend === true, context.signal);
  for (const { state, reply } of outcomes) context.print(`${digest.name} of ${day}: ${state} (${reply})`);
  if (outcomes.length === 0)
    context.print(`${digest.name} of ${day}: nothing left to send; --resend sends it again`);
  return outcomes.every(({ state }) => state === 'sent' || state === 'written')
    ? exitCode.done
    : exitCode.runAgain;
}
