/** The process has to end: Ctrl-C, or a container that is stopped. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
  readonly exitCode: 130 | 143;

  constructor(signal: 'SIGINT' | 'SIGTERM') {
    super(`interrupted by ${signal}`);
    this.exitCode = signal === 'SIGINT' ? 130 : 143;
  }
}
