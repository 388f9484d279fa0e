import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { callsheet } from '../../support/callsheet.ts';
import { peers, runPeer } from '../../support/peers.ts';
import type { World } from '../../support/world.ts';
import { install } from '../prometheus/nights.ts';

/** A mail server that demands TLS and a password, and delivers into files. */
export type MailServer = {
  readonly starttlsUrl: string;
  /** The certificate of its authority, in PEM. */
  readonly authority: string;
  /** The delivered messages as files, in no order. */
  delivered(): Promise<string[]>;
};

export type Mail = {
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

const from = 'Cañón & “Señales”';

/** A new installation that mails by that server, whose authority it trusts unless the settings name another one. */
export async function mailing(
  server: MailServer,
  to: string,
  settings: World['environment'] = {},
): Promise<World> {
  const world = await install();
  onTestFinished(() => world.close());
  const digests = path.join(world.folder, 'digests.json');
  await writeFile(digests, JSON.stringify([{ name: 'Campañas', to: to.split(','), locale: 'es-ES' }]));
  const { DIGEST_TO: _, ...others } = world.environment;
  return {
    ...world,
    environment: {
      ...others,
      DIGESTS_FILE: digests,
      DIGEST_FROM: `${from} <callsheet@example.com>`,
      SMTP_URL: server.starttlsUrl,
      NODE_EXTRA_CA_CERTS: server.authority,
      ...settings,
    },
  };
}

/** What Python's email package makes of delivered messages, by recipient. */
export async function readMail(files: readonly string[]): Promise<Mail[]> {
  const program = path.join(import.meta.dirname, 'read_mail.py');
  const { code, output } = await runPeer(peers.python3, [program, ...files]);
  if (code !== 0) throw new Error(output);
  const mails = output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Mail);
  return mails.sort((one, other) => (one.envelopeTo < other.envelopeTo ? -1 : 1));
}

export const delivered = (server: MailServer, count: number) =>
  expect.poll(async () => (await server.delivered()).length, { timeout: 60_000 }).toBe(count);

export const deliveries = (world: World) =>
  world.query<{ recipient: string; state: string; reply: string }>(
    'select recipient, state, reply from etl.deliveries order by recipient',
  );

/** The code of `status`, and what it shows of mail: the titles of alerts, and each message that wasn't delivered. */
export async function mailStatus(world: World) {
  const { code, stdout } = await callsheet(['status', '--json'], world.environment);
  const { alerts, unsent } = JSON.parse(stdout) as {
    alerts: readonly { readonly code: string; readonly title: string; readonly cause: string }[];
    unsent: readonly { readonly recipient: string; readonly state: string; readonly reply: string | null }[];
  };
  return { code, alerts, unsent };
}

/** Expects the digests of a night as they were built, each delivered once, and valid to the last byte. */
export async function expectNight(world: World, files: readonly string[]): Promise<void> {
  const mails = await readMail(files);
  expect(new Set(mails.map(({ messageId }) => messageId)).size).toBe(files.length);
  for (const mail of mails) {
    expect(mail.defects).toEqual([]);
    expect(mail.from).toEqual([from, 'callsheet@example.com']);
    // Servers add headers of their own, which are longer than ours.
    expect(mail.longestLine).toBeLessThanOrEqual(998);
    expect(mail.isAscii).toBe(true);
    expect(mail.subject).toContain('Campañas');
    expect(mail.text).toContain('Campañas');
    expect(mail.html).toContain('<html');
  }
  const [csv] = mails[0]!.attachments;
  expect(csv).toMatchObject({
    name: expect.stringMatching(/^campañas-[-\d]+\.csv$/),
    type: 'text/csv',
    text: expect.stringMatching(/^\ufeff"account"/),
  });
  const names = await world.query<{ campaign: string }>(
    `select campaign from etl.campaign_days where campaign ~ '[^[:ascii:]]'`,
  );
  expect(names.length).toBeGreaterThan(0);
  for (const { campaign } of names) expect(csv!.text).toContain(campaign.replaceAll('"', '""'));
}
