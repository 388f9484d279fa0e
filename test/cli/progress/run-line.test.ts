import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { WriteStream } from 'node:tty';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLiveLine, createProgress } from '../../../src/cli/progress/live-line.ts';
import { nightly } from '../../../src/job/nightly.ts';
import { callsheet } from '../../support/callsheet.ts';
import { atInstant, never } from '../../support/nights.ts';
import { mailsLongAgo, openWorld, type World } from '../../support/world.ts';

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
    const report = await atInstant(world, '2026-03-03T06:30:00Z', (app) => {
      const progress = createProgress(createLiveLine(terminal as unknown as WriteStream), app.log);
      return nightly({ ...app, onProgress: progress.report }, request, never).finally(progress.end);
    });
    expect(report.outcome).toBe('done');
    terminal.end();
    const drawn = (await text(terminal)).split('\r\u001B[2K');
    expect(drawn.at(-1)).toBe('');
    expect(
      drawn.filter((each) => /━+.* \d+% +\d+ of \d+ pages? of clients/.test(each)).length,
    ).toBeGreaterThan(1);
    expect(drawn.some((each) => /\d+ of \d+ windows/.test(each))).toBe(true);
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
