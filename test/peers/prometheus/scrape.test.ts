import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, it, onTestFinished } from 'vitest';
import { parseExposition } from '../../server/exposition.ts';
import { freePort } from '../../server/site.ts';
import { callsheet, startCallsheet } from '../../support/callsheet.ts';
import { install } from './nights.ts';
import { startPrometheus } from './server.ts';

const token = 'scrape-t0ken/of+24-signs';

type Target = {
  readonly labels: { readonly job: string };
  readonly health: string;
  readonly lastError: string;
};
type Rule = { readonly name: string; readonly health: string; readonly state: string };
type Sample = {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [number, string];
};

it('Prometheus scrapes every sample of `schedule` with its token, and evaluates the rules', async () => {
  const world = await install();
  onTestFinished(() => world.close());
  expect(await callsheet(['run'], world.environment)).toMatchObject({ code: 0 });
  const port = await freePort();
  const settings = { HTTP_PORT: String(port), HTTP_TOKEN: token };
  const schedule = startCallsheet(['schedule'], { ...world.environment, ...settings });
  const ended = once(schedule, 'exit');
  onTestFinished(async () => {
    if (schedule.kill('SIGKILL')) await ended;
  });
  for await (const line of createInterface(schedule.stderr)) if (line.includes('server: listening')) break;
  schedule.stderr.resume();

  const target = `127.0.0.1:${port}`;
  const prometheus = await startPrometheus([
    { name: 'callsheet', target, token },
    { name: 'stranger', target, token: 'another-token-of-24-signs' },
  ]);
  onTestFinished(() => prometheus.stop());
  const targets = async () => {
    const { activeTargets } = await prometheus.api<{ activeTargets: Target[] }>('targets');
    return Object.fromEntries(activeTargets.map(({ labels, ...state }) => [labels.job, state]));
  };
  const scraped = { timeout: 60_000, interval: 200 };
  await expect.poll(async () => (await targets()).callsheet!.health, scraped).toBe('up');
  await expect.poll(async () => (await targets()).stranger!.health, scraped).toBe('down');
  expect((await targets()).stranger!.lastError).toContain('401');

  const selector = encodeURIComponent('{__name__=~"callsheet_.+", job="callsheet"}');
  const { result } = await prometheus.api<{ result: Sample[] }>(`query?query=${selector}`);
  const headers = { authorization: `Bearer ${token}` };
  const text = await (await fetch(`http://${target}/metrics`, { headers })).text();
  const printed = [...parseExposition(text).values()].flatMap(({ name, samples }) =>
    samples.map(({ labels, value }) => [{ ...labels, __name__: name }, value]),
  );
  const stored = result.map(({ metric: { instance: _, job: __, ...labels }, value }) => [
    labels,
    Number(value[1]),
  ]);
  expect(stored).toHaveLength(printed.length);
  expect(stored).toEqual(expect.arrayContaining(printed));

  const rules = async () => {
    const { groups } = await prometheus.api<{ groups: { rules: Rule[] }[] }>('rules');
    return groups.flatMap((group) => group.rules.map(({ name, health, state }) => [name, health, state]));
  };
  await expect
    .poll(rules, scraped)
    .toEqual(
      [
        'CallsheetDown',
        'CallsheetDatabaseDown',
        'CallsheetNoSuccess',
        'CallsheetTokenRefused',
        'CallsheetUnsentMail',
        'CallsheetQuarantine',
        'CallsheetActiveAlert',
      ].map((name) => [name, 'ok', 'inactive']),
    );
});
