import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createVitest, type TestModule, type Vitest } from 'vitest/node';

/** The broken text of a file, and the tests that must fail, in the order in which they are tried. */
export type Attempt = {
  readonly file: string;
  readonly changed: string;
  readonly tests: readonly string[];
};

/** Tries attempts in this copy of the repository, one after another. Vitest and its Postgres keep running. */
async function work(): Promise<void> {
  const vitest = await openVitest();
  process.on('message', async (attempt: Attempt) => {
    process.send!({ test: await testThatFails(vitest, attempt) });
  });
  await once(process, 'disconnect');
  // Nothing to stop if a migration failed.
  await vitest.close().catch(() => {});
  process.exit();
}

async function openVitest(): Promise<Vitest> {
  return await createVitest('test', {
    config: 'test/mutations/promises.config.ts',
    project: ['unit', 'integration'],
    watch: false,
    reporters: [{}],
    maxWorkers: 1,
    testTimeout: 60_000,
  });
}

async function testThatFails(vitest: Vitest, { file, changed, tests }: Attempt): Promise<string | null> {
  const original = await readFile(file, 'utf8');
  await writeFile(file, changed);
  vitest.invalidateFile(path.resolve(file));
  try {
    return await firstFailure(vitest, tests);
  } catch (error) {
    // A failed migration counts as noticed: no test can run.
    if (file.startsWith('migrations/')) return `${file}: ${(error as Error).message}`;
    throw error;
  } finally {
    await writeFile(file, original);
    vitest.invalidateFile(path.resolve(file));
  }
}

/** File and title of the first test that fails; null if all pass. */
async function firstFailure(vitest: Vitest, tests: readonly string[]): Promise<string | null> {
  for (const file of tests) {
    const isThisFile = ({ moduleId }: { readonly moduleId: string }) => path.relative('.', moduleId) === file;
    const specifications = (await vitest.globTestSpecifications([file])).filter(isThisFile);
    if (specifications.length === 0) throw new Error(`${file} is no test of these projects`);
    const { testModules } = await vitest.runTestSpecifications(specifications);
    const failed = testModules.find((each) => isThisFile(each) && each.state() !== 'passed');
    if (failed) return `${file}: ${titleOf(failed)}`;
  }
  return null;
}

/** The title of the failed test, or of the failed hook before all tests. */
function titleOf(failed: TestModule): string {
  const [error] = failed.errors();
  // A file that doesn't load would fail without the break, too.
  if ([...failed.children.allTests()].length === 0)
    throw new Error(`${failed.moduleId} could not be run: ${error?.message}`);
  const [test] = failed.children.allTests('failed');
  return test?.fullName ?? `before its tests: ${error?.message ?? 'unknown'}`;
}

if (import.meta.main) await work();
