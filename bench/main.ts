import { type Options, type PartName, readOptions } from './options.ts';
import { type Bench, measureWorkload } from './parts/workload.ts';
import { longList, longMonth, slowList, smallNight } from './parts/workloads.ts';
import { markdown, type Section } from './report.ts';
import { startServer, useServer } from './server.ts';

const parts: { readonly [Name in PartName]?: (bench: Bench, options: Options) => Promise<Section[]> } = {
  W1: (bench, options) => measureWorkload(bench, longList(options)),
  W2: (bench, options) => measureWorkload(bench, longMonth(options)),
  W3: (bench, options) => measureWorkload(bench, slowList(options)),
  W4: (bench, options) => measureWorkload(bench, smallNight(options)),
};

const say = (text: string) => process.stderr.write(`${text}\n`);

async function run(options: Options): Promise<void> {
  const server = await (options.server === null ? startServer(options.keep) : useServer(options.server));
  try {
    const bench = { server, runs: options.runs, say };
    for (const name of options.only) {
      const sections = await parts[name]!(bench, options);
      process.stdout.write(`${sections.map(markdown).join('\n\n')}\n\n`);
    }
  } finally {
    await server.stop();
  }
}

await run(readOptions(process.argv.slice(2)));
