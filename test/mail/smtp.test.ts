import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterAll, describe, expect, it } from 'vitest';
import { addressed, buildMime, newMessageId } from '../../src/mail/message.ts';
import { createSmtpMailer, type SmtpTimeouts } from '../../src/mail/smtp.ts';
import { createRedactor } from '../../src/support/redaction.ts';
import { type Fate, type SmtpStage, smtpStages, startSmtpProxy } from '../support/smtp-proxy.ts';
import { smtpUrl, startSmtpServer, type TestSmtpOptions } from '../support/smtp-server.ts';

const closing: (() => unknown)[] = [];
afterAll(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const longTimeouts: SmtpTimeouts = {
  connection: 600_000,
  greeting: 600_000,
  reply: 600_000,
  finalReply: 600_000,
  quit: 600_000,
};
const shortTimeouts: SmtpTimeouts = {
  connection: 2_000,
  greeting: 2_000,
  reply: 2_000,
  finalReply: 100,
  quit: 100,
};
const never = new AbortController().signal;

type Fates = (stage: SmtpStage) => Fate | Promise<Fate>;

async function open(serverOptions: TestSmtpOptions, at?: Fates) {
  const server = await startSmtpServer({ plain: at !== undefined, ...serverOptions });
  closing.push(server.close);
  return at === undefined ? server : Object.assign(server, { url: (await before(server.port, at)).url });
}

/** A proxy before a server. */
async function before(port: number, at: Fates) {
  const proxy = await startSmtpProxy(port, at);
  closing.push(proxy.close);
  return proxy;
}

/** A server that says nothing but what a message needs, and the proxy that hears all of it. */
async function openProxied(serverOptions: TestSmtpOptions = {}, at: Fates = () => 'pass') {
  const server = await open({ plain: true, ...serverOptions });
  return { server, proxy: await before(server.port, at) };
}

function mailerTo(url: string, timeouts = longTimeouts) {
  const mailer = createSmtpMailer(url, from, createRedactor(), timeouts);
  closing.push(mailer.close);
  const message = (recipient: string, size: number) => ({
    from,
    recipient,
    name: 'x',
    mime: `Subject: to ${recipient}\r\n\r\n${'x'.repeat(70).concat('\r\n').repeat(size)}`,
  });
  return {
    ...mailer,
    async send(recipient = 'ana@example.com', signal = never, size = 1) {
      return (await mailer.reach(signal)) ?? (await mailer.send(message(recipient, size), signal));
    },
  };
}

const from = 'Callsheet <callsheet@example.com>';
const envelope = (to: string) => ({
  date: Temporal.Instant.from('2026-03-03T06:30:00Z'),
  from,
  replyTo: null,
  to: [to],
  messageId: newMessageId(from),
  list: null,
});

it('writes the domain of an address as DNS has it', async () => {
  const server = await open({});
  const mailer = createSmtpMailer(server.url, from, createRedactor());
  const recipient = 'ana@Exämple.com';
  await mailer.reach(never);
  await mailer.send(
    { from: 'Ops <ops@exämple.com>', recipient, mime: addressed('', envelope(recipient)), name: 'x' },
    never,
  );
  mailer.close();
  expect(server.received).toMatchObject([
    {
      from: 'ops@exämple.com',
      // Not ana@Exämple.com: this server decodes a domain that came as xn--exmple-cua.com.
      to: ['ana@exämple.com'],
      raw: expect.stringContaining('To: <ana@xn--exmple-cua.com>'),
    },
  ]);
});

it('sends a message unchanged, over TLS', async () => {
  const server = await open({});
  const mime = await buildMime({ subject: 'Hällo 🐣', text: 'Hällo' });
  const mailer = createSmtpMailer(server.url, from, createRedactor());
  expect(await mailer.reach(never)).toBeNull();
  const message = addressed(mime, envelope('ana@example.com'));
  const outcome = await mailer.send({ from, recipient: 'ana@example.com', mime: message, name: 'x' }, never);
  mailer.close();
  expect(outcome.state).toBe('sent');
  const { raw, secure } = server.received.at(-1)!;
  expect(secure).toBe(true);
  expect(raw.trimEnd()).toBe(message.trimEnd());
});

describe('a session', () => {
  it('says what its messages need and no more, and ends by QUIT', async () => {
    const { server, proxy } = await openProxied();
    const mailer = mailerTo(proxy.url);
    const outcomes = [await mailer.send(), await mailer.send()];
    mailer.close();
    await proxy.left();
    expect(outcomes).toEqual(
      outcomes.map(() => ({ state: 'sent', reply: '250 OK: message queued', step: null, code: null })),
    );
    expect(server.received).toHaveLength(2);
    const message = ['MAIL', 'RCPT', 'DATA'];
    expect(proxy.commands).toEqual(['EHLO', 'AUTH', ...message, ...message, 'QUIT']);
  });

  it('ends even if nobody replies to QUIT', async () => {
    const { proxy } = await openProxied({}, only('QUIT', 'silence'));
    const mailer = mailerTo(proxy.url, { ...longTimeouts, quit: 1 });
    await mailer.send();
    mailer.close();
    await proxy.left();
    expect(proxy.commands.at(-1)).toBe('QUIT');
  });

  it.each<[string, Fate]>([
    ['refuses', { reply: '500 what?' }],
    ['hangs up at', 'drop'],
  ])('whose server %s RSET after a refused recipient carries no other message', async (_, fate) => {
    const refusesFirst = (address: string) =>
      address === 'gone@example.com' ? '550 5.1.1 No such user' : null;
    const { server, proxy } = await openProxied({ onRecipient: refusesFirst }, only('RSET', fate));
    const mailer = mailerTo(proxy.url);
    expect((await mailer.send('gone@example.com')).state).toBe('failed');
    expect((await mailer.send('ana@example.com')).state).toBe('sent');
    expect(server.connections).toBe(2);
  });

  it('logs in where it has a login and the server wants one', async () => {
    const withoutLogin = (url: string) => url.replace(/\/\/.*@/, '//');
    const wantsNone = await open({ plain: true, offers: { authOptional: true } });
    expect((await mailerTo(withoutLogin(wantsNone.url)).send()).state).toBe('sent');
    const knowsNone = await open({ plain: true, offers: { disabledCommands: ['AUTH', 'STARTTLS'] } });
    expect((await mailerTo(knowsNone.url).send()).state).toBe('sent');
    const wantsOne = await open({ plain: true });
    expect(await mailerTo(withoutLogin(wantsOne.url)).send()).toMatchObject({
      state: 'failed',
      step: 'sender',
      code: 530,
    });
  });

  it('with tls=optional goes on in the clear where STARTTLS fails, without its password', async () => {
    const { server, proxy } = await openProxied(
      { offers: { disabledCommands: [], authOptional: true } },
      only('STARTTLS', { reply: '454 TLS not available' }),
    );
    const url = proxy.url.replace('127.0.0.1', '0.0.0.0');
    expect(await mailerTo(`${url}?tls=optional`).send()).toMatchObject({ state: 'sent' });
    expect(proxy.commands).toEqual(['EHLO', 'STARTTLS', 'MAIL', 'RCPT', 'DATA']);
    expect(server.received).toMatchObject([{ secure: false }]);
  });

  it('is tried by doctor, which reports how the server responds', async () => {
    const responds = async (url: string) => await mailerTo(url).verify();
    const { port, url } = await open({});
    expect(await responds(url)).toBe(`127.0.0.1:${port} responds on this machine and logged in`);
    expect(await responds(`${smtpUrl(port, '0.0.0.0')}?tls=optional`)).toBe(
      `0.0.0.0:${port} responds with TLS if it has it and logged in`,
    );
    const smtps = await open({ smtps: true, offers: { authOptional: true } });
    expect(await responds(`smtps://127.0.0.1:${smtps.port}`)).toBe(
      `127.0.0.1:${smtps.port} responds over TLS without a login`,
    );
    const withoutLogin = await open({ offers: { disabledCommands: ['AUTH'], authOptional: true } });
    expect(await responds(withoutLogin.url)).toMatch(
      / responds on this machine and offers no login: user and /,
    );
  });
});

it('greets with the domain of the sender, or with the name that the address gives', async () => {
  const greetings: string[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.write('220 relay\r\n');
    socket.on('data', (data) => {
      greetings.push(data.toString().trim());
      socket.end('421 no\r\n');
    });
  }).listen(0, '127.0.0.1');
  closing.push(() => server.close());
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  await mailerTo(`smtp://127.0.0.1:${port}`).send();
  await mailerTo(`smtp://127.0.0.1:${port}?name=mail.example.net`).send();
  expect(greetings).toEqual(['EHLO example.com', 'EHLO mail.example.net']);
});

