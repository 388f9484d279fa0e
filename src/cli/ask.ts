import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { usageFailure } from '../model/errors.ts';

/** Asks for values that a command needs. Reads one line for each, from a terminal or a pipe. */
export type Questions = {
  /** Throws a usage Failure if the line is empty or the input has ended. */
  ask(what: string): Promise<string>;
  /** The same, but a terminal doesn't show what is typed. */
  askSecret(what: string): Promise<string>;
  /** Returns false for a line that begins with `n`, or if the input has ended. */
  confirm(what: string): Promise<boolean>;
  close(): void;
};

/** Questions go to stderr: stdout is for results. */
export function openQuestions(signal: AbortSignal): Questions {
  let hidden = false;
  const output = new Writable({
    write(chunk, _, done) {
      if (!hidden) process.stderr.write(chunk);
      done();
    },
  });
  const terminal = process.stdin.isTTY === true;
  const input = createInterface({ input: process.stdin, output, terminal, signal });
  // At a terminal, readline catches Ctrl-C: this passes it on to the process.
  input.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  const lines = input[Symbol.asyncIterator]();
  const prompt = (what: string) => {
    if (!terminal) return;
    input.setPrompt(`${what}: `);
    input.prompt();
  };
  async function answer(what: string): Promise<string> {
    const { value } = await lines.next();
    signal.throwIfAborted();
    if (!value?.trim()) throw usageFailure(`no ${what} was given`);
    return value.trim();
  }
  return {
    async ask(what) {
      prompt(what);
      return await answer(what);
    },
    async askSecret(what) {
      prompt(what);
      hidden = true;
      try {
        return await answer(what);
      } finally {
        hidden = false;
        if (terminal) process.stderr.write('\n');
      }
    },
    async confirm(what) {
      prompt(`${what} [Y/n]`);
      const { value, done } = await lines.next();
      signal.throwIfAborted();
      return done !== true && !/^n/i.test(value.trim());
    },
    close: () => input.close(),
  };
}
