import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createVitest, type TestModule, type Vitest } from 'vitest/node';

/** A file as it is when it is broken, and the tests that have to notice, in the order in which they are tried. */
export type Attempt = {
  readonly file: string;
  readonly changed: string;
  readonly tests: readonly string[];
};

/** Breaks one thing after the other in this copy of the repository. Its Vitest stays, and with that its Postgres. */
async function work(): Promise<void> {
  const vitest = await openVitest();
  process.on('message', async (attempt: Attempt) => {
    process.send!({ test: await testThatFails(vitest, attempt) });
  });
  await once(process, 'disconnect');
  // There is nothing to stop if a migration failed.
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
  const whole = await readFile(file, 'utf8');
  await writeFile(file, changed);
  vitest.invalidateFile(path.resolve(file));
  try {
    return await firstFailure(vitest, tests);
  } catch (error) {
    // A migration that fails leaves nothing to test.
    if (file.startsWith('migrations/')) return `${file}: ${(error as Error).message}`;
    throw error;
  } finally {
    await writeFile(file, whole);
    vitest.invalidateFile(path.resolve(file));
  }
}

/** The first test of these files that fails: its file and title; null where all pass. */
async function firstFailure(vitest: Vitest, tests: readonly string[]): Promise<string | null> {
  for (const file of tests) {
    const isIt = ({ moduleId }: { readonly moduleId: string }) => path.relative('.', moduleId) === file;
    const specifications = (await vitest.globTestSpecifications([file])).filter(isIt);
    if (specifications.length === 0) throw new Error(`${file} is no test of these projects`);
    const { testModules } = await vitest.runTestSpecifications(specifications);
    const failed = testModules.find((each) => isIt(each) && each.state() !== 'passed');
    if (failed) return `${file}: ${titleOf(failed)}`;
  }
  return null;
}

/** What failed: a test, or what comes before all tests of the file. */
function titleOf(failed: TestModule): string {
  const [error] = failed.errors();
  // It would fail without the break, too.
  if ([...failed.children.allTests()].length === 0)
    throw new Error(`${failed.moduleId} could not be run: ${error?.message}`);
  const [test] = failed.children.allTests('failed');
  return test?.fullName ?? `before its tests: ${error?.message ?? 'unknown'}`;
}

if (import.meta.main) await work();
