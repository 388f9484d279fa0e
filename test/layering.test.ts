import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const root = path.resolve(import.meta.dirname, '..');

/** The table of ARCHITECTURE.md: what each folder may import, and why. */
const stages = ['service', 'planning', 'warehouse', 'digest', 'mail'];
const belowJob = ['model', 'support', 'schedule', 'config', ...stages];
const layers: Record<string, { may: readonly string[]; because: string }> = {
  model: { may: [], because: 'the vocabulary knows nobody' },
  support: { may: ['model'], because: 'tools for every stage depend on none' },
  schedule: { may: ['support'], because: 'it knows when, and is handed what to run' },
  config: { may: ['model', 'support', 'schedule'], because: 'settings are read before anything is built' },
  service: { may: ['model', 'support'], because: 'stages meet only in job' },
  planning: { may: ['model'], because: 'a plan is a pure function of what it is given' },
  warehouse: { may: ['model', 'support'], because: 'stages meet only in job' },
  digest: { may: ['model', 'support'], because: 'stages meet only in job' },
  mail: { may: ['model', 'support'], because: 'stages meet only in job' },
  simulator: { may: [], because: 'a stand-in that shared our code would share our mistakes' },
  job: { may: [...belowJob, 'simulator'], because: 'the job wires the stages and is called from above' },
  server: { may: [...belowJob, 'job'], because: 'it shows what the job did' },
  queue: { may: [...belowJob, 'job'], because: 'it carries what the job does to other machines' },
  cli: {
    may: [...belowJob, 'job', 'server', 'queue', 'simulator'],
    because: 'commands are the top',
  },
  'main.ts': { may: [...belowJob, 'cli'], because: 'the entry hands over to the commands' },
};

/** Packages that one room or file alone may use, so that they can be changed in one place. */
const homes: Record<string, readonly string[]> = {
  pg: ['warehouse'],
  'pg-cursor': ['warehouse'],
  kysely: ['warehouse', 'migrations'],
  'pg-boss': ['queue'],
  ky: ['service', 'src/job/ping.ts'],
  // What is requested over HTTP goes over ky; these two listen.
  'node:http': ['server', 'simulator'],
  'node:https': [],
  nodemailer: ['mail'],
  'node-cron': ['schedule'],
  echarts: ['digest'],
  '@resvg/resvg-js': ['digest'],
  commander: ['cli'],
  pino: ['support'],
  'pino-pretty': ['support'],
  hono: ['server'],
  'hono/html': ['server', 'digest'],
  '@hono/node-server': ['server'],
  'prom-client': ['server'],
};

type SourceFile = { readonly file: string; readonly folder: string; readonly imports: readonly string[] };

const files: SourceFile[] = ['src', 'migrations'].flatMap((top) =>
  readdirSync(path.join(root, top), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => {
      const file = path.join(top, name);
      const text = readFileSync(path.join(root, file), 'utf8');
      const found = text.matchAll(
        /^\s*(?:import|export)\b[^'"`;]*?\bfrom\s*['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/gm,
      );
      const imports = [...found].map((match) => (match[1] ?? match[2])!);
      return { file, folder: top === 'src' ? name.split(path.sep)[0]! : top, imports };
    }),
);

const ours = (specifier: string) => specifier.startsWith('.');
const target = (file: string, specifier: string) => path.normalize(path.join(path.dirname(file), specifier));
const packageName = (specifier: string) =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');

describe('the layering of ARCHITECTURE.md', () => {
  it('has a line for every folder', () => {
    const folders = new Set(files.map((file) => file.folder));
    expect([...folders].filter((folder) => folder !== 'migrations' && !(folder in layers))).toEqual([]);
  });

  it('is kept by every import between our own files', () => {
    const breaches = files.flatMap(({ file, folder, imports }) =>
      imports.filter(ours).flatMap((specifier) => {
        const to = target(file, specifier).split(path.sep);
        const room = to[0] === 'src' ? to[1]! : to[0]!;
        const layer = layers[folder];
        if (room === folder || layer?.may.includes(room)) return [];
        return [
          `${file} imports ${specifier}, but ${folder} may not import ${room}: ${layer?.because ?? 'migrations outlive our types'}`,
        ];
      }),
    );
    expect(breaches).toEqual([]);
  });

  it('keeps each package in its room', () => {
    const breaches = files.flatMap(({ file, folder, imports }) =>
      imports
        .map((specifier) => (specifier in homes ? specifier : packageName(specifier)))
        .filter((name) => name in homes && !homes[name]!.some((home) => home === folder || home === file))
        .map((name) => `${file} imports ${name}, which only ${homes[name]!.join(' and ')} may`),
    );
    expect(breaches).toEqual([]);
  });

  it('lets the stand-in and the migrations use nothing but Node, and Kysely', () => {
    const foreign = files
      .filter(({ folder }) => folder === 'simulator' || folder === 'migrations')
      .flatMap(({ file, imports }) => imports.filter((name) => !ours(name)).map((name) => `${file}: ${name}`))
      .filter((line) => !/: node:|^migrations.*: kysely$/.test(line));
    expect(foreign).toEqual([]);
  });

  it('has no circle of imports', () => {
    const graph = new Map(
      files.map(({ file, imports }) => [file, imports.filter(ours).map((each) => target(file, each))]),
    );
    const done = new Set<string>();
    const circles: string[] = [];
    const visit = (file: string, trail: readonly string[]): void => {
      if (trail.includes(file)) circles.push([...trail.slice(trail.indexOf(file)), file].join(' → '));
      if (done.has(file) || trail.includes(file)) return;
      for (const next of graph.get(file) ?? []) visit(next, [...trail, file]);
      done.add(file);
    };
    for (const file of graph.keys()) visit(file, []);
    expect(circles).toEqual([]);
  });

  it('reads the environment in one place alone', () => {
    const readers = files
      .map(({ file }) => file)
      .filter((file) => /process\.env\b/.test(readFileSync(path.join(root, file), 'utf8')));
    expect(readers).toEqual(['src/config/environment.ts']);
  });

  it('keeps every file within 200 lines', () => {
    const long = files
      .map(({ file }) => ({ file, lines: readFileSync(path.join(root, file), 'utf8').split('\n').length }))
      .filter(({ file, lines }) => lines > 200 && !file.endsWith('generated.ts'));
    expect(long).toEqual([]);
  });
});
