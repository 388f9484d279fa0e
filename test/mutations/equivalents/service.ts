import type { Equivalent } from '../equivalents.ts';

const deadline = (comparison: string) =>
  `else if (performance.now() ${comparison} deadline) giveUp(\`there are more pages after \${formatDuration(maxMs)}\`);`;
const requestRefused = (comparison: string) =>
  `if (!retryNow && status ${comparison} 500) return new AttemptError('REQUEST_REFUSED', \`the service refuses the request (status \${status}: \${text})\`);`;
const exactTime = 'differs at one instant alone, which no clock is made to show';

export const inService: readonly Equivalent[] = [
  {
    file: 'src/service/paging/walk-clients.ts',
    line: deadline('>='),
    becomes: deadline('>'),
    because: exactTime,
  },
  {
    file: 'src/service/http/rate-limiter.ts',
    line: 'if (until <= pausedUntil) return;',
    becomes: 'if (until < pausedUntil) return;',
    because: exactTime,
  },
  {
    file: 'src/service/http/request-sender.ts',
    line: 'retry: retryOptions(settings.retries, () => performance.now() - firstAttemptAt < limits.retryBudgetMs),',
    becomes:
      'retry: retryOptions(settings.retries, () => performance.now() - firstAttemptAt <= limits.retryBudgetMs),',
    because: exactTime,
  },
  {
    file: 'src/service/http/attempt-errors.ts',
    line: requestRefused('<'),
    becomes: requestRefused('<='),
    because: 'a status of 500 is retryable, which is asked for first',
  },
  ...['let reserved: number[]', 'reserved'].map((reserved) => ({
    file: 'src/service/http/shared-rate.ts',
    line: `${reserved} = [];`,
    becomes: `${reserved} = ["Stryker was here"];`,
    because: 'a start that is no number is none: it lapses at once, and another one is reserved',
  })),
  ...[
    'start > notBefore && performance.now() - start <=',
    'start >= notBefore && performance.now() - start <',
  ].map((condition) => ({
    file: 'src/service/http/shared-rate.ts',
    line: 'if (start >= notBefore && performance.now() - start <= maxLateMs) return;',
    becomes: `if (${condition} maxLateMs) return;`,
    because: exactTime,
  })),
  {
    file: 'src/service/response/parse-response.ts',
    line: 'if (status === null || status < 200 || status > 299) return null;',
    becomes: 'if (false || status < 200 || status > 299) return null;',
    because: 'null is below 200, too; the condition is there for its type',
  },
];
