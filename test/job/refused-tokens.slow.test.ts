import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pino } from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import { addDays, type Day } from '../../src/model/day.ts';
import type { Dataset } from '../../src/simulator/dataset.ts';
import { at, keepUp, setUp } from '../schedule/simulated-time.ts';
import { openWorld } from '../support/world.ts';

/* What refused tokens cost and say, night after night: requests, lines of the log, alerts. */

const firstNight = '2026-03-02';

/** So many accounts; each has one client, and one campaign a day. */
function offices(count: number): Dataset {
  const accounts = Array.from({ length: count }, (_, index) => {
    const name = `office-${String(index + 1).padStart(4, '0')}`;
    return { name, token: `token-of-${name}` };
  });
  const idOf = (name: string) => Number(name.slice(-4));
  return {
    accounts,
    clients: (name) => [
      { clientid: idOf(name), clientname: `Client of ${name}`, checksum: name, balance: '9.50' },
    ],
    campaigns: (name, from) => {
      const attempts = 1_000 + 3 * idOf(name) + from.day;
      return [
        {
          callsetid: idOf(name),
          campaign: `Campaign of ${name}`,
          attempts,
          busies: 100,
          connects: 500,
          liveanswers: 200,
        } as ReturnType<Dataset['campaigns']>[number],
      ];
    },
  };
}

type Night = {
  readonly day: Day;
  readonly requests: number;
  readonly refused: number;
  readonly lines: number;
  readonly alerts: readonly string[];
  /** The digests with the time of their mail. */
  readonly digests: readonly string[];
};

/** Keeps `schedule` up over the nights; the service refuses a token as `isRefused` says. */
async function spendNights(
  count: number,
  nights: number,
  isRefused: (account: string, day: Day) => boolean,
  digests: Readonly<Record<string, (account: string) => boolean>> = { all: () => true },
): Promise<Night[]> {
  const dataset = offices(count);
  const time = at(`${firstNight}T06:29:30Z`);
  const world = await openWorld({
    dataset,
    intercept: ({ account }) =>
      isRefused(account!, time.now.toString().slice(0, 10)) ? { status: 401, body: '{}' } : undefined,
  });
  onTestFinished(() => world.close());
  await setUp(world, `${firstNight}T00:00:00Z`);
  const names = dataset.accounts.map(({ name }) => name);
  const file = path.join(world.folder, 'digests.json');
  const entries = Object.entries(digests).map(([name, isOf]) => ({
    name,
    to: `${name}@example.com`,
    accounts: names.filter(isOf),
  }));
  await writeFile(file, JSON.stringify(entries));
  const all: Night[] = [];
  for (let night = 0; night < nights; night++) {
    const day = addDays(firstNight, night);
    const before = world.simulator.journal.length;
    const earlier = new Set(await readdir(world.outbox).catch(() => []));
    const lines: string[] = [];
    const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
    time.now = Temporal.Instant.from(`${day}T06:29:30Z`);
    await keepUp(
      world,
      { ALERT_TO: 'ops@example.com', DIGEST_TO: '', DIGESTS_FILE: file },
      time,
      `${addDays(day, 1)}T00:00:00Z`,
      () => {},
      log,
    );
    const written = (await readdir(world.outbox).catch(() => [])).filter((name) => !earlier.has(name)).sort();
    const mails = await Promise.all(written.map((name) => readFile(path.join(world.outbox, name), 'utf8')));
    const read = (mail: string, header: string) => new RegExp(`^${header}: (.*)$`, 'm').exec(mail)![1]!;
    const isAlert = (mail: string) => read(mail, 'To').includes('ops@');
    const requests = world.simulator.journal.slice(before);
    all.push({
      day,
      requests: requests.length,
      refused: requests.filter(({ status }) => status === 401).length,
      lines: lines.length,
      alerts: mails.filter(isAlert).map((mail) => read(mail, 'Subject')),
      digests: mails
        .filter((mail) => !isAlert(mail))
        .map(
          (mail) =>
            `${/\d\d:\d\d/.exec(read(mail, 'Date'))} ${/\w+/.exec(read(mail, 'To').replace('<', ''))}`,
        ),
    });
  }
  return all;
}

const numberOf = (account: string) => Number(account.slice(-4));

it('a refusal of a hundred tokens keeps the hundred other accounts from nothing, and ends with one mail once all are replaced', async () => {
  const isRefused = (account: string, day: Day) => numberOf(account) <= 100 && day < '2026-03-04';
  const [first, second, third] = await spendNights(200, 3, isRefused);
  // The first run loads a window and a list of each other account; its three retries give up.
  expect(first!.requests - first!.refused).toBe(2 * 100);
  expect(first!.refused).toBeLessThanOrEqual(2 * (100 + 3 * 17));
  expect(first!.lines).toBeLessThanOrEqual(35);
  expect(first!.alerts).toEqual([expect.stringContaining('1 to do: token refused (100 accounts)')]);
  expect(second!.refused).toBeLessThanOrEqual(2 * (100 + 3 * 17));
  expect(second!.lines).toBeLessThanOrEqual(35);
  expect(second!.alerts).toEqual([expect.stringContaining('1 to do: token refused (100 accounts)')]);
  expect(third).toMatchObject({ refused: 0, alerts: [expect.stringContaining('all clear')] });
});

it('2,000 refused tokens cost a few requests in each run, and are one alert a night', async () => {
  for (const night of await spendNights(2_000, 2, () => true)) {
    // Ten are refused, and seven were under way, for each operation in each of four runs: the next one begins with others.
    expect(night.requests).toBeLessThanOrEqual(4 * 2 * 17);
    expect(night.lines).toBeLessThanOrEqual(35);
    expect(night.alerts).toEqual([expect.stringMatching(/1 to do: token refused \(\d+ accounts\)/)]);
  }
});

it('30 refused tokens of 2,000 hold up no digest but their own, and that for eight minutes', async () => {
  const isRefused = (account: string) => numberOf(account) % 67 === 1;
  const digests = { all: () => true, others: (account: string) => !isRefused(account) };
  for (const night of await spendNights(2_000, 2, isRefused, digests)) {
    // The retries meet refused tokens alone, and give up after ten of them, with seven under way.
    expect(night.refused).toBeLessThanOrEqual(2 * (30 + 3 * 17));
    expect(night.requests - night.refused).toBeLessThanOrEqual(2 * 2 * 1_970);
    expect(night.lines).toBeLessThanOrEqual(35);
    expect(night.alerts).toEqual([expect.stringContaining('1 to do: token refused (30 accounts)')]);
    expect(night.digests).toEqual(['06:38 all', '06:30 others']);
  }
});

it('of one, for good, costs a request for each operation and run, and the same few lines in each night of a month', async () => {
  const nights = await spendNights(3, 31, (account) => account === 'office-0002');
  // Four runs, whatever earlier nights brought.
  expect(nights.map(({ refused }) => refused)).toEqual(nights.map(() => 2 * 4));
  expect(Math.max(...nights.map(({ lines }) => lines))).toBeLessThanOrEqual(35);
  for (const { alerts } of nights)
    expect(alerts).toEqual([expect.stringContaining('1 to do: token refused (office-0002)')]);
});
