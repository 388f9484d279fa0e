import { stripVTControlCharacters } from 'node:util';
import pino from 'pino';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { showProgress } from '../../../src/cli/progress/live-line.ts';
import type { OnProgress } from '../../../src/model/run.ts';
import { inTerminal } from '../../support/terminal.ts';
import { openWorld, type World } from '../../support/world.ts';

/** What is on the screen at the end: a carriage return and "clear" take a line away. */
const screenOf = (written: string) =>
  written
    .split('\r\n')
    .map((line) => stripVTControlCharacters(line.split('\r\u001B[2K').at(-1)!))
    .filter((line) => line !== '');

describe('a backfill on a terminal', () => {
  let world: World;
  afterEach(() => world.close());

  it('redraws its bar, writes log lines above it, and leaves it at the end', async () => {
    world = await openWorld({
      latencyMs: 60,
      faults: [{ operation: 'campaignSummary', account: 'coast', day: '2026-03-02', times: 2, kind: 'html' }],
    });
    const command = ['backfill', '--from', '2026-03-01', '--to', '2026-03-09'];
    const settings = { ...world.environment, CONCURRENCY: '2', RETRIES: '0', LOG_FORMAT: '' };
    const written = await inTerminal(90, command, settings);
    expect(screenOf(written)).toEqual([
      expect.stringMatching(/^ERROR: account coast, campaigns of 2026-03-02: invalid response \(/),
      expect.stringMatching(/^━{29} 100% {2}27 of 27 windows · 1 failed( · [\d.]+ a second)?$/),
      expect.stringMatching(
        /^INFO: partial: 26 windows loaded, 1 failed, \d+ rows new, 1 failure, in [\d.]+ m?s$/,
      ),
    ]);
    const frames = written.split('\r\u001B[2K').filter((frame) => /^[━╾─]/.test(frame));
    expect(frames.length).toBeGreaterThan(2);
    for (const frame of frames) expect(frame.split('\r\n')[0]!.length).toBeLessThan(90);
    const done = frames.map((frame) => Number(/(\d+) of 27/.exec(frame)![1]));
    expect(done).toEqual(done.toSorted((one, other) => one - other));
  });
});

describe('a backfill without a terminal', () => {
  afterEach(() => void vi.useRealTimers());

  it('logs a line every ten seconds, and one at the end', async () => {
    vi.useFakeTimers();
    const lines: string[] = [];
    const log = pino({ base: null }, { write: (line) => void lines.push(JSON.parse(line).msg) });
    const noTerminal = { columns: null, show: vi.fn(), clear: vi.fn(), keep: vi.fn() };
    const ending = Promise.withResolvers<string>();
    let report: OnProgress = () => {};
    const shown = showProgress(noTerminal, log, (onProgress) => {
      report = onProgress;
      return ending.promise;
    });
    for (let done = 1; done <= 25; done++) {
      await vi.advanceTimersByTimeAsync(1_000);
      report({ total: 40, done, failed: 0 });
    }
    ending.resolve('done');
    expect(await shown).toBe('done');
    expect(lines).toEqual([
      '9 of 40 windows, 0.9 a second, 35 s left',
      '19 of 40 windows, 0.9 a second, 23 s left',
      '25 of 40 windows, 1.0 a second, 15 s left',
    ]);
  });

  it('logs nothing if there is nothing to do', async () => {
    const lines: string[] = [];
    const log = pino({ base: null }, { write: (line) => void lines.push(line) });
    const noTerminal = { columns: null, show: vi.fn(), clear: vi.fn(), keep: vi.fn() };
    await showProgress(noTerminal, log, async () => {});
    expect(lines).toEqual([]);
  });
});
