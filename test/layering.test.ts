import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { cruise, type ICruiseResult, type IForbiddenRuleType } from 'dependency-cruiser';
import { beforeAll, describe, expect, it } from 'vitest';

const root = path.resolve(import.meta.dirname, '..');

/** The folders that each folder may import, and the reason. */
const stages = ['service', 'warehouse', 'digest', 'mail'];
const belowJob = ['model', 'support', 'schedule', 'config', ...stages];
const layers: Record<string, { may: readonly string[]; because: string }> = {
  model: { may: [], because: 'the vocabulary knows nobody' },
  support: { may: ['model'], because: 'tools for every stage depend on none' },
  schedule: { may: ['support'], because: 'it knows when, and is handed what to run' },
  'private-postgres': {
    may: ['model', 'support'],
    because: 'what uses a database does not care who started it',
  },
  config: { may: ['model', 'support', 'schedule'], because: 'settings are read before anything is built' },
  service: { may: ['model', 'support'], because: 'stages meet only in job' },
  warehouse: { may: ['model', 'support'], because: 'stages meet only in job' },
  digest: { may: ['model', 'support'], because: 'stages meet only in job' },
  mail: { may: ['model', 'support'], because: 'stages meet only in job' },
  simulator: { may: [], because: 'a simulator that shared our code would share our mistakes' },
  job: {
    may: [...belowJob, 'private-postgres', 'simulator'],
    because: 'the job wires the stages and is called from above',
  },
  server: { may: [...belowJob, 'job'], because: 'it shows what the job did' },
  queue: { may: [...belowJob, 'job'], because: 'it carries what the job does to other machines' },
  cli: { may: [...belowJob, 'job', 'server', 'queue', 'simulator'], because: 'commands are the top' },
};

/** Packages that only one room or file may use, so that they can be changed in one place. */
const homes: Record<string, readonly string[]> = {
  ky: ['src/service', 'src/job/alerts/ping.ts'],
  kysely: ['src/warehouse', 'migrations'],
  pg: ['src/warehouse'],
  'pg-boss': ['src/queue'],
  'pg-connection-string': ['src/warehouse'],
  nodemailer: ['src/mail'],
  'node-cron': ['src/schedule'],
  'p-queue': ['src/service/http/rate-limiter.ts', 'src/support/concurrency.ts'],
  'csv-stringify': ['src/digest', 'src/cli/table.ts'],
  'd3-scale': ['src/digest'],
  '@resvg/resvg-js': ['src/digest'],
  commander: ['src/cli'],
  leven: ['src/config'],
  pino: ['src/support'],
  hono: ['src/server', 'src/digest'],
  '@hono/node-server': ['src/server'],
  'prom-client': ['src/server'],
  // We listen there; requests go over ky. `environment.ts` tells Node which proxy leads out.
  'node:http': ['src/server', 'src/simulator', 'src/config/environment.ts'],
};

/** What `job` decides by pure functions, beside what acts on it. */
const pure = [
  'src/job/windows/due.ts',
  'src/job/windows/decide.ts',
  'src/job/windows/compare.ts',
  'src/job/windows/describe-anomaly.ts',
  'src/job/digests/due.ts',
  'src/job/run/retries.ts',
  'src/job/alerts/diagnose.ts',
  'src/job/alerts/state.ts',
  'src/job/alerts/conditions/catalogue.ts',
  'src/job/alerts/conditions/condition.ts',
  'src/job/alerts/conditions/figures.ts',
  'src/job/alerts/conditions/mail.ts',
  'src/job/alerts/conditions/runs.ts',
  'src/job/alerts/conditions/service.ts',
  'src/job/alerts/items.ts',
];

/** How dependency-cruiser names a package, or a module of Node. */
const moduleOf = (name: string) =>
  name.startsWith('node:') ? `^${name.slice(5)}$` : `^node_modules/${name}/`;

const startOf = (place: string) => `^${place.replaceAll('.', '\\.')}(/|$)`;

