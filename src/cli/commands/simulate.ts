import { type Command, InvalidArgumentError } from 'commander';
import { usageFailure } from '../../model/failure.ts';
import { type Dataset, generateDataset } from '../../simulator/dataset.ts';
import { FAULT_FORM, FAULT_KINDS, readFault } from '../../simulator/fault-spec.ts';
import type { ScriptedFault } from '../../simulator/scripted-faults.ts';
import { startSimulator } from '../../simulator/server.ts';
import { describeVariant, isVariantName, type VariantName, variantNames } from '../../simulator/variants.ts';
import { aborted } from '../../support/aborted.ts';
import type { Context } from '../context.ts';
import { countOption, portOption } from '../options.ts';

type Options = {
  readonly port: number;
  readonly seed: number;
  readonly variant?: readonly VariantName[];
  readonly fault?: readonly ScriptedFault[];
};

/** `simulate`: the stand-in service by itself. */
export function addSimulate(program: Command, context: Context): void {
  program
    .command('simulate')
    .description('the stand-in service by itself, until it is interrupted')
    .option('--port <N>', 'port to listen on; 0 is any free one', portOption, 8090)
    .option('--seed <N>', 'another seed is another world', countOption, 1)
    .option('--variant <NAME>', 'behave in this way; may be given several times', variantOption)
    .option('--fault <SPEC>', 'spoil some answers; may be given several times', faultOption)
    .addHelpText('after', helpOnFaultsAndVariants)
    .action(async ({ port, seed, variant: variants = [], fault: faults = [] }: Options) => {
      const dataset = generateDataset(seed);
      refuseUnknownAccounts(dataset, faults);
      const renewed = variants.includes('token-expires') ? renewedTokens(dataset) : {};
      const simulator = await startSimulator({ port, dataset, variants, faults, tokens: renewed });
      context.print(`SERVICE_BASE_URL=${simulator.url}`);
      for (const { name, token } of dataset.accounts) {
        context.print(`SIDTOKEN='${token}'  # ${name}`);
        for (const next of renewed[name] ?? []) context.print(`SIDTOKEN='${next}'  # ${name}, then`);
      }
      try {
        await aborted(context.signal);
        throw context.signal.reason;
      } finally {
        await simulator.close();
      }
    });
}

function variantOption(value: string, before: readonly VariantName[] = []): VariantName[] {
  if (isVariantName(value)) return [...before, value];
  throw new InvalidArgumentError('There is no such variant.');
}

function faultOption(value: string, before: readonly ScriptedFault[] = []): ScriptedFault[] {
  try {
    return [...before, readFault(value)];
  } catch (error) {
    throw error instanceof RangeError ? new InvalidArgumentError(error.message) : error;
  }
}

function refuseUnknownAccounts({ accounts }: Dataset, faults: readonly ScriptedFault[]): void {
  const names = accounts.map(({ name }) => name);
  const unknown = faults.find(({ account }) => account !== undefined && !names.includes(account));
  if (unknown) {
    throw usageFailure(`a fault is for the account ${unknown.account}; there are ${names.join(', ')}`);
  }
}

/** What an operator puts in the place of each account's token once it has expired. */
function renewedTokens({ accounts }: Dataset): Record<string, string[]> {
  return Object.fromEntries(accounts.map(({ name, token }) => [name, [`${token}-renewed`]]));
}

function helpOnFaultsAndVariants(): string {
  const width = Math.max(...variantNames.map((name) => name.length));
  const lines = variantNames.map((name) => `  ${name.padEnd(width)}  ${describeVariant(name)}`);
  return `\nA SPEC is ${FAULT_FORM}.\nA KIND is ${FAULT_KINDS}.\n\nVariants:\n${lines.join('\n')}`;
}
