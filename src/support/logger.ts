import { type DestinationStream, destination, type Logger as PinoLogger, pino } from 'pino';
import type { LiveLine } from './live-line.ts';
import { onDemand } from './on-demand.ts';
import type { Redactor } from './redaction.ts';

export type Logger = PinoLogger;

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];
export type LogFormat = 'json' | 'pretty';

/**
 * A logger to stderr (stdout is for results alone).
 * Each finished line passes the redactor: the last line of defence, whoever logs whatever.
 *
 * @param live the line that a log line takes the place of, where there is one
 */
export function createLogger(
  level: LogLevel,
  format: LogFormat,
  redactor: Redactor,
  live?: LiveLine,
): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      hooks: {
        streamWrite: (line) => {
          live?.clear();
          return redactor.redact(line);
        },
      },
    },
    stream(format),
  );
}

// Synchronous, so that the last line before an exit is never lost.
function stream(format: LogFormat): DestinationStream {
  if (format === 'json') return destination({ dest: 2, sync: true });
  const pretty: typeof import('pino-pretty') = onDemand('pino-pretty');
  return pretty({
    destination: 2,
    sync: true,
    colorize: process.stderr.isTTY === true,
    ignore: 'run,time',
    hideObject: true,
    messageFormat: '{msg}',
  });
}