const rules: IForbiddenRuleType[] = [
  ...Object.entries(layers).map(([folder, { may, because }]) => ({
    name: `${folder} may import ${may.join(', ') || 'nothing of ours'}`,
    comment: because,
    severity: 'error' as const,
    from: { path: `^src/${folder}/` },
    to: { path: '^(src|migrations)/', pathNot: [folder, ...may].map((name) => `^src/${name}/`) },
  })),
  ...Object.entries(homes).map(([name, places]) => ({
    name: `${name} only in ${places.join(' and ')}`,
    comment: 'a package can be changed in one place',
    severity: 'error' as const,
    from: { path: '^(src|migrations)/', pathNot: places.map(startOf) },
    to: { path: moduleOf(name) },
  })),
  {
    name: 'main.ts only hands over to cli',
    severity: 'error',
    from: { path: '^src/main\\.ts$' },
    // npx starts it without .env, which is read before anything else.
    to: { path: '^src/', pathNot: '^src/(cli/|config/(dotenv|environment)\\.ts$)' },
  },
  {
    name: 'migrations use Kysely alone',
    comment: 'migrations outlive our types',
    severity: 'error',
    from: { path: '^migrations/' },
    to: { pathNot: '^(node_modules/kysely|migrations/support)/' },
  },
  {
    name: 'the simulator uses Node alone',
    comment: 'a simulator that shared our libraries would share their mistakes',
    severity: 'error',
    from: { path: '^src/simulator/' },
    to: { path: '^node_modules/' },
  },
  {
    name: 'plans and decisions import the vocabulary and each other alone',
    comment: 'a plan is a pure function of what it is given',
    severity: 'error',
    from: { path: pure.map(startOf) },
    to: { path: '^(src|node_modules)/', pathNot: [...pure.map(startOf), '^src/(model|support)/'] },
  },
  {
    name: 'no circle of imports',
    severity: 'error',
    from: { path: '^src/' },
    to: { circular: true },
  },
];

let cruised: ICruiseResult;
beforeAll(async () => {
  // It parses TypeScript by @swc/core, which is why that is a dependency.
  const { output } = await cruise(['src', 'migrations'], {
    baseDir: root,
    validate: true,
    ruleSet: { forbidden: rules },
    doNotFollow: { path: 'node_modules' },
    // Parts of packages, such as `csv-stringify/sync`, are found by the `exports` of their package.json.
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default'],
    },
  });
  cruised = output as ICruiseResult;
});

const importersOf = (name: string) =>
  ours()
    .filter(({ dependencies }) =>
      dependencies.some(({ resolved }) => new RegExp(moduleOf(name)).test(resolved)),
    )
    .map(({ source }) => source);

const ours = () => cruised.modules.filter(({ source }) => /^(src|migrations)\/.*\.ts$/.test(source));

describe('the layering of ARCHITECTURE.md', () => {
  it('has a line for every folder', () => {
    const folders = readdirSync(path.join(root, 'src'), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => entry.name);
    expect(folders.filter((folder) => !(folder in layers))).toEqual([]);
  });

  it('is kept by every import, and every package stays in its room', () => {
    const violations = cruised.summary.violations.map(
      ({ from, to, rule, cycle }) =>
        `${from} imports ${cycle?.map(({ name }) => name).join(' → ') ?? to}, but: ${rule.name}`,
    );
    expect(violations).toEqual([]);
  });

  it('names no package, folder or file that is gone: its rule would hold nothing', () => {
    const files = ours().map(({ source }) => source);
    expect(pure.filter((file) => !files.includes(file))).toEqual([]);
    const unused = Object.entries(homes).flatMap(([name, places]) =>
      places
        .filter((place) => !importersOf(name).some((file) => new RegExp(startOf(place)).test(file)))
        .map((place) => `${name} in ${place}`),
    );
    expect(unused).toEqual([]);
  });

  it('sees every import: none is unresolved, and so out of reach of the rules', () => {
    const unresolved = ours().flatMap(({ source, dependencies }) =>
      dependencies.filter((to) => to.couldNotResolve).map((to) => `${source} imports ${to.module}`),
    );
    expect(ours()).not.toEqual([]);
    expect(unresolved).toEqual([]);
  });

  it('reads the environment in one place alone', () => {
    const readers = ours()
      .map(({ source }) => source)
      .filter((file) => /process\.env\b/.test(readFileSync(path.join(root, file), 'utf8')));
    expect(readers).toEqual(['src/config/environment.ts']);
  });
});
