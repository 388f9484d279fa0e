import { styleText } from 'node:util';
import type { Command } from 'commander';
import { mailAddress } from '../../config/addresses.ts';
import { errorOf } from '../../config/formats.ts';
import { examine } from '../../job/doctor.ts';
import type { Finding } from '../../model/alert.ts';
import { gravest } from '../../model/exit-code.ts';
import { usageFailure } from '../../model/failure.ts';
import { systemClock } from '../../support/clock.ts';
import { type Context, readSettings } from '../context.ts';

type Options = { readonly json?: true; readonly probe?: true; readonly mailTo?: string };

/** `doctor`: examines what a run depends on, and how the service behaves where the document shows nothing. */
export function addDoctor(program: Command, context: Context, end: (code: number) => void): void {
  program
    .command('doctor')
    .description('check settings, database, mail and the service, and say what to do')
    .option('--json', 'for machines')
    .option('--probe', 'also try a wrong token, and page without limit')
    .option('--mail-to <ADDRESS>', 'send one message there')
    .action(async ({ json, probe, mailTo }: Options) => {
      const loaded = readSettings(context, { service: true });
      const request = { probe: probe === true, mailTo: mailTo === undefined ? null : checked(mailTo) };
      const findings: Finding[] = [];
      for await (const finding of examine(loaded, request, systemClock, context.signal)) {
        findings.push(finding);
        // Line by line: a request may take its time.
        if (!json) context.print(context.redactor.redact(line(finding)));
      }
      if (json) context.print(context.redactor.redact(JSON.stringify(findings, null, 2)));
      end(gravest(findings.flatMap((finding) => (finding.status === 'error' ? [finding.exitCode] : []))));
    });
}

function checked(address: string): string {
  const error = errorOf(mailAddress, address);
  if (error !== null) throw usageFailure(`--mail-to is ${error}`);
  return address;
}

const marks = {
  ok: { sign: '✓', style: 'green' },
  warning: { sign: '!', style: 'yellow' },
  error: { sign: '✗', style: 'red' },
} as const;

function line(finding: Finding): string {
  const { sign, style } = marks[finding.status];
  const message = `${styleText(style, sign)} ${finding.area.padEnd(8)}  ${finding.subject.padEnd(19)}  ${finding.message}`;
  return finding.status === 'ok' ? message : `${message}\n${' '.repeat(33)}→ ${finding.advice}`;
}
