/** `npm run bench`: measures parts and prints their tables. It never fails because of a time. */
import { Command, InvalidArgumentError } from 'commander';
import { measureAccounts } from './accounts.ts';
import { measureBi } from './bi.ts';
import { measureDigest } from './digest.ts';
import { measureFirstNight } from './first-night.ts';
import { measureForget } from './forget.ts';
import { measureGrowth } from './growth.ts';
import { measureHistory } from './history.ts';
import { measureImports } from './imports.ts';
import { writeFigures } from './last-figures.ts';
import { measureQueue } from './queue.ts';
import { measureRedaction } from './redaction.ts';
import { startServer, useServer } from './server.ts';
import { circumstances, type Growth, markdown, type Section } from './tables.ts';
import { type Bench, measureWorkload, type Workload } from './workload.ts';
import { archive, longList, longMonth, memory, slowList, smallNight } from './workloads.ts';

type Part = (bench: Bench) => Promise<(Section | Growth)[]>;
const workloads =
  (...describe: readonly ((bench: Bench) => Workload)[]) =>
  async (bench: Bench) => {
    const sections: Section[] = [];
    for (const each of describe) sections.push(...(await measureWorkload(bench, each(bench))));
    return sections;
  };
const parts: Readonly<Record<string, Part>> = {
  W1: workloads(longList),
  W2: workloads(longMonth),
  W3: workloads(slowList),
  W4: workloads(smallNight),
  archive: workloads(archive.ofList, archive.ofMonth),
  memory: workloads(memory.ofWalk, memory.ofBackfill, memory.ofLargeResponses),
  digest: measureDigest,
  queue: measureQueue,
  bi: measureBi,
  'first-night': measureFirstNight,
  accounts: measureAccounts,
  growth: measureGrowth,
  forget: measureForget,
  history: measureHistory,
  imports: measureImports,
  redaction: measureRedaction,
};
const names = Object.keys(parts).join(', ');

function partsOf(text: string): string[] {
  const only = text.split(',');
  if (only.every((name) => name in parts)) return only;
  throw new InvalidArgumentError(`There are ${names}.`);
}

function positive(text: string): number {
  if (Number(text) > 0) return Number(text);
  throw new InvalidArgumentError('Not a number above 0.');
}

type Options = Omit<Bench, 'server'> & {
  readonly only: readonly string[];
  readonly json?: true;
  readonly write?: string;
  readonly keep?: string;
  readonly server?: string;
};

const { only, json, write, ...options } = new Command('npm run bench --')
  .option('--only <A,B>', `of ${names}`, partsOf, ['W1', 'W2', 'W3', 'W4', 'archive', 'memory'])
  .option('--runs <N>', 'measurements of each program, of which the median is reported', positive, 3)
  .option('--scale <F>', 'share of the real size, for a try', positive, 1)
  .option('--years <N>', 'years of the warehouse that bi fills', positive, 3)
  .option('--json', 'the figures as JSON')
  .option('--write <FILE>', 'write them into the table of this file, such as bench/README.md')
  .option('--keep <DIR>', "keep the database there, so that bi needn't fill it again")
  .option('--server <URL>', 'use this server, by the address of a role that may create databases')
  .option('--profile <DIR>', "write CPU profiles of Callsheet's processes there")
  .option('--plans <DIR>', 'write what EXPLAIN says of the statements of bi and first-night there')
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 64))
  .parse()
  .opts<Options>();

const server = await (options.server ? useServer(options.server) : startServer(options.keep));
const under = circumstances(server.version, options);
const measured: Record<string, (Section | Growth)[]> = {};
try {
  for (const name of only) {
    const sections = await parts[name]!({ ...options, server });
    measured[name] = sections;
    if (!json) process.stdout.write(`${under}\n\n${sections.map(markdown).join('\n\n')}\n\n`);
  }
  if (write !== undefined) await writeFigures(write, Object.keys(parts), measured, under.replace(/\.$/, ''));
  if (json) process.stdout.write(JSON.stringify(measured, null, 2));
} finally {
  await server.stop();
}
