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

  it('without a terminal logs a line for each account, one for each step that did something, and what it did', async () => {
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
    const messages = lines.map(({ msg }) =>
      msg.replaceAll(/[\d.]+ m?s\b/g, 'T').replaceAll(/\d[\d,]*(?!\w)/g, 'N'),
    );
    expect(messages.toSorted()).toEqual([
      expect.stringMatching(/^Campaigns of .* to ana@example.com: written \(.*\.eml\)$/),
      expect.stringMatching(/^alert: Days not loaded: /),
      'clients: N pages walked, N clients listed, in T',
      'coast: N day loaded, N healed, N campaigns listed',
      'digests: N built, in T',
      'done in T: N days loaded (N healed), N mail written; N to do: days not loaded (N accounts)',
      'mail: N written, in T',
      'north: N day loaded, N healed, N campaigns listed',
      'valley: N day loaded, N healed, N campaigns listed',
    ]);
    expect(lines.at(-1)).toMatchObject({ run: run!.id, outcome: 'done', windows: { loaded: 3 } });
    expect(run!.summary.steps.map(({ step }: { readonly step: string }) => step)).toEqual([
      'clients',
      'windows',
      'digests',
      'mail',
      'archive',
      'alerts',
    ]);
  });
});
