import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Break } from './breaks.ts';
import { type Condition, conditionsOf } from './conditions.ts';
import { type Unnoticed, unnoticed } from './unnoticed.ts';

/** Matches conditions that name an account, a day, an attempt or a state, and all locks: these are promises. */
const named =
  /account|day|attempt|digest|period|every|state|outcome|kind|decision|run_?date|scheduled|until|since|withdrawn|provisional|skipped|held|absent|walk|\bfor ?(no ?)?(key ?)?(update|share)|lock table|nowait|skip ?locked/i;

/** The tests of a file's statements: its own test, or all tests of its folder if it has none, and further ones. */
function testsOf(file: string): string[] {
  const own = file.replace(/^src/, 'test').replace(/\.ts$/, '.test.ts');
  const folder = path.dirname(own);
  const mirrored = existsSync(own) ? [own] : globSync(`${folder}/*.test.ts`).filter(isOrdinary).sort();
  return [...new Set([...mirrored, ...(more[path.dirname(file)] ?? []), ...(more[file] ?? []), scene])];
}

const isOrdinary = (test: string) => !/-always|\.slow/.test(test);

/** Two accounts with the same ids, without and with digests. */
const scene = 'test/warehouse/scene.test.ts';
const mailed = 'test/warehouse/scene-mailed.test.ts';

const more: Record<string, readonly string[]> = {
  'src/warehouse/outbox': [mailed],
  'src/warehouse/load': ['test/job/windows/load-window.test.ts'],
  'src/warehouse/load/account-days.ts': ['test/warehouse/queries/figures.test.ts', 'test/job/nights.test.ts'],
  'src/warehouse/load/campaign-days.ts': ['test/job/nights.test.ts'],
  'src/warehouse/load/client-walks.ts': ['test/job/variants.test.ts'],
  'src/warehouse/ledger/accounts.ts': ['test/warehouse/ledger/since.test.ts', 'test/job/first-day.test.ts'],
  'src/warehouse/ledger/ledger.ts': ['test/job/nights.test.ts'],
  'src/warehouse/ledger/run-lock.ts': ['test/warehouse/queries/run-history.test.ts'],
  'src/warehouse/ledger/runs.ts': ['test/warehouse/queries/run-history.test.ts'],
  'src/warehouse/ledger/window-entry.ts': ['test/job/windows/load-window.test.ts'],
  'src/warehouse/queries/coverage.ts': ['test/warehouse/ledger/since.test.ts'],
  'src/warehouse/queries/digest-history.ts': ['test/warehouse/queries/status.test.ts'],
  'src/warehouse/queries/alert-state.ts': ['test/warehouse/queries/run-history.test.ts'],
  'src/warehouse/queries/figures-history.ts': ['test/warehouse/queries/figures.test.ts'],
  'src/warehouse/queries/figures-restated.ts': [
    'test/warehouse/queries/figures.test.ts',
    'test/job/digests/digest-news.test.ts',
  ],
  'src/warehouse/queries/figures-attention.ts': ['test/job/digests/digest-news.test.ts'],
  'src/warehouse/queries': [scene, mailed],
  'src/warehouse/retention': [mailed],
  migrations: [
    mailed,
    'test/warehouse/queries/figures.test.ts',
    'test/warehouse/queries/figures-attention.test.ts',
    'test/warehouse/queries/campaigns.test.ts',
    'test/warehouse/queries/restated-days.test.ts',
    'test/warehouse/load/clients.test.ts',
    'test/warehouse/queries/freshness.test.ts',
    'test/warehouse/queries/suspicious-windows.test.ts',
    'test/server/metrics.test.ts',
  ],
};

/**
 * Breaks that remove one condition or lock of a statement, except those in unnoticed.ts. Throws if unnoticed.ts lists one
 * that no longer exists.
 */
export function breaksOfStatements(): Break[] {
  const files = globSync(['src/{warehouse,queue}/**/*.ts', 'migrations/*.ts']).sort();
  const breaks = files.flatMap((file) => {
    const source = readFileSync(file, 'utf8');
    const conditions = conditionsOf(source).filter(({ text }) => named.test(text));
    return conditions.map((condition) => takenOut(file, source, condition));
  });
  const gone = unnoticed.find((each) => !breaks.some((broken) => isSame(each, broken)));
  if (gone !== undefined) throw new Error(`no condition any more: ${gone.file}: ${gone.condition}`);
  return breaks.filter((broken) => !unnoticed.some((each) => isSame(each, broken)));
}

const isSame = ({ file, condition }: Unnoticed, broken: Break) =>
  file === broken.file && condition === broken.name;

/** The condition keeps accounts apart, or it is a lock. */
export const isolatesAccounts = ({ name }: Break) =>
  /account|\bfor ?(no ?)?(key ?)?(update|share)|lock table|nowait|skip ?locked/i.test(name);

function takenOut(file: string, source: string, { within, text, start, end, replace }: Condition): Break {
  const apply = () => `${source.slice(0, start)}${replace}${source.slice(end)}`;
  return { name: `${within}: ${text}`, file, tests: testsOf(file), apply };
}
