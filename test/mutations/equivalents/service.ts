import type { Equivalent } from '../equivalents.ts';

const nothingThere = 'what is beyond the end of a text is NaN, which is no sign of JSON';
const ms = (comparison: string) =>
  `if (ms ${comparison} maxMs) return \`there are more pages after \${formatDuration(maxMs)}\`;`;
const requestRefused = (comparison: string) =>
  `if (!isRetryable && status ${comparison} 500) return new AttemptError('REQUEST_REFUSED', \`status \${status}: \${text}\`);`;
const exactTime = 'differs at one instant alone, which no clock is made to show';

export const inService: readonly Equivalent[] = [
  {
    file: 'src/service/paging/walk-once.ts',
    line: ms('>='),
    becomes: ms('>'),
    because: exactTime,
  },
  {
    file: 'src/service/http/body.ts',
    line: 'for await (const chunk of response.body ?? []) {',
    becomes: 'for await (const chunk of response.body ?? ["Stryker was here"]) {',
    because: 'what is no chunk has no length, and of so many bytes none are read',
  },
  {
    file: 'src/service/http/body.ts',
    line: 'if (bytes + chunk.byteLength > buffer.length)',
    becomes: 'if (bytes + chunk.byteLength >= buffer.length)',
    because: 'a buffer that is exactly full grows one chunk earlier, and its bytes are the same',
  },
  {
    file: 'src/service/http/body.ts',
    line: 'for (let at = 0; at < body.length; at++) if (beginsValue(body.charCodeAt(at))) values++;',
    becomes: 'for (let at = 0; at <= body.length; at++) if (beginsValue(body.charCodeAt(at))) values++;',
    because: nothingThere,
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
    file: 'src/service/http/retry.ts',
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
  {
    file: 'src/service/response/scan-json.ts',
    line: 'for (let at = 0; at < text.length; at++) {',
    becomes: 'for (let at = 0; at <= text.length; at++) {',
    because: nothingThere,
  },
  {
    file: 'src/service/response/scan-json.ts',
    line: 'while (at < text.length && text.charCodeAt(at) !== quote) at += text.charCodeAt(at) === backslash ? 2 : 1;',
    becomes:
      'while (at <= text.length && text.charCodeAt(at) !== quote) at += text.charCodeAt(at) === backslash ? 2 : 1;',
    because: nothingThere,
  },
  {
    file: 'src/service/service.ts',
    line: 'walkClients: (account, parameters, sizeFields = []) =>',
    becomes: 'walkClients: (account, parameters, sizeFields = ["Stryker was here"]) =>',
    because: 'no count of the envelope has this name',
  },
];
