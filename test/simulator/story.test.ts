import { expect, it, onTestFinished } from 'vitest';
import { THREE_ACCOUNTS } from '../../src/simulator/accounts.ts';
import { generateDataset } from '../../src/simulator/dataset.ts';
import { startSimulator } from '../../src/simulator/server.ts';
import { playStory, type StoryEvent } from '../../src/simulator/story.ts';

const base = generateDataset(1, () => Temporal.Instant.from('2026-11-30T00:00:00Z'));
const firstNight = '2026-11-10';
const begin = Temporal.Instant.from('2026-11-10T06:30:00Z');

function play(...nights: (readonly StoryEvent[])[]) {
  return playStory({ about: 'a test', accounts: THREE_ACCOUNTS, nights }, firstNight, base);
}

const campaigns = (account: string, day: string) => {
  const date = Temporal.PlainDate.from(day);
  return base.campaigns(account, date, date);
};

it('a correction holds from its night on, for its day and account alone, and keeps the bounds of the counts', () => {
  const { campaignsOn } = play([], [{ event: 'late correction', account: 'coast', daysAgo: 2, percent: 8 }]);
  const plain = campaigns('coast', '2026-11-09');
  expect(campaignsOn(0, 'coast', '2026-11-09')).toEqual(plain);
  expect(campaignsOn(1, 'coast', '2026-11-10')).toEqual(campaigns('coast', '2026-11-10'));
  expect(campaignsOn(1, 'north', '2026-11-09')).toEqual(campaigns('north', '2026-11-09'));
  const corrected = campaignsOn(1, 'coast', '2026-11-09');
  expect(corrected.map(({ attempts }) => attempts)).toEqual(
    plain.map(({ attempts }) => Math.floor(attempts * 1.08)),
  );
  for (const { attempts, busies, connects, liveanswers, noanswers } of corrected) {
    expect(busies + connects + noanswers).toBeLessThanOrEqual(attempts);
    expect(liveanswers).toBeLessThanOrEqual(connects);
  }
});

it('campaigns and clients come and go, and an account may have the campaigns of another', () => {
  const { campaignsOn, clientsOn } = play(
    [
      { event: 'campaign added later', account: 'north', daysAgo: 1 },
      { event: 'campaign withdrawn', account: 'coast', daysAgo: 1 },
      { event: 'clients removed', account: 'valley', clients: 3 },
    ],
    [
      { event: 'same campaigns', account: 'valley', as: 'north' },
      { event: 'clients added', account: 'valley', clients: 2 },
    ],
  );
  const north = campaignsOn(0, 'north', '2026-11-09');
  expect(north).toHaveLength(campaigns('north', '2026-11-09').length + 1);
  expect(new Set(north.map(({ callsetid }) => callsetid)).size).toBe(north.length);
  expect(campaignsOn(0, 'coast', '2026-11-09')).toEqual(campaigns('coast', '2026-11-09').slice(1));
  expect(campaignsOn(1, 'valley', '2026-11-09')).toEqual(north);
  expect(clientsOn(0, 'valley')).toEqual(base.clients('valley').slice(3));
  expect(clientsOn(1, 'valley')).toHaveLength(base.clients('valley').length - 1);
});

async function serve(...nights: (readonly StoryEvent[])[]) {
  const played = play(...nights);
  const { dataset, intercept } = played;
  const simulator = await startSimulator({ dataset, intercept });
  onTestFinished(() => simulator.close());
  const request = async (operation: string, account: string, query: Record<string, string>) => {
    const sidtoken = base.accounts.find(({ name }) => name === account)!.token;
    const response = await fetch(
      `${simulator.url}/${operation}.wr?${new URLSearchParams({ sidtoken, ...query })}`,
    );
    return { status: response.status, body: JSON.parse(await response.text()) };
  };
  const summary = (account: string, day = '11-09-2026') =>
    request('campaignSummary', account, { startdate: day, enddate: day });
  const list = (account: string, page = '1') =>
    request('getClients', account, { page, limit: '100', balance: 'true' });
  return { ...played, summary, list };
}

