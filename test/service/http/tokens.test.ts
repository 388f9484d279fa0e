import { describe, expect, it } from 'vitest';
import { AttemptError } from '../../../src/service/failures.ts';
import { createTokens } from '../../../src/service/http/tokens.ts';

const refused = () => new AttemptError('TOKEN_REFUSED', 'refused');

describe('the tokens of a run', () => {
  const accepting = (good: string) => async (token: string) => {
    if (token !== good) throw refused();
    return token;
  };

  it('are read once, as long as they are good', async () => {
    let reads = 0;
    const tokens = createTokens(() => `token ${++reads}`);
    expect(await tokens.using('main', 'getClients', async (token) => token)).toBe('token 1');
    expect(await tokens.using('main', 'getClients', async (token) => token)).toBe('token 1');
  });

  it('are read again when the service refuses one, and the new one is used', async () => {
    const source = ['old', 'new', 'newer'];
    const tokens = createTokens(() => source.shift()!);
    expect(await tokens.using('main', 'getClients', accepting('new'))).toBe('new');
    expect(await tokens.using('main', 'getClients', async (token) => token)).toBe('new');
    expect(source).toEqual(['newer']);
  });

  it('are read again once for many requests at the same time', async () => {
    const source = ['old', 'new'];
    const tokens = createTokens(() => source.shift()!);
    const work = async (token: string) => {
      await new Promise(setImmediate);
      return await accepting('new')(token);
    };
    expect(await Promise.all([1, 2, 3].map(() => tokens.using('main', 'getClients', work)))).toEqual([
      'new',
      'new',
      'new',
    ]);
  });

  it('are refused once a second request confirms it, and then not sent again for that operation of that account', async () => {
    let sent = 0;
    const tokens = createTokens((account) => account);
    const work = async () => {
      sent++;
      throw refused();
    };
    await expect(tokens.using('main', 'getClients', work)).rejects.toThrow('refused');
    expect(sent).toBe(2);
    await expect(tokens.using('main', 'getClients', work)).rejects.toThrow('refused');
    expect(sent).toBe(2);
    expect(await tokens.using('main', 'campaignSummary', async (token) => token)).toBe('main');
    expect(await tokens.using('other', 'getClients', async (token) => token)).toBe('other');
  });

  it('are good if a second request is not refused', async () => {
    let sent = 0;
    const tokens = createTokens(() => 'token');
    const work = async (token: string) => {
      if (++sent === 1) throw refused();
      return token;
    };
    expect(await tokens.using('main', 'getClients', work)).toBe('token');
    expect(await tokens.using('main', 'getClients', work)).toBe('token');
    expect(sent).toBe(3);
  });

  it('are not suspected for any other failure', async () => {
    const tokens = createTokens(() => 'token');
    await expect(
      tokens.using('main', 'getClients', () => Promise.reject(new Error('broken'))),
    ).rejects.toThrow('broken');
    expect(await tokens.using('main', 'getClients', async (token) => token)).toBe('token');
  });
});