it('says which scheme a server wants that answers smtps without TLS', async () => {
  const plain = await open({ plain: true });
  await expect(mailerTo(`smtps://127.0.0.1:${plain.port}`).verify()).rejects.toThrow(
    /use smtp:\/\/ in SMTP_URL/,
  );
});

it('says which scheme a server wants that starts with TLS, on any port', async () => {
  const smtps = await open({ smtps: true });
  const advice = `port ${smtps.port} starts with TLS; use smtps:// in SMTP_URL`;
  // On a busy machine, a handshake may take longer than the timeout.
  let error = '';
  for (let greeting = 500; !error.endsWith(advice); greeting *= 2)
    error = await mailerTo(smtpUrl(smtps.port), { ...longTimeouts, greeting })
      .verify()
      .catch(({ message }) => message);
  expect(error).toBe(`the server sent no greeting in time: ${advice}`);
});

/** One stage meets its fate; all others pass. */
const only = (stage: SmtpStage, fate: Fate) => (now: SmtpStage) => (now === stage ? fate : 'pass');

const garbage = `\0\u001b[2J\r${'x'.repeat(9_000)}`;

it.each<[string, TestSmtpOptions, string]>([
  ['a recipient', { onRecipient: () => `550 5.1.1 ${garbage}` }, 'failed'],
  ['a message', { onMessage: () => garbage }, 'sent'],
])(
  'of a reply to %s, only the beginning is kept, and no control characters',
  async (_, serverOptions, state) => {
    const server = await open(serverOptions);
    expect(await mailerTo(server.url).send()).toMatchObject({
      state,
      reply: expect.stringMatching(/^[^\p{Cc}]{2000}$/u),
    });
  },
);

