import type { Command } from 'commander';
import { mailAddress } from '../../config/addresses.ts';
import { examine } from '../../job/doctor.ts';
import { gravest } from '../../model/exit-code.ts';
import type { Finding } from '../../model/finding.ts';
import { systemClock } from '../../support/clock.ts';
import { marks } from '../../support/paint.ts';
import { type Context, readSettings } from '../context.ts';
import { exampleOf, optionOf } from '../options.ts';
import { wrap } from '../wrap.ts';

type Options = {
  readonly json?: true;
  readonly mailTo?: string;
};

/** `doctor`: checks everything that a run depends on, and says what to set. */
export function add(program: Command, context: Context): void {
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

/** Prints a finding with its advice below. A pipe gets each of them in one line. */
export function printFinding({ print, redactor, columns, isTerminal }: Context, finding: Finding): void {
  const width = isTerminal ? columns : Number.POSITIVE_INFINITY;
  // Redacted first: a secret may be broken where it has a space.
  const wrapped = (text: string, indent: number, hanging = 0) =>
    wrap(redactor.redactOwn(text), width - indent, hanging).join(`\n${' '.repeat(indent)}`);
  const head = `${finding.area.padEnd(8)}  ${finding.subject.padEnd(19)}  `;
  print(`${marks[finding.status]} ${head}${wrapped(finding.message, 2 + head.length)}`);
  if (finding.status !== 'ok') print(`  ${wrapped(`→ ${finding.advice}`, 2, 2)}`);
}
