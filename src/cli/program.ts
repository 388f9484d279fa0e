import { Command } from 'commander';
import { addAccept } from './accept.ts';
import { addBackfill } from './backfill.ts';
import { addCampaigns } from './campaigns.ts';
import { addClients } from './clients.ts';
import type { Context } from './context.ts';
import { addDemo } from './demo.ts';
import { addDigest } from './digest.ts';
import { addDoctor } from './doctor.ts';
import { explain } from './explain.ts';
import { addMigrate } from './migrate.ts';
import { addReplay } from './replay.ts';
import { addRun } from './run.ts';
import { addSchedule } from './schedule.ts';
import { addSimulate } from './simulate.ts';
import { addStatus } from './status.ts';

/** Runs one command line and gives its exit code; every error is told here, in one place. */
export async function runProgram(argv: readonly string[], context: Context): Promise<number> {
  let code = 0;
  const end = (ended: number) => {
    code = ended;
  };
  const program = new Command('callsheet')
    .description('Campaign figures of the voice broadcasting service, every night, in Postgres and by mail.')
    .exitOverride()
    .showHelpAfterError('(see --help)')
    .configureOutput({ writeOut: (text) => context.print(text.trimEnd()), writeErr: tell });
  addRun(program, context, end);
  addBackfill(program, context, end);
  addReplay(program, context, end);
  addSchedule(program, context);
  addDigest(program, context, end);
  addAccept(program, context, end);
  addStatus(program, context, end);
  addDoctor(program, context, end);
  addMigrate(program, context);
  addClients(program, context, end);
  addCampaigns(program, context);
  addSimulate(program, context);
  addDemo(program, context, end);
  try {
    await program.parseAsync(argv, { from: 'user' });
    return code;
  } catch (error) {
    const explanation = explain(error, context.redactor);
    for (const line of explanation.lines) tell(`callsheet: ${line}\n`);
    return explanation.exitCode;
  }
}

function tell(text: string): void {
  process.stderr.write(text);
}
