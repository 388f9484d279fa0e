import type { Equivalent } from '../equivalents.ts';

export const inConfig: readonly Equivalent[] = [
  {
    file: 'src/config/load.ts',
    line: 'if (parsed.data === undefined || errors.length > 0) throw new ConfigurationFailure(errors);',
    becomes: 'if (false || errors.length > 0) throw new ConfigurationFailure(errors);',
    because: 'without data there are errors; the condition is there for its type',
  },
  {
    file: 'src/config/warnings.ts',
    line: 'const entries = settings.ACCOUNTS_FILE ?? [];',
    becomes: 'const entries = settings.ACCOUNTS_FILE ?? ["Stryker was here"];',
    because: 'a text has no token and no file of one',
  },
];
