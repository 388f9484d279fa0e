import { expect, it } from 'vitest';
import { read } from '../../deploy/known.ts';
import { addProblems, fill } from '../../server/fill.ts';
import { openSite } from '../../server/site.ts';
import { testQueries } from './promtool.ts';

type Dashboard = { readonly panels: readonly { readonly targets: readonly { readonly expr: string }[] }[] };
const { panels } = JSON.parse(read('deploy/bi/grafana/metrics.json')) as Dashboard;
const queries = panels.flatMap(({ targets }) =>
  targets.map(({ expr }) => expr.replaceAll('$job', 'callsheet')),
);

// Over 50 accounts, /metrics serves totals.
it.each([3, 60])('each panel of the dashboard draws something, with %i accounts', async (accounts) => {
  const site = await openSite();
  const names = Array.from({ length: accounts }, (_, n) => `office ${n}`);
  await fill(site, names);
  await addProblems(site, names[0]!);
  const text = await site.text('/metrics');
  await site.close();
  expect(await testQueries(text, queries)).toBe('');
});
