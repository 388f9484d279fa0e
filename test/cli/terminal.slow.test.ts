import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { addProblems, fill } from '../server/fill.ts';
import { inTerminal } from '../support/terminal.ts';
import { openWorld, type World } from '../support/world.ts';

let world: World;
let environment: World['environment'];
beforeAll(async () => {
  world = await openWorld();
  await fill(world, ['valley', 'coast']);
  await addProblems(world, 'valley');
  // A warning is logged, in colour where there are colours.
  environment = {
    ...world.environment,
    LOG_FORMAT: 'pretty',
    DIGSET_TO: 'ana@example.com',
    DIGEST_TO: 'ben@example.com',
    TERM: 'xterm-256color',
  };
});
afterAll(() => world.close());

/** What is on the screen at the end: a carriage return and "clear" take a line away. */
const screenOf = (written: string) =>
  written
    .split('\r\n')
    .map((line) => stripVTControlCharacters(line.split('\r\u001B[2K').at(-1)!))
    .filter((line) => line !== '');

describe('on a terminal', () => {
  it('marks and the log are in colour, and commands stay whole', async () => {
    const inColour = await inTerminal(80, ['status'], environment);
    expect(inColour).toContain('\u001B[31m✕');
    expect(inColour).toContain('\u001B[33mWARN');
    expect(stripVTControlCharacters(inColour)).toMatch(/^ {6}npm start -- digest --day .* --resend\r$/m);
  });

  it('nothing is in colour where NO_COLOR is set', async () => {
    expect(await inTerminal(80, ['status'], { ...environment, NO_COLOR: '1' })).not.toContain('\u001B');
  });

  it('that is dumb, a backfill draws no line anew', async () => {
    const args = ['backfill', '--from', '2026-03-01', '--to', '2026-03-02', '--account', 'north'];
    const written = await inTerminal(80, args, { ...environment, TERM: 'dumb' });
    expect(written).not.toContain('\u001B');
    expect(written).toMatch(/INFO: done in [\d.]+ m?s: 2 days loaded$/m);
  });

  it('a backfill redraws its bar, writes log lines above it, and takes it away at the end', async () => {
    const other = await openWorld({
      latencyMs: 60,
      faults: [{ operation: 'campaignSummary', account: 'coast', day: '2026-03-02', times: 2, kind: 'html' }],
    });
    onTestFinished(() => other.close());
    const command = ['backfill', '--from', '2026-03-01', '--to', '2026-03-09'];
    const settings = {
      ...other.environment,
      CONCURRENCY: '2',
      RETRIES: '0',
      LOG_FORMAT: '',
      TERM: 'xterm-256color',
    };
    const written = await inTerminal(90, command, settings);
    expect(screenOf(written)).toEqual([
      expect.stringMatching(/^ERROR: account coast, campaigns of 2026-03-02: unknown answer \(/),
      expect.stringMatching(/^WARN: partial in [\d.]+ m?s: 26 days loaded, 1 failed$/),
    ]);
    expect(written).toContain('\u001B[32m━');
    const frames = written
      .split('\r\u001B[2K')
      .map(stripVTControlCharacters)
      .filter((frame) => /^[━╾─]/.test(frame));
    expect(frames.length).toBeGreaterThan(2);
    for (const frame of frames) expect(frame.split('\r\n')[0]!.length).toBeLessThan(90);
    const done = frames.map((frame) => Number(/(\d+) of 27/.exec(frame)![1]));
    expect(done).toEqual(done.toSorted((one, other) => one - other));
  });
});
