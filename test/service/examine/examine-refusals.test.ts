import { describe, expect, it } from 'vitest';
import type { Finding } from '../../../src/model/alert.ts';
import { examineRefusals } from '../../../src/service/examine/examine-refusals.ts';
import { account } from '../account.ts';
import { connect, startRawServer, token } from '../raw-server.ts';

/** What the service does with a wrong token, and with `page` alone. */
async function examined(wrongToken: string | number, pageAlone: string | number) {
  const requests: object[] = [];
  await using server = await startRawServer([
    (request, response) => {
      const { sidtoken, ...parameters } = Object.fromEntries(
        new URL(request.url!, 'http://localhost').searchParams,
      );
      requests.push(parameters);
      const answer = sidtoken === token ? pageAlone : wrongToken;
      if (typeof answer === 'number') response.writeHead(answer);
      response.end(typeof answer === 'string' ? answer : '{}');
    },
  ]);
  const settings = { retries: 0 };
  const right = connect(server.url, settings);
  const wrong = connect(server.url, settings, { token: () => 'no-such-token' });
  const findings = await examineRefusals(right.send, wrong.send, account);
  return { findings, requests };
}

const list = '{"data":[]}';
const found = { area: 'service' } as const;
const recognized: Finding = {
  ...found,
  subject: 'wrong token',
  status: 'ok',
  message: 'is refused, and recognized as such',
};
const pageRefused: Finding = {
  ...found,
  subject: 'page without limit',
  status: 'ok',
  message: 'is refused, as the document says',
};

describe('the examination of refusals', () => {
  it('sends a wrong token, and a page without a limit', async () => {
    expect(await examined(401, 400)).toEqual({
      findings: [recognized, pageRefused],
      requests: [{ limit: '1' }, { page: '1' }],
    });
  });

  it.each<[string, string | number, string | number, readonly Finding[]]>([
    [
      'a wrong token is accepted',
      list,
      400,
      [
        {
          ...found,
          subject: 'wrong token',
          status: 'warning',
          message: 'is accepted like a valid one',
          advice: 'an expired token would look like empty days: ask the provider',
        },
        pageRefused,
      ],
    ],
    [
      'a wrong token is refused with another error',
      404,
      400,
      [
        {
          ...found,
          subject: 'wrong token',
          status: 'warning',
          message:
            'is refused with another error: account main, a probe: the service refuses the request (status 404: {})',
          advice: 'an expired token would be reported as that error, not as "token refused"',
        },
        pageRefused,
      ],
    ],
    [
      'a page is accepted without a limit',
      401,
      list,
      [recognized, { ...pageRefused, message: 'is accepted, against the document' }],
    ],
    ['a page without a limit gets no list', 401, '{}', [recognized, pageRefused]],
  ])('says that %s', async (_, wrongToken, pageAlone, findings) => {
    expect((await examined(wrongToken, pageAlone)).findings).toEqual(findings);
  });

  it('throws what is no refusal', async () => {
    const send = () => Promise.reject(new Error('a bug of ours'));
    await expect(examineRefusals(send, send, account)).rejects.toThrow('a bug of ours');
  });
});
