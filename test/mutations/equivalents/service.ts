import type { Equivalent } from '../equivalents.ts';

const nothingThere = 'what is beyond the end of a text is NaN, which is no sign of JSON';
const ms = (comparison: string) =>
  `if (ms ${comparison} maxMs) return \`there are more pages after \${formatDuration(maxMs)}\`;`;
const exactTime = 'differs at one instant alone, which no clock is made to show';

export const inService: readonly Equivalent[] = [
  {
    file: 'src/service/paging/walk-once.ts',
    line: ms('>='),
    becomes: ms('>'),
    because: exactTime,
  },
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
];
