import type { RequestListener, ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { account } from '../account.ts';
import { connect, day, startRawServer, status, valid } from '../raw-server.ts';

/** A service that takes one token, and keeps the tokens that it was sent. */
function taking(good: string) {
  const sent: string[] = [];
  const listener: RequestListener = (request, response) => {
    const token = new URL(request.url!, 'http://localhost').searchParams.get('sidtoken')!;
    sent.push(token);
    (token === good ? valid : status(401))(request, response);
  };
  return { sent, listener };
}

describe('the token of an account', () => {
  it('is read once, as long as it is good', async () => {
    const source = ['good', 'another'];
    await using server = await startRawServer([taking('good').listener]);
    const service = connect(server.url, {}, { token: () => source.shift()! });
    await service.summarizeCampaigns(account, day);
    await service.summarizeCampaigns(account, day);
    expect(source).toEqual(['another']);
  });

  it('is read again once when the service refuses it, for however many requests at a time', async () => {
    const source = ['old', 'new', 'newer'];
    const { sent, listener } = taking('new');
    await using server = await startRawServer([listener]);
    const service = connect(server.url, {}, { token: () => source.shift()! });
    await Promise.all([1, 2, 3].map(() => service.summarizeCampaigns(account, day)));
    expect(sent.filter((token) => token === 'new')).toHaveLength(3);
    expect(source).toEqual(['newer']);
  });

  it('is not sent again for an operation that refused it, until its source changes', async () => {
    const source: Record<string, string> = { main: 'expired', other: 'good' };
    const { sent, listener } = taking('good');
    await using server = await startRawServer([listener]);
    const service = connect(server.url, {}, { token: (name) => source[name]! });
    const refused = { code: 'TOKEN_REFUSED' };
    const requests = [1, 2, 3].map(() => service.summarizeCampaigns(account, day));
    await Promise.all(requests.map((request) => expect(request).rejects.toMatchObject(refused)));
    expect(sent).toEqual(['expired']);
    await service.summarizeCampaigns({ ...account, name: 'other' }, day);
    await expect(service.listClients(account, {})).rejects.toMatchObject(refused);
    expect(sent.splice(0)).toEqual(['expired', 'good', 'expired']);
    source.main = 'good';
    await service.summarizeCampaigns(account, day);
    expect(sent).toEqual(['good']);
  });

  it('is sent by one request at first, and then by several at once', async () => {
    const open: ServerResponse[] = [];
    await using server = await startRawServer([(_, response) => void open.push(response)]);
    const service = connect(server.url);
    const answer = () => open.shift()!.end('{"result":[]}');
    const requests = [1, 2, 3].map(() => service.summarizeCampaigns(account, day));
    await expect.poll(() => open.length).toBe(1);
    answer();
    await expect.poll(() => open.length).toBe(2);
    answer();
    answer();
    await Promise.all(requests);
  });
});