const quietly = { clock: () => begin, kill: () => {} };

it('a fault strikes on its night alone, and only the day and the account that it names', async () => {
  const { summary, turnTo } = await serve([{ event: 'half listed', account: 'north', daysAgo: 1 }], []);
  const { length } = campaigns('north', '2026-11-09');
  const listedOn = async (night: number, outside: typeof quietly | null) => {
    turnTo(night, outside);
    const { body } = await summary('north');
    expect(body.campaigns).toBe(length);
    return body.result.length;
  };
  expect(await listedOn(0, quietly)).toBe(Math.ceil(length / 2));
  expect((await summary('coast')).body.result).toHaveLength(campaigns('coast', '2026-11-09').length);
  expect((await summary('north', '11-08-2026')).body.result).toHaveLength(
    campaigns('north', '2026-11-08').length,
  );
  expect(await listedOn(1, quietly)).toBe(length);
  expect(await listedOn(0, null)).toBe(length);
});

it('a response lacks campaigns, lists none or has unreadable records, and its counts agree with its list', async () => {
  const { summary, turnTo } = await serve([
    { event: 'campaigns missing', account: 'north', daysAgo: 1 },
    { event: 'empty day', account: 'coast', daysAgo: 1 },
    { event: 'unreadable records', account: 'valley', daysAgo: 1 },
  ]);
  turnTo(0, quietly);
  const [north, coast, valley] = await Promise.all(['north', 'coast', 'valley'].map((name) => summary(name)));
  expect(north!.body.result).toHaveLength(Math.floor(campaigns('north', '2026-11-09').length / 3));
  expect(north!.body.campaigns).toBe(north!.body.result.length);
  expect(coast!.body).toMatchObject({ campaigns: 0, reports: 0, result: [] });
  expect(valley!.body.result.filter(({ attempts }: { attempts: unknown }) => attempts === '?')).toHaveLength(
    Math.floor(campaigns('valley', '2026-11-09').length / 4),
  );
});

it('an outage lasts by the clock of the night; a token is refused for both operations, a list for one', async () => {
  const { summary, list, turnTo } = await serve(
    [{ event: 'outage', hours: 3 }],
    [
      { event: 'token refused', account: 'north' },
      { event: 'client list refused', account: 'coast' },
    ],
  );
  let hours = 0;
  turnTo(0, { clock: () => begin.add({ hours }), kill: () => {} });
  expect((await summary('north')).status).toBe(503);
  hours = 3;
  expect((await summary('north')).status).toBe(200);
  turnTo(1, quietly);
  const statuses = [await summary('north'), await list('north'), await summary('coast'), await list('coast')];
  expect(statuses.map(({ status }) => status)).toEqual([401, 401, 200, 403]);
});

it('a list that changes while it is walked loses a client with every page, between two pages one that stays', async () => {
  const { list, turnTo } = await serve([{ event: 'list changes during walk', account: 'north' }]);
  turnTo(0, quietly);
  const pages = await Promise.all(['1', '2', '3'].map((page) => list('north', page)));
  const ids = pages.flatMap(({ body }) => body.data.map(({ clientid }: { clientid: number }) => clientid));
  const all = base.clients('north').map(({ clientid }) => clientid);
  expect(all.slice(0, 302).filter((id) => !ids.includes(id))).toEqual([all[100], all[201]]);
  expect(pages.map(({ body }) => body.clients)).toEqual([620, 619, 618]);
});

it('the process is killed at the request that the story names', async () => {
  const { summary, turnTo } = await serve([{ event: 'killed', atRequest: 2 }]);
  let killed = 0;
  turnTo(0, { clock: () => begin, kill: () => void killed++ });
  await summary('north');
  expect(killed).toBe(0);
  await summary('north');
  await summary('north');
  expect(killed).toBe(1);
});
