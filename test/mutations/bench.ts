import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { TestError } from 'vitest';
import { createVitest, type TestSpecification, type Vitest } from 'vitest/node';
import { nearestFirst } from './nearness.ts';

/** A file and its broken text, and the test to ask, if one is named. */
export type Attempt = {
  readonly file: string;
  readonly changed: string;
  readonly test?: string;
};

/** The file and title of the first test that failed; null if all passed. Or why the broken file says nothing about tests. */
export type Result = { readonly test: string | null } | { readonly unusable: string };

type Failure = { readonly file: string; readonly title: string; readonly errors: readonly TestError[] };

/** Tries attempts in this copy of the repository, one after another. Vitest and its Postgres keep running. */
async function work(): Promise<void> {
  let failure: Failure | undefined;
  let passed = new Set<string>();
  // The first failure is enough. Vitest's own `bail` would count the failures of earlier attempts.
  const end = (found: Failure) => {
    if (failure !== undefined) return;
    failure = found;
    vitest.cancelCurrentRun('test-failure');
  };
  const vitest: Vitest = await createVitest('test', {
    config: 'test/mutations/mutations.config.ts',
    project: ['unit', 'integration', 'crash'],
    watch: false,
    reporters: [
      {
        onTestCaseResult: (test) => {
          const { state, errors = [] } = test.result();
          if (state === 'failed') end({ file: test.module.relativeModuleId, title: test.fullName, errors });
        },
        onTestModuleEnd: (module) => {
          if (module.state() === 'passed') passed.add(module.moduleId);
          if (module.state() !== 'failed') return;
          const errors = [module, ...module.children.allSuites()].flatMap((each) => each.errors());
          const isLoaded = [...module.children.allTests()].length > 0;
          end({ file: module.relativeModuleId, title: isLoaded ? 'before its tests' : unloadable, errors });
        },
      },
    ],
    maxWorkers: 2,
    testTimeout: 240_000,
  });

  const run = async (specifications: TestSpecification[]): Promise<Failure | undefined> => {
    failure = undefined;
    passed = new Set();
    await vitest.runTestSpecifications(specifications);
    return failure;
  };

  const attempt = async ({ file, changed, test }: Attempt): Promise<Result> => {
    const original = await readFile(file, 'utf8');
    const put = async (text: string) => {
      await writeFile(file, text);
      vitest.invalidateFile(path.resolve(file));
    };
    try {
      const all = await vitest.globTestSpecifications();
      const named = all.filter(({ moduleId }) => path.relative('.', moduleId) === test);
      if (test !== undefined && named.length === 0) throw new Error(`there is no test ${test}`);
      const [nearest = [], ...others] = test === undefined ? nearestFirst(file, all) : [named];
      for (const group of [nearest, ...others]) {
        let left = group;
        while (left.length > 0) {
          await put(changed);
          const found = await run(left);
          if (!found) break;
          const [error] = found.errors;
          const isSure = group === nearest && !found.errors.some(({ message }) => /timed out/i.test(message));
          const isFound = ({ moduleId }: TestSpecification) => path.relative('.', moduleId) === found.file;
          left = left.filter(({ moduleId }) => !passed.has(moduleId));
          await put(original);
          // On a busy machine a test may fail without the break, too.
          if (!isSure) await run(left.filter(isFound));
          if (isSure || passed.size > 0) {
            if (found.title === unloadable) return { unusable: `${found.file}: ${error?.message}` };
            return { test: `${found.file}: ${found.title}` };
          }
          process.stderr.write(
            `${found.file}: ${found.title} fails without the break, too: ${error?.message}\n`,
          );
          left = left.filter((each) => !isFound(each));
        }
      }
      return { test: null };
    } finally {
      await put(original);
    }
  };

  process.on('message', async (message: Attempt) => {
    process.send!(await attempt(message));
  });
  await once(process, 'disconnect');
  await vitest.close();
  process.exit();
}

const unloadable = 'its file could not be loaded';

if (import.meta.main) await work();
