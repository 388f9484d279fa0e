import pino from 'pino';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createProgress } from '../../../src/cli/progress/live-line.ts';

describe('the progress of a run on a terminal', () => {
  it('is the bar of its windows, with the pages that are walked at the same time behind it', () => {
    const shown: string[] = [];
    const show = (text: string) => void shown.push(text.replace(/^\S+ +\d+% +/, ''));
    const report = createProgress(
      { columns: 120, show, clear: vi.fn(), keep: vi.fn() },
      pino({ level: 'silent' }),
    );
    report({ unit: 'client page', total: 30, done: 12, failed: 0 });
    report({ unit: 'window', total: 40, done: 1, failed: 0 });
    report({ unit: 'window', total: 40, done: 40, failed: 0 });
    report({ unit: 'mail', total: 2, done: 1, failed: 0 });
    report(null);
    expect(shown).toEqual([
      '12 of 30 client pages',
      '1 of 40 windows · 12 of 30 client pages',
      '12 of 30 client pages · 1 of 2 mails',
    ]);
  });
});

describe('progress without a terminal', () => {
  afterEach(() => void vi.useRealTimers());

  it('is a line of the log every ten seconds, until the work ends', async () => {
    vi.useFakeTimers();
    const lines: string[] = [];
    const log = pino({ base: null }, { write: (line) => void lines.push(JSON.parse(line).msg) });
    const noTerminal = { columns: null, show: vi.fn(), clear: vi.fn(), keep: vi.fn() };
    const report = createProgress(noTerminal, log);
    for (let done = 1; done <= 25; done++) {
      await vi.advanceTimersByTimeAsync(1_000);
      report({ unit: 'window', total: 40, done, failed: 0 });
    }
    report(null);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(lines).toEqual([
      '10 of 40 windows, 0.9 a second, 34 s left',
      '20 of 40 windows, 0.9 a second, 22 s left',
    ]);
  });
});
