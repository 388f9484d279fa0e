import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import { callsheet } from '../../support/callsheet.ts';
import { peers, runPeer } from '../../support/peers.ts';
import { install } from '../prometheus/nights.ts';
import { startPostfix } from './postfix.ts';

const postfix = await startPostfix();
afterAll(() => postfix.stop());

const from = 'Cañón & “Señales”';

/** A new installation that mails by Postfix, whose authority it trusts. */
async function installed(to: readonly string[]) {
  const world = await install();
  onTestFinished(() => world.close());
  const digests = path.join(world.folder, 'digests.json');
  await writeFile(digests, JSON.stringify([{ name: 'Campañas', to, locale: 'es-ES' }]));
  const { DIGEST_TO: _, ...others } = world.environment;
  const environment = {
    ...others,
    DIGESTS_FILE: digests,
    DIGEST_FROM: `${from} <callsheet@example.com>`,
    SMTP_URL: postfix.url,
    NODE_EXTRA_CA_CERTS: postfix.authority,
  };
  const deliveries = async () =>
    (
      await world.query<{ line: string }>(
        `select concat_ws(' ', recipient, state, reply) as line from etl.deliveries order by delivery_id`,
      )
    ).map(({ line }) => line);
  return { ...world, environment, deliveries };
}

it('by Postfix, with STARTTLS and a password, a night’s mail arrives once, to the byte, and after a greylisting in the same run', async () => {
  const to = ['ana@example.com', 'ben@exämple.com', 'grey@example.com', 'unknown@example.com'];
  const world = await installed(to);
  expect((await callsheet(['run'], world.environment)).code).toBe(75);
  expect(await world.deliveries()).toContainEqual(
    expect.stringMatching(/^grey@example\.com failed .*450 4\.7\.1 .*greylisted/),
  );
  postfix.endGreylisting();
  expect((await callsheet(['run'], world.environment)).code).toBe(75);
  expect(await world.deliveries()).toEqual([
    expect.stringMatching(/^ana@example\.com sent 250 2\.0\.0 Ok: queued as/),
    expect.stringMatching(/^ben@exämple\.com sent 250/),
    expect.stringMatching(/^grey@example\.com sent 250/),
    expect.stringMatching(/^unknown@example\.com failed .*550 5\.1\.1 .*User unknown/),
  ]);
  await expect.poll(async () => (await postfix.delivered()).length).toBe(3);

  const [digest] = await world.query<{ mime: Buffer }>('select mime from etl.mails where mime is not null');
  const message = zstdDecompressSync(digest!.mime).toString();
  const files = await postfix.delivered();
  for (const file of files)
    expect((await readFile(file, 'utf8')).endsWith(message.replaceAll('\r\n', '\n'))).toBe(true);
  const log = await postfix.log();
  expect(log).toMatch(/ disconnect from .* starttls=1 auth=1 .*quit=1/);
  expect(log).not.toMatch(/warning|fatal|lost connection/);
  await expectValid(files);
});

it('Postfix refuses a sender for all recipients, and takes the mail once that is mended', async () => {
  const world = await installed(['ana@example.com', 'unknown@example.com']);
  const notOurs = { ...world.environment, DIGEST_FROM: 'Other <other@example.com>' };
  expect((await callsheet(['run'], notOurs)).code).toBe(75);
  expect(await world.deliveries()).toEqual([
    expect.stringMatching(/^ana@example\.com failed .*553 5\.7\.1 .*Sender address rejected: not owned/),
    expect.stringMatching(/^unknown@example\.com failed .*553 5\.7\.1/),
  ]);
  const { stdout } = await callsheet(['status'], notOurs);
  expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
    'Mail server refuses the recipient (553): ana@example.com and unknown@example.com, Campañas of ',
  );
  expect((await callsheet(['run'], world.environment)).code).toBe(75);
  expect(await world.deliveries()).toEqual([
    expect.stringMatching(/^ana@example\.com sent 250/),
    expect.stringMatching(/^unknown@example\.com failed .*550 5\.1\.1/),
  ]);
});

/** Expects messages that Python's email package reads without a defect. */
async function expectValid(files: readonly string[]): Promise<void> {
  const program = path.join(import.meta.dirname, 'read_mail.py');
  const { code, output } = await runPeer(peers.python3, [program, ...files]);
  expect(code, output).toBe(0);
  const mails = output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(new Set(mails.map(({ messageId }) => messageId)).size).toBe(files.length);
  for (const mail of mails) {
    expect(mail).toMatchObject({
      defects: [],
      from: [from, 'callsheet@example.com'],
      isAscii: true,
      subject: expect.stringContaining('Campañas'),
      text: expect.stringContaining('Campañas'),
      html: expect.stringContaining('<html'),
      attachments: [
        {
          name: expect.stringMatching(/^campañas-[-\d]+\.csv$/),
          type: 'text/csv',
          text: expect.stringMatching(/^\ufeff"account"[\s\S]*[^\p{ASCII}]/u),
        },
      ],
    });
    // Postfix adds headers of its own, which are longer than ours.
    expect(mail.longestLine).toBeLessThanOrEqual(998);
  }
}
