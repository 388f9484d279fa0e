import { type Command, InvalidArgumentError } from 'commander';
import { wholeNumber } from '../../config/formats.ts';
import { usageFailure } from '../../model/errors.ts';
import { type Dataset, generateDataset } from '../../simulator/dataset.ts';
import { FAULT_FORM, FAULT_KINDS, readFault, type ScriptedFault } from '../../simulator/faults.ts';
import { startSimulator } from '../../simulator/server.ts';
import { describeVariant, isVariantName, type VariantName, variantNames } from '../../simulator/variants.ts';
import { aborted } from '../../support/clock.ts';
import type { Context } from '../context.ts';
import { countOption, exampleOf, optionOf } from '../options.ts';

type Options = {
  readonly port: number;
  readonly seed: number;
  readonly variant?: readonly VariantName[];
  readonly fault?: readonly ScriptedFault[];
};

/** `simulate`: runs only the simulator. */
export function addSimulate(program: Command, context: Context): void {
  program
    .command('simulate')
    .description('run the simulator of the service until it is interrupted')
    .option('--port <N>', 'port to listen on; 0 is any free one', optionOf(wholeNumber(0, 65_535)), 8090)
    .option('--seed <N>', 'another seed gives other data', countOption, 1)
    .option(
      '--variant <NAME>',
      'let the service behave in this way; may be given several times',
      variantOption,
    )
    .option('--fault <SPEC>', 'inject a fault on given requests; may be given several times', faultOption)
    .addHelpText('after', faultInjectionHelp)
    .addHelpText('after', exampleOf('simulate', '--port', '8090', '--variant', 'idle-listed'))
    .action(async ({ port, seed, variant: variants = [], fault: faults = [] }: Options) => {
      const dataset = generateDataset(seed);
      rejectUnknownAccounts(dataset, faults);
      const renewed = variants.includes('token-expires') ? renewedTokens(dataset) : {};
      const simulator = await startSimulator({ port, dataset, variants, faults, tokens: renewed });
      context.print(`SERVICE_BASE_URL=${simulator.url}`);
      for (const { name, token } of dataset.accounts) {
        context.print(`SIDTOKEN='${token}'  # ${name}`);
        for (const next of renewed[name] ?? []) context.print(`SIDTOKEN='${next}'  # ${name}, renewed`);
      }
      try {
        await aborted(context.signal);
        throw context.signal.reason;
      } finally {
        await simulator.close();
      }
    });
}

function variantOption(value: string, previous: readonly VariantName[] = []): VariantName[] {
  if (isVariantName(value)) return [...previous, value];
  throw new InvalidArgumentError('There is no such variant; --help lists them.');
}

function faultOption(value: string, previous: readonly ScriptedFault[] = []): ScriptedFault[] {
  try {
    return [...previous, readFault(value)];
  } catch (error) {
    throw error instanceof RangeError ? new InvalidArgumentError(error.message) : error;
  }
}

function rejectUnknownAccounts({ accounts }: Dataset, faults: readonly ScriptedFault[]): void {
  const names = accounts.map(({ name }) => name);
  const unknown = faults.find(({ account }) => account !== undefined && !names.includes(account));
  if (unknown) {
    throw usageFailure(
      `a fault names the unknown account ${unknown.account}; the accounts are ${names.join(', ')}`,
    );
  }
}

/** The tokens that replace those that `token-expires` refuses, by account. */
function renewedTokens({ accounts }: Dataset): Record<string, string[]> {
  return Object.fromEntries(accounts.map(({ name, token }) => [name, [`${token}-renewed`]]));
}

function faultInjectionHelp(): string {
  const width = variantNames.reduce((widest, { length }) => Math.max(widest, length), 0);
  const lines = variantNames.map((name) => `  ${name.padEnd(width)}  ${describeVariant(name)}`);
  return `\nA SPEC is ${FAULT_FORM}.\nA KIND is ${FAULT_KINDS}.\n\nVariants:\n${lines.join('\n')}`;
}
