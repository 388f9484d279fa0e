/** Exit codes of all commands, after sysexits.h: a scheduler decides by them whether to run again. */
export const exitCode = {
  done: 0,
  internal: 1,
  usage: 64,
  unavailable: 69,
  runAgain: 75,
  tokenRefused: 77,
  configuration: 78,
} as const;

export type ExitCode = (typeof exitCode)[keyof typeof exitCode];

/** The meaning of each code, for docs/commands.md. */
export const exitCodeMeanings: Readonly<Record<ExitCode, string>> = {
  [exitCode.done]: 'done',
  [exitCode.internal]:
    'internal error; if it hit a single day, client list, digest or message, all others were completed',
  [exitCode.usage]: 'invalid arguments',
  [exitCode.unavailable]: 'nothing could be loaded: service or database unreachable, or every request failed',
  [exitCode.runAgain]: 'partly done, mail not sent, or another run is running: run again',
  [exitCode.tokenRefused]: 'the service refuses the session token',
  [exitCode.configuration]: 'a setting is wrong, or the schema is too old',
};

const precedence: readonly ExitCode[] = [
  exitCode.internal,
  exitCode.usage,
  exitCode.configuration,
  exitCode.tokenRefused,
  exitCode.unavailable,
  exitCode.runAgain,
];

/** The one code to end with if several apply: errors that a retry can't heal win. */
export function gravest(codes: Iterable<ExitCode>): ExitCode {
  const present = new Set(codes);
  return precedence.find((code) => present.has(code)) ?? exitCode.done;
}

/** The process has to end: Ctrl-C, or a container that is stopped. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
  readonly exitCode: 130 | 143;

  constructor(signal: 'SIGINT' | 'SIGTERM') {
    super(`interrupted by ${signal}`);
    this.exitCode = signal === 'SIGINT' ? 130 : 143;
  }
}
