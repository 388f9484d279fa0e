import { type Options, type PartName, readOptions, usage } from './options.ts';
import { measureArchive } from './parts/archive.ts';
import { measureBi } from './parts/bi.ts';
import { measureMemory } from './parts/memory.ts';
import { type Bench, reportWorkload } from './parts/workload.ts';
import { longList, longMonth, slowList, smallNight } from './parts/workloads.ts';
import { writeTables } from './readme.ts';
import { circumstances, markdown, type Section } from './report.ts';
import { startServer, useServer } from './server.ts';

const app: { readonly [Name in PartName]: (bench: Bench) => Promise<Section[]> } = {
  W1: (bench) => reportWorkload(bench, longList(bench)),
  W2: (bench) => reportWorkload(bench, longMonth(bench)),
  W3: (bench) => reportWorkload(bench, slowList(bench)),
  W4: (bench) => reportWorkload(bench, smallNight(bench)),
  archive: measureArchive,
  memory: measureMemory,
  bi: measureBi,
};

const say = (text: string) => process.stderr.write(`${text}\n`);
const print = (text: string) => process.stdout.write(`${text}\n`);

/** Measures the parts that were asked for; no time is a failure. */
async function run(options: Options): Promise<void> {
  const server = await (options.server === null ? startServer(options.keep) : useServer(options.server));
  const measured: { [name: string]: readonly Section[] } = {};
  const under = circumstances(server.version, options);
  try {
    const bench = { ...options, server, say };
    if (!options.json) print(`${under}\n`);
    for (const name of options.only) {
      const sections = await app[name](bench);
      measured[name] = sections;
      if (!options.json) print(`${sections.map(markdown).join('\n\n')}\n`);
      if (options.write) await writeTables(name, `${under}\n\n${sections.map(markdown).join('\n\n')}`);
    }
  } finally {
    await server.stop();
  }
  if (options.json) print(JSON.stringify({ under, app: measured }, null, 2));
}

function optionsOf(args: readonly string[]): Options {
  try {
    return readOptions(args);
  } catch (error) {
    say(`${(error as Error).message}\n\n${usage}`);
    process.exit(64);
  }
}

await run(optionsOf(process.argv.slice(2)));