describe('a server that refuses', () => {
  it('one recipient gets the messages of the others in the same session', async () => {
    const server = await open({
      onRecipient: (address) =>
        address === 'gone@example.com'
          ? '550 5.1.1 No such user'
          : address === 'late@example.com'
            ? '450 wait'
            : null,
    });
    const mailer = mailerTo(server.url);
    const states = [];
    for (const name of ['ana', 'gone', 'ben', 'late', 'cleo'])
      states.push((await mailer.send(`${name}@example.com`)).state);
    expect(states).toEqual(['sent', 'failed', 'sent', 'failed', 'sent']);
    expect(server.received.map(({ to }) => to)).toEqual([
      ['ana@example.com'],
      ['ben@example.com'],
      ['cleo@example.com'],
    ]);
    expect(server.connections).toBe(1);
  });
});

describe.concurrent('a server that stops responding or closes the connection', () => {
  const before = ['greeting', 'MAIL', 'RCPT', 'DATA'] as const;
  const after = ['body', 'dot', 'reply'] as const;

  it.each(before)('at %s, before it could have the message: failed, and tried again later', async (stage) => {
    for (const fate of ['silence', 'drop'] as const) {
      const server = await open({}, only(stage, fate));
      const outcome = await mailerTo(server.url, fate === 'silence' ? shortTimeouts : longTimeouts).send();
      expect(outcome, fate).toMatchObject({ state: 'failed', step: 'connection', code: null });
      expect(server.received).toEqual([]);
    }
  });

  it.each(after)('at %s, once it may have the message: unknown, whether it has it or not', async (stage) => {
    const dropping = await open({}, only(stage, 'drop'));
    expect(await mailerTo(dropping.url).send()).toMatchObject({ state: 'unknown', code: null });
    const { received, outcome } = await sendIntoSilence(stage);
    expect(outcome).toMatchObject({ state: 'unknown', code: null });
    for (const each of [dropping.received, received]) expect(each).toHaveLength(stage === 'reply' ? 1 : 0);
  });

  /** On a busy machine an earlier stage may take longer than the timeout: then the next one is twice as long. */
  async function sendIntoSilence(stage: SmtpStage) {
    for (let reply = 500; ; reply *= 2) {
      let isReached = false;
      const { url, received } = await open({}, (now) => {
        isReached ||= now === stage;
        return only(stage, 'silence')(now);
      });
      const outcome = await mailerTo(url, { ...longTimeouts, reply }).send();
      if (isReached) return { received, outcome };
    }
  }

  it('in the middle of a large message: failed, for its final dot was never sent', async () => {
    const server = await open({}, only('body', 'drop'));
    const outcome = await mailerTo(server.url).send('ana@example.com', never, 1_000_000);
    expect(outcome).toMatchObject({ state: 'failed', step: 'connection' });
    expect(server.received).toEqual([]);
  });

  it('between two messages is connected to again', async () => {
    const server = await open({}, (stage) => (stage === 'MAIL' && ++mails === 2 ? 'drop' : 'pass'));
    let mails = 0;
    const mailer = mailerTo(server.url);
    expect((await mailer.send()).state).toBe('sent');
    expect(await mailer.send()).toMatchObject({ state: 'failed', step: 'connection' });
    expect((await mailer.send()).state).toBe('sent');
    expect(server.connections).toBe(2);
  });
});

