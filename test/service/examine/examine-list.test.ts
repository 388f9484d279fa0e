import { expect, it } from 'vitest';
import { Failure } from '../../../src/model/errors.ts';
import { examineList, type ListSettings } from '../../../src/service/examine/examine-list.ts';
import type { ClientListParameters, ListClients } from '../../../src/service/operations.ts';
import { walkClients } from '../../../src/service/paging/walk-clients.ts';
import { account } from '../account.ts';
import { listOf, upTo } from '../paging/lists.ts';

const settings = { pageLimit: 20, concurrency: 4, balance: true };
const whole = listOf(upTo(60));
const down = new Failure('SERVICE_UNAVAILABLE', 'status 500: oh', { status: '500' });

/** What `doctor` says of a list, and the settings with which it walked it. */
async function examined(list: ListClients, own: ListSettings = settings, maxMs = 60_000) {
  const walks: string[] = [];
  const finding = await examineList(
    ({ pageLimit: limit, concurrency, balance }, longest) => {
      walks.push(`${limit} ${concurrency} ${balance}`);
      const parameters = { limit, balance };
      return walkClients({ list, account, parameters, ahead: concurrency, maxMs: longest });
    },
    account,
    own,
    maxMs,
  );
  const { status, message } = finding;
  return { walks, said: `${status}: ${message}${'advice' in finding ? ` → ${finding.advice}` : ''}` };
}

const failing =
  (fails: (parameters: ClientListParameters) => boolean, failure = down): ListClients =>
  async (who, parameters) => {
    if (fails(parameters)) throw failure;
    return await whole(who, parameters);
  };

it('a list that is complete is walked once, and nothing is tried', async () => {
  expect(await examined(whole)).toEqual({
    walks: ['20 4 true'],
    said: 'ok: main: 60 clients on 3 pages, complete',
  });
});

it('a list of exactly a thousand clients may be cut there, whatever the service says', async () => {
  const { said } = await examined(listOf(upTo(1_000)), { ...settings, pageLimit: 100 });
  expect(said).toBe(
    'warning: main: exactly 1,000 clients on 10 pages: the list may be cut there → ask the provider whether getClients lists more',
  );
});

it('pages that fail with balances: the setting is named with its price, once the list has failed without it again', async () => {
  expect(await examined(failing(({ balance }) => balance === true))).toEqual({
    walks: ['20 4 true', '5 4 true', '20 1 true', '20 4 false', '20 4 true'],
    said: 'error: main: status 500: oh → set CLIENT_BALANCE=false, which helps: balances are then no longer loaded',
  });
});

it('pages that are too large', async () => {
  const { said } = await examined(failing(({ limit, page }) => limit! > 10 && page === 2));
  expect(said).toBe(
    'error: main: page 2 failed: status 500: oh → set PAGE_LIMIT=5, which helps: a list then takes more requests',
  );
});

it('pages that fail beside others', async () => {
  let open = 0;
  const { said } = await examined(async (who, parameters) => {
    open++;
    const isAlone = open === 1;
    // The others of the same moment are requested meanwhile.
    await Promise.resolve();
    await Promise.resolve();
    open--;
    if (!isAlone) throw down;
    return await whole(who, parameters);
  });
  expect(said).toContain('→ set CONCURRENCY=1, which helps: a run then sends one request');
});

it('a list that fails whatever is set: what was tried is named, and the provider is to be asked', async () => {
  expect((await examined(failing(() => true))).said).toBe(
    "error: main: status 500: oh → ask the provider; what doesn't help: PAGE_LIMIT=5, CONCURRENCY=1, CLIENT_BALANCE=false",
  );
  const least = { pageLimit: 3, concurrency: 1, balance: false };
  expect(
    (
      await examined(
        failing(() => true),
        least,
      )
    ).said,
  ).toMatch(/→ ask the provider$/);
});

it('a list that failed once, and comes the next time as it is set: no setting is blamed', async () => {
  let walks = 0;
  const { said } = await examined(
    failing(({ page }) => {
      if (page === undefined) walks++;
      return walks === 1 && page === 3;
    }),
  );
  expect(said).toBe(
    'ok: main: it failed once (page 3 failed: status 500: oh), and was complete the next time',
  );
});

it('a list that takes long: a setting with which it is faster', async () => {
  const slow: ListClients = async (who, parameters) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    setTimeout(resolve, parameters.balance ? 50 : 0);
    await promise;
    return await listOf(upTo(600))(who, parameters);
  };
  const own = { pageLimit: 3, concurrency: 1, balance: true };
  expect((await examined(slow, own, 500)).said).toMatch(
    /^error: main: \d+ clients on \d+ pages in 1 s → set CLIENT_BALANCE=false, which helps/,
  );
});

it('a list in no order is no matter of these settings', async () => {
  const { walks, said } = await examined(
    listOf([1, 2, 3, 4, 1], () => ({ limit: 2 })),
    { ...settings, pageLimit: 2 },
  );
  expect(walks).toHaveLength(1);
  expect(said).toMatch(/^warning: main: it changed while it was fetched .* set PAGE_LIMIT to more than/);
});

it('nothing is tried after a status of 429', async () => {
  const failure = new Failure('SERVICE_UNAVAILABLE', 'too many', { status: '429' });
  const list: ListClients = async () => {
    throw failure;
  };
  await expect(examined(list)).rejects.toBe(failure);
});

it('a refusal may be of a setting, and else is one of the token', async () => {
  const failure = new Failure('TOKEN_REFUSED', 'status 403: balances are not for you', { status: '403' });
  const { said } = await examined(failing(({ balance }) => balance === true, failure));
  expect(said).toMatch(/^error: main: status 403: .* → set CLIENT_BALANCE=false, which helps/);
  await expect(examined(failing(() => true, failure))).rejects.toBe(failure);
});
