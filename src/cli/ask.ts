import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { usageFailure } from '../model/errors.ts';
import { stderrPaint } from '../support/paint.ts';
import { wrap } from './wrap.ts';

export type Question = {
  /** The requested value, as an error names it: `address of the service`. */
  readonly what: string;
  /** Added to the prompt of a terminal: the form of an answer. */
  readonly form?: string;
  /** The answer of an empty line, and of an input that has ended; without one, an answer is required. */
  readonly byDefault?: string;
  /** The default in words, where it is an empty text. */
  readonly orElse?: string;
  /** A terminal doesn't show what is typed. */
  readonly isSecret?: true;
  /** Returns the error of an answer; a terminal asks again. */
  readonly check?: (answer: string) => string | null;
};

/** Asks for values that a command needs. Reads one line for each, from a terminal or a pipe. */
export type Questions = {
  /** Somebody sits there, and can correct an answer. */
  readonly isTerminal: boolean;
  /** Throws a usage Failure if an answer is required and there is none. */
  ask(question: Question): Promise<string>;
  /**
   * Asks until the answer is yes, y, no or n; an empty line is the default. It is no where a yes replaces figures. Returns
   * false if the input has ended. Throws a usage Failure if another answer is piped in.
   */
  confirm(what: string, byDefault: 'yes' | 'no'): Promise<boolean>;
  close(): void;
};

/** Room for an answer in the line of its question. */
const maxTyped = 10;

/** A prompt no wider than the terminal: in one line if it fits. An example is never broken; if it is too wide, it is left out. */
function promptOf(what: string, form: string | null, end: string): string {
  const columns = process.stderr.columns || 80;
  if (form !== null && form.length + 2 > columns) return promptOf(what, null, end);
  const width = columns - maxTyped;
  const question = form === null ? what : `${what}, such as`;
  const inOneLine = [question, form, end].filter(Boolean).join(' ');
  if (inOneLine.length <= width) return inOneLine;
  if (form === null) return wrap(inOneLine, width).join('\n');
  return [...wrap(question, width), `  ${form}`, ...wrap(end, width)].join('\n');
}

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
  async function answer(prompt: string): Promise<string | null> {
    if (terminal) {
      input.setPrompt(stderrPaint.heading(`${prompt}: `));
      input.prompt();
    }
    const { value, done } = await lines.next();
    signal.throwIfAborted();
    return done === true ? null : value.trim();
  }
  return {
    isTerminal: terminal,
    async ask({ what, form = null, byDefault, orElse = byDefault, isSecret, check = () => null }) {
      const prompt = promptOf(
        what,
        form,
        [isSecret ? '(hidden)' : '', orElse ? `[${orElse}]` : ''].filter(Boolean).join(' '),
      );
      for (;;) {
        const asked = answer(prompt);
        hidden = isSecret === true;
        const typed = await asked.finally(() => {
          if (hidden && terminal) process.stderr.write('\n');
          hidden = false;
        });
        const given = typed || byDefault;
        const error = given === undefined ? `no ${what} was given` : typed ? check(typed) : null;
        if (error === null) return given!;
        if (!terminal || typed === null) throw usageFailure(error);
        const lines = wrap(error, process.stderr.columns || 80);
        process.stderr.write(`${lines.map(stderrPaint.bad).join('\n')}\n`);
      }
    },
    async confirm(what, byDefault) {
      const prompt = promptOf(what, null, byDefault === 'yes' ? '[Y/n]' : '[y/N]');
      for (let count = 1; ; count++) {
        const typed = await answer(prompt);
        if (typed === null) return false;
        const given = (typed || byDefault).toLowerCase();
        if (/^(yes|y|no|n)$/.test(given)) return given.startsWith('y');
        const taken = `type y or n; Enter alone is ${byDefault}`;
        // Unquoted: with one line too few or too many, it is the answer to another question, such as a token.
        if (!terminal) throw usageFailure(`the answer to "${what}" is neither y nor n: ${taken}`);
        if (count >= 3) process.stderr.write(`${taken}\n`);
      }
    },
    close: () => input.close(),
  };
}
