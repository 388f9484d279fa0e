import { createRequire } from 'node:module';
import { isDeepStrictEqual } from 'node:util';
import { type DestinationStream, destination, type Logger as PinoLogger, pino } from 'pino';
import { stderrPaint } from './paint.ts';
import { mapJson, type Redactor } from './redaction.ts';

export type Logger = PinoLogger;

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];
export type LogFormat = 'json' | 'pretty';

/**
 * A logger to stderr (stdout is for results). Each finished line passes the redactor, value by value: the last
 * line of defence.
 *
 * @param beforeLine is called before each line is written
 */
export function createLogger(
  level: LogLevel,
  format: LogFormat,
  redactor: Redactor,
  beforeLine?: () => void,
): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      hooks: {
        streamWrite: (line) => {
          beforeLine?.();
          return redactLine(line, redactor);
        },
      },
    },
    stream(format),
  );
}

/** Value by value: replacing a whole value takes no other along, and the line stays JSON. */
function redactLine(line: string, redactor: Redactor): string {
  const parsed: unknown = JSON.parse(line);
  const clean = mapJson(parsed, (value) => {
    const text = String(value);
    const cleanText = redactor.redactOwn(text);
    return cleanText === text ? value : cleanText;
  });
  return isDeepStrictEqual(clean, parsed) ? line : `${JSON.stringify(clean)}\n`;
}

/** Characters of lines that wait for a full disk to have room again; later ones are dropped. */
const maxWaiting = 1_000_000;

function stream(format: LogFormat): DestinationStream {
  // Synchronous: the last line before an exit is never lost.
  const stderr = destination({ dest: 2, sync: true, maxLength: maxWaiting });
  // A log that can't be written costs its lines, and not the work.
  stderr.on('error', () => {});
  if (format === 'json') return stderr;
  // Loaded on demand: JSON, the default, doesn't need it.
  const pretty: typeof import('pino-pretty') = createRequire(import.meta.url)('pino-pretty');
  return pretty({
    destination: stderr,
    colorize: stderrPaint.bad(' ') !== ' ',
    // The levels alone have colours.
    customColors: 'message:reset',
    useOnlyCustomProps: false,
    ignore: 'run,time',
    hideObject: true,
    messageFormat: '{msg}',
  });
}