describe('an interruption', () => {
  it.each(smtpStages)(
    'at %s ends the attempt, and records whether the message may have gone out',
    async (stage) => {
      const interruption = new AbortController();
      const server = await open({}, (now) => {
        if (now === stage) interruption.abort(new Error('SIGTERM'));
        return now === stage ? 'silence' : 'pass';
      });
      const mayBeOut = ['body', 'dot', 'reply'].includes(stage);
      const timeouts = { ...longTimeouts, finalReply: mayBeOut ? 1 : longTimeouts.finalReply };
      const outcome = await mailerTo(server.url, timeouts).send('ana@example.com', interruption.signal);
      expect(outcome).toMatchObject({
        state: mayBeOut ? 'unknown' : 'failed',
        reply: expect.stringContaining('interrupted'),
      });
    },
  );

  it('before an attempt ends it, whether a session is open or not', async () => {
    const { server, proxy } = await openProxied();
    const mailer = mailerTo(proxy.url);
    const failed = { state: 'failed', step: 'connection', code: null };
    const interrupted = AbortSignal.abort();
    expect(await mailer.send('ana@example.com', interrupted)).toEqual({
      ...failed,
      reply: 'interrupted before the server was reached',
    });
    expect(await mailer.reach(never)).toBeNull();
    expect(await mailer.send('ana@example.com', interrupted)).toEqual({
      ...failed,
      reply: 'interrupted while sending',
    });
    expect(server.received).toEqual([]);
  });

  it('waits for the reply to a whole message', async () => {
    const interruption = new AbortController();
    const server = await open({}, async (stage): Promise<Fate> => {
      if (stage !== 'reply') return 'pass';
      interruption.abort();
      return 'pass';
    });
    const mailer = createSmtpMailer(server.url, from, createRedactor());
    closing.push(mailer.close);
    await mailer.reach(interruption.signal);
    const message = { from, recipient: 'ana@example.com', name: 'x', mime: 'Subject: x\r\n\r\n' };
    expect((await mailer.send(message, interruption.signal)).state).toBe('sent');
  });
});

// The address 0.0.0.0 reaches this machine without being taken for it: as strict as with any server.
describe('a server that is not this machine', () => {
  it('and offers no STARTTLS gets neither password nor message, unless tls=optional', async () => {
    const server = await open({ plain: true });
    const strict = await mailerTo(smtpUrl(server.port, '0.0.0.0')).send();
    expect(strict).toMatchObject({ state: 'failed', reply: expect.stringMatching(/STARTTLS/) });
    expect((await mailerTo(`${smtpUrl(server.port, '0.0.0.0')}?tls=optional`).send()).state).toBe('sent');
    expect(server.received).toMatchObject([{ secure: false }]);
  });

  it('and has a certificate that no authority signed gets nothing either, and the reply says what to set', async () => {
    const server = await open({});
    const outcome = await mailerTo(smtpUrl(server.port, '0.0.0.0')).send();
    expect(outcome).toMatchObject({
      state: 'failed',
      step: 'tls',
      reply: expect.stringMatching(/self-signed certificate.*NODE_EXTRA_CA_CERTS/),
    });
    expect((await mailerTo(`${smtpUrl(server.port, '0.0.0.0')}?tls=optional`).send()).state).toBe('sent');
    expect(server.received).toMatchObject([{ secure: true }]);
  });
});

describe('no server', () => {
  it('listens, or has that name: failed, and tried again later', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as { port: number };
    taken.close();
    await once(taken, 'close');
    const refused = await mailerTo(smtpUrl(port)).send();
    expect(refused).toMatchObject({
      state: 'failed',
      step: 'connection',
      reply: expect.stringMatching(/ECONNREFUSED/),
    });
    const unknown = await mailerTo('smtp://mail.invalid').send();
    expect(unknown).toMatchObject({
      state: 'failed',
      step: 'connection',
      reply: expect.stringMatching(/mail\.invalid/),
    });
    await expect(createSmtpMailer(smtpUrl(port), from, createRedactor()).verify()).rejects.toThrow(
      /ECONNREFUSED/,
    );
  });
});
