/** Breaks a text between words into lines of at most `width`. Indents all but the first by `hanging`. */
export function wrap(text: string, width: number, hanging = 0): string[] {
  const indent = ' '.repeat(hanging);
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/ +/)) {
    if (line !== '' && `${line} ${word}`.length > width) {
      lines.push(line);
      line = `${indent}${word}`;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

/** Joins items, like `held 1 · settling 3`, to lines of at most `width`. Breaks only between items. */
export function wrapItems(items: readonly string[], width: number): string[] {
  const lines: string[] = [];
  for (const item of items) {
    const longer = lines.length === 0 ? item : `${lines.at(-1)} · ${item}`;
    if (lines.length > 0 && longer.length <= width) lines[lines.length - 1] = longer;
    else lines.push(item);
  }
  return lines;
}
