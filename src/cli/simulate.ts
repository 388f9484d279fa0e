import type { Command } from 'commander';
import { generateDataset } from '../simulator/dataset.ts';
import { startSimulator } from '../simulator/server.ts';
import { aborted } from '../support/aborted.ts';
import type { Context } from './context.ts';
import { countOption, idOption } from './options.ts';

/** `simulate`: the stand-in service by itself. */
export function addSimulate(program: Command, context: Context): void {
  program
    .command('simulate')
    .description('the stand-in service by itself, until it is interrupted')
    .option('--port <N>', 'port to listen on; 0 is any free one', idOption, 8090)
    .option('--seed <N>', 'another seed is another world', countOption, 1)
    .action(async ({ port, seed }: { port: number; seed: number }) => {
      const simulator = await startSimulator({ port, seed });
      context.print(`SERVICE_BASE_URL=${simulator.url}`);
      for (const { name, token } of generateDataset(seed).accounts)
        context.print(`SIDTOKEN='${token}'  # ${name}`);
      try {
        await aborted(context.signal);
        throw context.signal.reason;
      } finally {
        await simulator.close();
      }
    });
}
