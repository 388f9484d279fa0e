import { styleText } from 'node:util';
import type { Command } from 'commander';
import { mailAddress } from '../../config/addresses.ts';
import { examine } from '../../job/doctor.ts';
import { gravest } from '../../model/exit-code.ts';
import type { Finding } from '../../model/finding.ts';
import { systemClock } from '../../support/clock.ts';
import { type Context, readSettings } from '../context.ts';
import { exampleOf, optionOf } from '../options.ts';

type Options = {
  readonly json?: true;
  readonly mailTo?: string;
};

/** `doctor`: checks everything that a run depends on, and says what to set. */
export function addDoctor(program: Command, context: Context): void {
  program
    .command('doctor')
    .description('Check settings, database, mail server and service')
    .option('--json', 'for machines')
    .option('--mail-to <ADDRESS>', 'send a test message to this address', optionOf(mailAddress))
    .addHelpText('after', exampleOf('doctor', '--mail-to', 'ana@example.com'))
    .action(async ({ json, mailTo }: Options) => {
      const settings = readSettings(context, { service: true });
      const findings: Finding[] = [];
      for await (const finding of examine(settings, mailTo ?? null, systemClock, context.signal)) {
        findings.push(finding);
        // Printed one by one: a request may take long.
        if (!json) printFinding(context, finding);
      }
      if (json) context.print(context.redactor.redactOwn(JSON.stringify(findings, null, 2)));
      const errors = findings.filter((finding) => finding.status === 'error');
      context.setExitCode(gravest(errors.map((finding) => finding.exitCode)));
    });
}

const marks = {
  ok: styleText('green', '✓'),
  warning: styleText('yellow', '!'),
  error: styleText('red', '✗'),
} as const;

/** Prints a finding in one line, with its advice below. */
export function printFinding({ print, redactor }: Context, finding: Finding): void {
  print(redactor.redactOwn(describeFinding(finding)));
}

function describeFinding(finding: Finding): string {
  const { status, area, subject, message } = finding;
  const line = `${marks[status]} ${area.padEnd(8)}  ${subject.padEnd(19)}  ${message}`;
  return finding.status === 'ok' ? line : `${line}\n${' '.repeat(33)}→ ${finding.advice}`;
}
