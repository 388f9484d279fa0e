import { once } from 'node:events';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { createFolderMailer } from '../../src/mail/folder.ts';
import { createSmtpMailer } from '../../src/mail/smtp.ts';
import { exitCode } from '../../src/model/exit-code.ts';
import { createRedactor } from '../../src/support/redaction.ts';
import { callsheet } from '../support/callsheet.ts';
import { startSmtpProxy } from '../support/smtp-proxy.ts';
import { smtpUrl, startSmtpServer, type TestSmtpOptions } from '../support/smtp-server.ts';
import { mailsLongAgo, openWorld, type World } from '../support/world.ts';

const worlds: World[] = [];
afterAll(() => Promise.all(worlds.map((world) => world.close())));

const never = new AbortController().signal;
const message = (recipient = 'ana@example.com') => ({
  from: 'callsheet@example.com',
  recipient,
  name: 'x',
  mime: 'Subject: x\r\n\r\nx\r\n',
});

const garbage = `\0\u001b[2J\r${'x'.repeat(2_000)}`;

describe('a reply of control characters and of any length', () => {
  it.each<[string, TestSmtpOptions, string, number]>([
    ['to a recipient refuses that message alone', { onRecipient: () => `550 ${garbage}` }, 'refused', 0],
    ['to a message leaves it sent, once', { onMessage: () => garbage }, 'sent', 1],
  ])('%s', async (_, serverOptions, state, received) => {
    const world = await openWorld();
    worlds.push(world);
    const smtp = await startSmtpServer(serverOptions);
    onTestFinished(smtp.close);
    const environment = {
      ...world.environment,
      ...(await mailsLongAgo(world)),
      SMTP_URL: smtp.url,
      DIGEST_FROM: 'callsheet@example.com',
    };
    for (let run = 0; run < 2; run++) {
      const { code } = await callsheet(['run', '--day', '2026-03-02'], environment);
      expect([exitCode.done, exitCode.runAgain]).toContain(code);
    }
    const [delivery] = await world.query<{ state: string; reply: string }>(
      'select state, reply from etl.deliveries',
    );
    expect(delivery).toMatchObject({ state, reply: expect.stringMatching(/^[^\p{Cc}]{100,600}$/u) });
    expect(smtp.received).toHaveLength(received);
  });
});

describe('a message that is too big for the server', () => {
  it.each(['MAIL', 'DATA', 'reply'] as const)(
    'is refused at %s in words that name the setting',
    async (stage) => {
      const server = await startSmtpServer({ plain: true });
      const proxy = await startSmtpProxy(server.port, (now) =>
        now === stage ? { reply: '552 5.3.4 too big' } : 'pass',
      );
      const mailer = createSmtpMailer(proxy.url, createRedactor());
      expect(await mailer.reach(never)).toBeNull();
      const outcome = await mailer.send(message(), never);
      mailer.close();
      expect(outcome).toMatchObject({
        state: 'refused',
        retryable: false,
        reply: expect.stringMatching(/552 5\.3\.4 too big: lower DIGEST_MAX_MB/),
      });
      await proxy.close();
      await server.close();
    },
  );

  it('is told apart from a mailbox that is full', async () => {
    const server = await startSmtpServer({ onRecipient: () => '552 mailbox full' });
    const mailer = createSmtpMailer(server.url, createRedactor());
    await mailer.reach(never);
    expect((await mailer.send(message(), never)).reply).not.toContain('DIGEST_MAX_MB');
    mailer.close();
    await server.close();
  });
});

/** Passes everything on to a server but, where it is silent, QUIT; resolves with what the client sent once it left. */
async function overhear(port: number, silent: boolean) {
  const heard = Promise.withResolvers<string>();
  const listener = createServer((client) => {
    const upstream = connect(port, '127.0.0.1');
    let sent = '';
    client.on('data', (chunk) => {
      sent += chunk;
      if (!(silent && sent.includes('QUIT'))) upstream.write(chunk);
    });
    client.on('error', () => {});
    client.on('close', () => {
      upstream.destroy();
      heard.resolve(sent);
    });
    upstream.pipe(client);
  });
  await once(listener.listen(0, '127.0.0.1'), 'listening');
  const url = smtpUrl((listener.address() as AddressInfo).port);
  return { url, heard: heard.promise, close: () => listener.close() };
}

it.each([
  ['ends with QUIT', false],
  ['ends even if the server doesn’t reply to QUIT', true],
])('a session of several messages %s', async (_, silent) => {
  const server = await startSmtpServer({ plain: true });
  const ear = await overhear(server.port, silent);
  const mailer = createSmtpMailer(ear.url, createRedactor());
  for (const recipient of ['ana@example.com', 'ben@example.com']) {
    expect(await mailer.reach(never)).toBeNull();
    expect(await mailer.send(message(recipient), never)).toMatchObject({ state: 'sent' });
  }
  mailer.close();
  expect(await ear.heard).toMatch(/^QUIT\r\n$/m);
  expect(server.received).toHaveLength(2);
  ear.close();
  await server.close();
});

describe('messages that are written to files', () => {
  const mode = async (file: string) => ((await stat(file)).mode & 0o777).toString(8);

  it('are for their owner alone', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'callsheet-outbox-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const outbox = path.join(folder, 'outbox');
    await createFolderMailer(outbox).send(message(), never);
    expect(await mode(outbox)).toBe('700');
    expect(await mode(path.join(outbox, 'x-ana@example.com.eml'))).toBe('600');
  });

  it('are for their owner alone as previews, too, even where others could read the last one', async () => {
    const world = await openWorld();
    worlds.push(world);
    await callsheet(['run', '--day', '2026-03-02', '--no-digest'], world.environment);
    const folder = path.join(world.folder, 'preview');
    const preview = () =>
      callsheet(['digest', '--day', '2026-03-02', '--preview', folder], world.environment);
    expect(await preview()).toMatchObject({ code: 0 });
    const files = (await readdir(folder)).map((file) => path.join(folder, file));
    expect(files).toHaveLength(4);
    for (const file of files) {
      await rm(file);
      await writeFile(file, '', { mode: 0o644 });
    }
    expect(await preview()).toMatchObject({ code: 0 });
    expect(await mode(folder)).toBe('700');
    for (const file of files) expect(await mode(file)).toBe('600');
  });
});
