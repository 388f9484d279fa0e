import { type Options, type PartName, readOptions } from './options.ts';
import { measureArchive } from './parts/archive.ts';
import { measureMemory } from './parts/memory.ts';
import { type Bench, reportWorkload } from './parts/workload.ts';
import { longList, longMonth, slowList, smallNight } from './parts/workloads.ts';
import { markdown, type Section } from './report.ts';
import { startServer, useServer } from './server.ts';

const parts: { readonly [Name in PartName]?: (bench: Bench) => Promise<Section[]> } = {
  W1: (bench) => reportWorkload(bench, longList(bench)),
  W2: (bench) => reportWorkload(bench, longMonth(bench)),
  W3: (bench) => reportWorkload(bench, slowList(bench)),
  W4: (bench) => reportWorkload(bench, smallNight(bench)),
  archive: measureArchive,
  memory: measureMemory,
};

const say = (text: string) => process.stderr.write(`${text}\n`);

async function run(options: Options): Promise<void> {
  const server = await (options.server === null ? startServer(options.keep) : useServer(options.server));
  try {
    const bench = { ...options, server, say };
    for (const name of options.only) {
      const sections = await parts[name]!(bench);
      process.stdout.write(`${sections.map(markdown).join('\n\n')}\n\n`);
    }
  } finally {
    await server.stop();
  }
}

await run(readOptions(process.argv.slice(2)));
