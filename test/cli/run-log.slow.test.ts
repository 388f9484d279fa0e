import { expect, it, onTestFinished } from 'vitest';
import { callsheet } from '../support/callsheet.ts';
import { mailsLongAgo, openWorld } from '../support/world.ts';

it('a run without a terminal logs a line for each step that did something, and what it did', async () => {
  const world = await openWorld();
  onTestFinished(() => world.close());
  const { code, stdout, stderr } = await callsheet(['run', '--day', '2026-03-04'], {
    ...world.environment,
    ...(await mailsLongAgo(world)),
  });
  expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
  expect(stderr).not.toContain('\u001B');
  const lines = stderr
    .trim()
    .split('\n')
    .map((each) => JSON.parse(each))
    // A step that takes longer than ten seconds logs its progress, too.
    .filter(({ unit }) => unit === undefined);
  const [run] = await world.query(`select run_id::int as id, summary from etl.runs order by run_id desc`);
  const messages = lines.map(({ msg }) =>
    msg.replaceAll(/(?<=\bin )\d[^,:]*/g, 'T').replaceAll(/\d[\d,]*(?!\w)/g, 'N'),
  );
  expect(messages.toSorted()).toEqual([
    expect.stringMatching(/^Campaigns of .* to ana@example.com: written \(.*\.eml\)$/),
    'clients: N pages walked, N clients listed, N clients new, in T',
    'digests: N built, in T',
    'done in T: N days loaded (N healed), N clients new, N mail written; nothing left to do',
    'mail: N mail written, in T',
    'windows: N days loaded, N healed, N campaigns listed, in T',
  ]);
  expect(lines.at(-1)).toMatchObject({ run: run!.id, outcome: 'done', windows: { loaded: 3 } });
  const steps: string[] = run!.summary.steps.map(({ step }: { readonly step: string }) => step);
  // Client lists are walked beside the others.
  expect(steps.filter((step) => step !== 'clients')).toEqual([
    'windows',
    'mail',
    'digests',
    'archive',
    'alerts',
  ]);
  expect(steps).toContain('clients');
});
