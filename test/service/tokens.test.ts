import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { Failure } from '../../src/model/failure.ts';
import { createTokens } from '../../src/service/http/tokens.ts';
import { generateDataset } from '../../src/simulator/dataset.ts';
import { callsheet } from '../support/callsheet.ts';
import { openWorld, type World } from '../support/world.ts';

const refused = () => new Failure('token refused', 'refused', '');

const main = { account: 'main', about: 'clients', baseUrl: 'http://service' };

describe('the tokens of a run', () => {
  const wanting = (good: string) => async (token: string) => {
    if (token !== good) throw refused();
    return token;
  };

  it('are read once, as long as they are good', async () => {
    let reads = 0;
    const tokens = createTokens(() => `token ${++reads}`);
    expect(await tokens.using(main, async (token) => token)).toBe('token 1');
    expect(await tokens.using(main, async (token) => token)).toBe('token 1');
  });

  it('are read again when the service refuses one, and then serve', async () => {
    const source = ['old', 'new', 'newer'];
    const tokens = createTokens(() => source.shift()!);
    expect(await tokens.using(main, wanting('new'))).toBe('new');
    expect(await tokens.using(main, async (token) => token)).toBe('new');
    expect(source).toEqual(['newer']);
  });

  it('are read again once for many questions at the same time', async () => {
    const source = ['old', 'new'];
    const tokens = createTokens(() => source.shift()!);
    const work = async (token: string) => {
      await new Promise(setImmediate);
      return await wanting('new')(token);
    };
    expect(await Promise.all([1, 2, 3].map(() => tokens.using(main, work)))).toEqual(['new', 'new', 'new']);
  });

  it('that are refused and still the same are not asked with again; those of others are', async () => {
    let asked = 0;
    const tokens = createTokens((account) => account);
    const work = async () => {
      asked++;
      throw refused();
    };
    await expect(tokens.using(main, work)).rejects.toThrow('refused');
    await expect(tokens.using(main, work)).rejects.toThrow(
      /account main, clients: .*refuses.*before in this run/,
    );
    expect(asked).toBe(1);
    expect(await tokens.using({ ...main, account: 'other' }, async (token) => token)).toBe('other');
  });

  it('are not suspected for any other failure', async () => {
    const tokens = createTokens(() => 'token');
    await expect(tokens.using(main, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    expect(await tokens.using(main, async (token) => token)).toBe('token');
  });
});

describe('a token in a file', () => {
  let world: World | undefined;
  afterEach(() => world?.close());

  it('that is rotated in the middle of a run heals by itself', async () => {
    const [north] = generateDataset().accounts;
    let file = '';
    world = await openWorld({
      variants: ['token-expires', 'token-refused-401'],
      tokens: { north: ['a-rotated-token'] },
      intercept: ({ operation, nth }) => {
        if (operation === 'getClients' && nth === 5) writeFileSync(file, 'a-rotated-token\n');
        return undefined;
      },
    });
    file = path.join(world.folder, 'sidtoken');
    writeFileSync(file, `${north!.token}\n`);
    const { ACCOUNTS_FILE: _, ...rest } = world.environment;
    const environment = { ...rest, SIDTOKEN_FILE: file, CONCURRENCY: '1' };
    const { code, stderr } = await callsheet(['run', '--day', '2026-03-02'], environment);
    expect(code).toBe(0);
    expect(await world.query('select count(*)::int as clients from warehouse.clients')).toEqual([
      { clients: 620 },
    ]);
    expect(stderr).not.toContain('a-rotated-token');
  });
});
