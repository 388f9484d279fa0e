import { readFile } from 'node:fs/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { callsheet } from '../../support/callsheet.ts';
import type { World } from '../../support/world.ts';
import { deliveries, expectNight, mailing, mailStatus } from './mailing.ts';
import { startPostfix } from './postfix.ts';

const postfix = await startPostfix();
afterAll(() => postfix.stop());

const soon = { timeout: 30_000 };

const run = async (world: World) => (await callsheet(['run'], world.environment)).code;

const deliveredTo = (localPart: string, count: number) =>
  expect.poll(async () => (await postfix.deliveredTo(localPart)).length, soon).toBe(count);

/** How each session ended, as Postfix logs it. */
const sessions = async () => (await postfix.log()).match(/(?<= disconnect from ).*/g) ?? [];

describe('by Postfix, with STARTTLS and a password of Cyrus SASL', () => {
  it('a night’s mail arrives once each, and to the byte as it was built', async () => {
    const world = await mailing(postfix, 'ana@example.com,ben@exämple.com');
    expect([await run(world), await run(world)]).toEqual([0, 0]);
    await deliveredTo('ana', 1);
    await deliveredTo('ben', 1);
    const files = await postfix.delivered();
    await expectNight(world, files);
    const [digest] = await world.query<{ mime: string }>(
      'select mime from etl.digests where mime is not null',
    );
    for (const file of files) {
      const delivered = await readFile(file, 'utf8');
      expect(delivered.endsWith(digest!.mime.replaceAll('\r\n', '\n'))).toBe(true);
    }
    await expect
      .poll(sessions, soon)
      .toEqual([expect.stringMatching(/starttls=1 auth=1 mail=2 rcpt=2 data=2 quit=1/)]);
    expect(await postfix.log()).not.toMatch(/warning|fatal|lost connection/);
  });

  it('an unknown recipient is refused, and the others get theirs', async () => {
    const world = await mailing(postfix, 'ben@example.com,unknown@example.com');
    const before = await postfix.deliveredTo('ben');
    expect(await run(world)).toBe(75);
    await deliveredTo('ben', before.length + 1);
    expect(await deliveries(world)).toMatchObject([
      {
        recipient: 'ben@example.com',
        state: 'sent',
        reply: expect.stringMatching(/^250 2.0.0 Ok: queued as/),
      },
      {
        recipient: 'unknown@example.com',
        state: 'refused',
        reply: expect.stringMatching(/550 5\.1\.1 .*User unknown/),
      },
    ]);
    expect(await mailStatus(world)).toMatchObject({
      code: 75,
      alerts: [
        {
          code: 'MAIL_REFUSED',
          title: expect.stringMatching(/^Mail refused: unknown@example\.com, Campañas of /),
        },
      ],
    });
  });

  it('a greylisted message waits, and arrives once within the run', async () => {
    const world = await mailing(postfix, 'grey@example.com');
    const running = run(world);
    await expect
      .poll(() => deliveries(world), soon)
      .toMatchObject([{ state: 'failed', reply: expect.stringMatching(/450 4\.7\.1 .*greylisted/) }]);
    expect((await mailStatus(world)).unsent).toMatchObject([{ state: 'failed' }]);
    postfix.endGreylisting();
    expect(await running).toBe(0);
    await deliveredTo('grey', 1);
    expect(await mailStatus(world)).toMatchObject({ code: 0, alerts: [], unsent: [] });
  });

  const wrongPassword = postfix.starttlsUrl.replace(/:[^:@]+@/, ':another-password@');

  it.each([
    [
      'above `message_size_limit`',
      postfix.smallUrl,
      'refused',
      /552 5\.3\.4 .*DIGEST_MAX_MB/,
      'MAIL_REFUSED',
    ],
    ['after a wrong password', wrongPassword, 'failed', /535 5\.7\.8 /, 'MAIL_WAITING'],
    [
      'to a host with another one’s certificate',
      postfix.otherUrl,
      'failed',
      /^certificate refused.*SMTP_URL/i,
      'MAIL_WAITING',
    ],
  ])(
    'a message %s isn’t delivered, and `status` has its state and why',
    async (_, url, state, reply, alert) => {
      const world = await mailing(postfix, 'ana@example.com', { SMTP_URL: url });
      const before = (await sessions()).length;
      expect(await run(world)).toBe(75);
      const unsent = { recipient: 'ana@example.com', state, reply: expect.stringMatching(reply) };
      expect(await mailStatus(world)).toMatchObject({
        code: 75,
        alerts: [{ code: alert, cause: expect.stringMatching(reply) }],
        unsent: [unsent],
      });
      expect(await deliveries(world)).toMatchObject([unsent]);
      await expect.poll(async () => (await sessions()).length, soon).toBe(before + 1);
      // Who doesn't trust the certificate says nothing more.
      if (url !== postfix.otherUrl) expect((await sessions()).at(-1)).toMatch(/ quit=1 /);
    },
  );
});
