import type { Command } from 'commander';
import { wholeNumber } from '../../config/formats.ts';
import { generateDataset } from '../../simulator/dataset.ts';
import { startSimulator } from '../../simulator/server.ts';
import { aborted } from '../../support/clock.ts';
import type { Context } from '../context.ts';
import { exampleOf, optionOf } from '../options.ts';

type Options = { readonly port: number };

/** `simulate`: runs only the simulator. */
export function addSimulate(program: Command, context: Context): void {
  program
    .command('simulate')
    .description('run the simulator of the service until it is interrupted')
    .option('--port <N>', 'port to listen on; 0 is any free one', optionOf(wholeNumber(0, 65_535)), 8090)
    .addHelpText('after', exampleOf('simulate', '--port', '8090'))
    .action(async ({ port }: Options) => {
      const dataset = generateDataset();
      const simulator = await startSimulator({ port, dataset });
      context.print(`SERVICE_BASE_URL=${simulator.url}`);
      for (const { name, token } of dataset.accounts) context.print(`SIDTOKEN='${token}'  # ${name}`);
      try {
        await aborted(context.signal);
        throw context.signal.reason;
      } finally {
        await simulator.close();
      }
    });
}
