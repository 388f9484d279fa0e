import { Command } from 'commander';
import type { Context } from './context.ts';
import { explain } from './explain.ts';

type AddCommand = (program: Command, context: Context, end: (code: number) => void) => void;

/** Each command is a file, loaded on demand: a run takes no time and memory for the others. */
const commands: Readonly<Record<string, () => Promise<AddCommand>>> = {
  run: async () => (await import('./commands/run.ts')).addRun,
  backfill: async () => (await import('./commands/backfill.ts')).addBackfill,
  worker: async () => (await import('./commands/worker.ts')).addWorker,
  replay: async () => (await import('./commands/replay.ts')).addReplay,
  schedule: async () => (await import('./commands/schedule.ts')).addSchedule,
  digest: async () => (await import('./commands/digest.ts')).addDigest,
  accept: async () => (await import('./commands/accept.ts')).addAccept,
  status: async () => (await import('./commands/status.ts')).addStatus,
  doctor: async () => (await import('./commands/doctor.ts')).addDoctor,
  migrate: async () => (await import('./commands/migrate.ts')).addMigrate,
  clients: async () => (await import('./commands/clients.ts')).addClients,
  campaigns: async () => (await import('./commands/campaigns.ts')).addCampaigns,
  simulate: async () => (await import('./commands/simulate.ts')).addSimulate,
  demo: async () => (await import('./commands/demo.ts')).addDemo,
};

/** Runs one command line and gives its exit code; every error is printed here. */
export async function runProgram(argv: readonly string[], context: Context): Promise<number> {
  let code = 0;
  const end = (ended: number) => {
    code = ended;
  };
  const program = new Command('callsheet')
    .description('Campaign figures of the voice broadcasting service, every night, in Postgres and by mail.')
    .exitOverride()
    .showHelpAfterError('(see --help)')
    .configureOutput({ writeOut: (text) => context.print(text.trimEnd()), writeErr: printError });
  const named = commands[argv[0] ?? ''];
  // The help, and the error about an unknown command, need all of them.
  for (const load of named ? [named] : Object.values(commands)) (await load())(program, context, end);
  try {
    await program.parseAsync(argv, { from: 'user' });
    return code;
  } catch (error) {
    const explanation = explain(error, context.redactor);
    for (const line of explanation.lines) printError(`callsheet: ${line}\n`);
    return explanation.exitCode;
  }
}

function printError(text: string): void {
  process.stderr.write(text);
}
