import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { WriteStream } from 'node:tty';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { barLine, runWords } from '../../../src/cli/progress/bar.ts';
import { createLiveLine, showRunProgress } from '../../../src/cli/progress/live-line.ts';
import { nightly } from '../../../src/job/nightly.ts';
import type { RunProgress } from '../../../src/model/run.ts';
import { callsheet } from '../../support/callsheet.ts';
import { atInstant, never } from '../../support/nights.ts';
import { mailsLongAgo, openWorld, type World } from '../../support/world.ts';

const amid: RunProgress = {
  step: 'windows',
  share: 0.25,
  pages: 31,
  windows: 3,
  windowsDue: 12,
  windowsFailed: 0,
  rows: 1_204,
  mails: 0,
  mailsOpen: null,
};
const line = (news: Partial<RunProgress>, left: number | null = null, columns = 80) => {
  const progress = { ...amid, ...news };
  return barLine(progress.share, runWords(progress, { secondsLeft: left }), columns);
};

describe('the live line of a run', () => {
  it('shows for each step its most important count first, and the time left', () => {
    const words = (news: Partial<RunProgress>, left: number | null = null) =>
      line(news, left, 120).replace(/^\S+ +/, '');
    expect(words({ step: 'clients', share: 0.5, pages: 7 }, 3)).toBe('50%  7 pages of clients · 3 s left');
    expect(words({ share: null, windowsDue: null, rows: 0 })).toBe('planning · 31 pages of clients');
    expect(words({}, 68)).toBe('25%  3 of 12 windows · 1 min 8 s left · 1,204 rows · 31 pages of clients');
    expect(words({ windowsFailed: 2 })).toBe(
      '25%  3 of 12 windows · 2 failed · 1,204 rows · 31 pages of clients',
    );
    expect(words({ step: 'digests', share: null, windows: 12 })).toBe(
      'digests · 12 windows · 1,204 rows · 31 pages of clients',
    );
    expect(words({ step: 'mail', share: 0.5, windows: 12, mails: 1, mailsOpen: 2 }, 1)).toBe(
      '50%  1 of 2 mails · 1 s left · 12 windows · 1,204 rows · 31 pages of clients',
    );
  });

  it('fits every terminal width by leaving out its last words', () => {
    for (let columns = 1; columns < 120; columns++)
      expect(line({}, 68, columns).length).toBeLessThan(Math.max(columns, 1));
    expect(line({}, 68, 50)).toMatch(/3 of 12 windows$/);
  });
});

describe('a run', () => {
  let world: World;
  beforeAll(async () => {
    // Slow enough that a line is drawn during each step that sends requests.
    world = await openWorld({ latencyMs: 150 });
  });
  afterAll(() => world.close());

  it('draws its line on a terminal, and clears it at the end', async () => {
    const terminal = Object.assign(new PassThrough(), { isTTY: true, columns: 70 });
    const request = { command: 'run', days: null, accounts: null, digest: true, scheduledFor: null };
    const report = await atInstant(world, '2026-03-03T06:30:00Z', (app) =>
      showRunProgress(createLiveLine(terminal as unknown as WriteStream), (onProgress) =>
        nightly(app, request, never, onProgress),
      ),
    );
    expect(report.outcome).toBe('done');
    terminal.end();
    const drawn = (await text(terminal)).split('\r\u001B[2K');
    expect(drawn.at(-1)).toBe('');
    expect(drawn.filter((each) => /━+.* \d+% {2}\d+ pages? of clients/.test(each)).length).toBeGreaterThan(1);
    expect(drawn.some((each) => /planning/.test(each))).toBe(true);
  });

  it('without a terminal logs a line of JSON for each account, window and step, and a summary', async () => {
    const { code, stdout, stderr } = await callsheet(['run', '--day', '2026-03-04'], {
      ...world.environment,
      ...(await mailsLongAgo(world)),
    });
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).not.toContain('\u001B');
    const lines = stderr
      .trim()
      .split('\n')
      .map((each) => JSON.parse(each));
    const [run] = await world.query(`select run_id::int as id, summary from etl.runs order by run_id desc`);
    const ms = expect.any(Number);
    for (const account of ['north', 'coast', 'valley']) {
      const own = lines.filter((each) => each.account === account);
      expect(own).toEqual([
        expect.objectContaining({ run: run!.id, pages: expect.any(Number), clients: expect.any(Number), ms }),
        expect.objectContaining({ run: run!.id, day: '2026-03-04', campaigns: expect.any(Number), ms }),
      ]);
    }
    const steps = lines.filter((each) => 'step' in each);
    expect(steps).toEqual([
      expect.objectContaining({ run: run!.id, step: 'clients', ms, clients: expect.any(Object) }),
      expect.objectContaining({ step: 'windows', windows: expect.objectContaining({ loaded: 3 }), ms }),
      expect.objectContaining({ step: 'digests', digests: expect.objectContaining({ built: 1 }), ms }),
      expect.objectContaining({ step: 'mail', deliveries: expect.objectContaining({ written: 1 }), ms }),
      expect.objectContaining({ step: 'archive', ms }),
      expect.objectContaining({ step: 'alerts', ms }),
    ]);
    expect(lines.at(-1)).toMatchObject({ run: run!.id, outcome: 'done', ms, windows: { loaded: 3 } });
    expect(lines.at(-1).msg).toMatch(/^done: 3 windows loaded, .* in [\d.]+ m?s$/);
    expect(run!.summary.steps).toEqual(steps.map(({ step, ms }) => ({ step, ms })));
  });
});
