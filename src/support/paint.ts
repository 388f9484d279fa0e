import { styleText } from 'node:util';

type Style = Parameters<typeof styleText>[0];

/** Colours by their meaning. Node leaves them out where the stream is no terminal, and obeys NO_COLOR and FORCE_COLOR. */
function paintsOf(stream: NodeJS.WriteStream) {
  const paint = (style: Style) => (text: string) => styleText(style, text, { stream });
  return {
    good: paint('green'),
    attention: paint('yellow'),
    bad: paint('red'),
    heading: paint('bold'),
    quiet: paint('dim'),
  };
}

/** Colours of results. */
export const paint = paintsOf(process.stdout);

/** Colours of questions, errors, progress and the log. */
export const stderrPaint = paintsOf(process.stderr);

/** Begins the line of a result. */
export const marks = {
  ok: paint.good('✓'),
  warning: paint.attention('!'),
  error: paint.bad('✕'),
  note: paint.quiet('·'),
} as const;
