import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { callsheet } from '../../support/callsheet.ts';
import { peers, runPeer } from '../../support/peers.ts';
import type { World } from '../../support/world.ts';
import { install } from '../prometheus/nights.ts';
import { type Exim, startExim } from './exim.ts';

type Mail = {
  readonly envelopeTo: string;
  readonly from: readonly [string, string];
  readonly subject: string;
  readonly messageId: string;
  readonly defects: readonly string[];
  readonly longestLine: number;
  readonly isAscii: boolean;
  readonly types: readonly string[];
  readonly text: string;
  readonly html: string;
  readonly attachments: readonly { readonly name: string; readonly type: string; readonly text: string }[];
};

let exim: Exim | undefined;
afterEach(async () => {
  await exim?.stop();
  exim = undefined;
});

/** A new installation that mails by that server, whose authority it trusts unless the settings name another one. */
async function mailing(server: Exim, to: string, settings: World['environment'] = {}): Promise<World> {
  const world = await install();
  onTestFinished(() => world.close());
  const digests = path.join(world.folder, 'digests.json');
  await writeFile(digests, JSON.stringify([{ name: 'Llamadas', to: to.split(','), locale: 'es-ES' }]));
  const { DIGEST_TO: _, ...others } = world.environment;
  return {
    ...world,
    environment: {
      ...others,
      DIGESTS_FILE: digests,
      DIGEST_FROM: 'Cañón & “Señales” <callsheet@example.com>',
      SMTP_URL: server.starttlsUrl,
      NODE_EXTRA_CA_CERTS: server.authority,
      ...settings,
    },
  };
}

/** What Python's email package makes of all that was delivered, by recipient. */
async function readMail(server: Exim): Promise<Mail[]> {
  const { code, output } = await runPeer(peers.python3, [
    path.join(import.meta.dirname, 'read_mail.py'),
    ...(await server.delivered()),
  ]);
  if (code !== 0) throw new Error(output);
  const mails = output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Mail);
  return mails.sort((one, other) => (one.envelopeTo < other.envelopeTo ? -1 : 1));
}

const delivered = (server: Exim, count: number) =>
  expect.poll(async () => (await server.delivered()).length, { timeout: 60_000 }).toBe(count);

const deliveries = (world: World) =>
  world.query<{ recipient: string; state: string; reply: string }>(
    'select recipient, state, reply from etl.deliveries order by recipient',
  );

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
    const mails = await readMail(exim);
    expect(mails.map(({ envelopeTo }) => envelopeTo)).toEqual(['ana@example.com', 'ben@example.com']);
    expect(new Set(mails.map(({ messageId }) => messageId)).size).toBe(2);
    for (const mail of mails) {
      expect(mail.defects).toEqual([]);
      expect(mail.from).toEqual(['Cañón & “Señales”', 'callsheet@example.com']);
      // Exim adds headers of its own, which are longer than ours.
      expect(mail.longestLine).toBeLessThanOrEqual(998);
      expect(mail.isAscii).toBe(true);
      expect(mail.text).toContain('Llamadas');
      expect(mail.html).toContain('<html');
      const [csv] = mail.attachments.filter(({ name }) => name.endsWith('.csv'));
      expect(csv).toMatchObject({ type: 'text/csv', text: expect.stringMatching(/^\ufeff"account"/) });
    }
    const names = await world.query<{ campaign: string }>(
      `select campaign from warehouse.campaign_days where campaign ~ '[^[:ascii:]]'`,
    );
    expect(names.length).toBeGreaterThan(0);
    for (const { campaign } of names)
      expect(mails[0]!.attachments.some(({ text }) => text.includes(campaign.replaceAll('"', '""')))).toBe(
        true,
      );
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
    const status = await callsheet(['status'], world.environment);
    expect([status.code, status.stdout]).toEqual([75, expect.stringContaining('unknown@example.com')]);
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
    expect(await deliveries(large)).toMatchObject([
      { state: 'refused', reply: expect.stringMatching(/552.*DIGEST_MAX_MB/) },
    ]);

    const wrong = await mailing(exim, 'ana@example.com', {
      SMTP_URL: exim.starttlsUrl.replace(/:[^:@]+@/, ':another-password@'),
    });
    expect((await callsheet(['run'], wrong.environment)).code).toBe(75);
    expect(await deliveries(wrong)).toMatchObject([{ state: 'failed', reply: expect.stringMatching(/535/) }]);

    const untrusting = await mailing(exim, 'ana@example.com');
    const { NODE_EXTRA_CA_CERTS: _, ...environment } = untrusting.environment;
    expect((await callsheet(['run'], environment)).code).toBe(75);
    expect(await deliveries(untrusting)).toMatchObject([
      { state: 'failed', reply: expect.stringMatching(/certificate/) },
    ]);
    expect(await exim.delivered()).toEqual([]);
  });
});
