import { afterEach, describe, expect, it } from 'vitest';
import { callsheet } from '../../support/callsheet.ts';
import { type Exim, startExim } from './exim.ts';
import { delivered, deliveries, expectNight, mailing, mailStatus, readMail } from './mailing.ts';

let exim: Exim | undefined;
afterEach(async () => {
  await exim?.stop();
  exim = undefined;
});

describe('by Exim', () => {
  it.each([
    ['STARTTLS', 'starttlsUrl'],
    ['TLS from the first byte', 'tlsUrl'],
  ] as const)('a night’s mail arrives once each with %s, and is valid to the last line', async (_, url) => {
    exim = await startExim();
    const world = await mailing(exim, 'ana@example.com,ben@example.com', { SMTP_URL: exim[url] });
    for (const _again of [1, 2])
      expect(await callsheet(['run'], world.environment)).toMatchObject({ code: 0 });
    await delivered(exim, 2);
    const files = await exim.delivered();
    expect((await readMail(files)).map(({ envelopeTo }) => envelopeTo)).toEqual([
      'ana@example.com',
      'ben@example.com',
    ]);
    await expectNight(world, files);
    const log = await exim.log();
    expect(log.match(/ closed by QUIT/g)).toHaveLength(1);
    expect(log).not.toMatch(/lost|timeout|unexpected|error/);
  });

  it('an unknown recipient is refused with the server’s words, and the others get theirs', async () => {
    exim = await startExim();
    const world = await mailing(exim, 'ana@example.com,unknown@example.com');
    expect(await callsheet(['run'], world.environment)).toMatchObject({ code: 75 });
    await delivered(exim, 1);
    expect(await deliveries(world)).toMatchObject([
      { recipient: 'ana@example.com', state: 'sent' },
      {
        recipient: 'unknown@example.com',
        state: 'refused',
        reply: expect.stringContaining('no such user here'),
      },
    ]);
    expect(await mailStatus(world)).toMatchObject({
      code: 75,
      alerts: [{ title: expect.stringContaining('unknown@example.com') }],
    });
  });

  it('a greylisted message is sent again within the run, and arrives once', async () => {
    exim = await startExim();
    const world = await mailing(exim, 'grey@example.com');
    const run = callsheet(['run'], world.environment);
    await expect
      .poll(() => deliveries(world), { timeout: 60_000 })
      .toMatchObject([{ state: 'failed', reply: expect.stringContaining('greylisted') }]);
    await exim.endGreylisting();
    expect(await run).toMatchObject({ code: 0 });
    await delivered(exim, 1);
  });

  it('a message above the server’s limit, a wrong password and an authority that nobody trusts have their words', async () => {
    exim = await startExim(2_000);
    const large = await mailing(exim, 'ana@example.com');
    expect((await callsheet(['run'], large.environment)).code).toBe(75);
    expect((await mailStatus(large)).unsent).toMatchObject([
      { state: 'refused', reply: expect.stringMatching(/552.*DIGEST_MAX_MB/) },
    ]);

    const wrong = await mailing(exim, 'ana@example.com', {
      SMTP_URL: exim.starttlsUrl.replace(/:[^:@]+@/, ':another-password@'),
    });
    expect((await callsheet(['run'], wrong.environment)).code).toBe(75);
    expect((await mailStatus(wrong)).unsent).toMatchObject([
      { state: 'failed', reply: expect.stringMatching(/535/) },
    ]);

    const untrusting = await mailing(exim, 'ana@example.com');
    const { NODE_EXTRA_CA_CERTS: _, ...environment } = untrusting.environment;
    expect((await callsheet(['run'], environment)).code).toBe(75);
    expect((await mailStatus(untrusting)).unsent).toMatchObject([
      { state: 'failed', reply: expect.stringMatching(/certificate/) },
    ]);
    expect(await exim.delivered()).toEqual([]);
    // Who doesn't trust the certificate says nothing more.
    expect((await exim.log()).match(/ closed by QUIT/g)).toHaveLength(2);
  });
});
