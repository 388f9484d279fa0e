import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { smtpUrl } from './smtp-server.ts';

/** Stages of a message: the greeting, commands, the start of the message, its final dot, and the reply to that. */
export const smtpStages = ['greeting', 'MAIL', 'RCPT', 'DATA', 'body', 'dot', 'reply'] as const;

/** Commands of a session that belong to no message. */
const sessionStages = ['STARTTLS', 'AUTH', 'RSET', 'QUIT'] as const;
export type SmtpStage = (typeof smtpStages | typeof sessionStages)[number];

/** Passes the data on, loses it, drops the connection, or sends the client this reply. */
export type Fate = 'pass' | 'silence' | 'drop' | { readonly reply: string };

export type SmtpProxy = {
  readonly url: string;
  /** The commands that clients sent, without arguments: `EHLO`, `MAIL`. */
  readonly commands: readonly string[];
  left(): Promise<void>;
  close(): Promise<void>;
};

/** Starts a proxy before a `plain` test server; `at` decides before anything of a stage passes. */
export async function startSmtpProxy(
  port: number,
  at: (stage: SmtpStage) => Fate | Promise<Fate>,
): Promise<SmtpProxy> {
  const sockets = new Set<Socket>();
  const commands: string[] = [];
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1');
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => sockets.delete(socket));
    }
    follow(client, upstream, at, commands);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: smtpUrl((server.address() as AddressInfo).port),
    commands,
    async left() {
      await Promise.all([...sockets].map((socket) => once(socket, 'close')));
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Relays a session. Data that passed reaches the server, even if the client has died. */
function follow(
  client: Socket,
  upstream: Socket,
  at: (stage: SmtpStage) => Fate | Promise<Fate>,
  commands: string[],
): void {
  let awaited: string = 'greeting';
  let inBody = false;
  const passes = async (stage: string) => {
    if (!isStage(stage)) return true;
    const fate = await at(stage);
    if (fate === 'drop') client.destroy();
    if (typeof fate === 'object') client.write(`${fate.reply}\r\n`);
    return fate === 'pass';
  };
  const fromServer = async () => {
    for await (const chunk of upstream) {
      if (awaited === 'DATA' && chunk.toString('latin1').startsWith('354')) inBody = true;
      const stage = awaited === 'dot' ? 'reply' : awaited === 'greeting' ? 'greeting' : '';
      if (!(await passes(stage))) continue;
      client.write(chunk);
    }
  };
  const fromClient = async () => {
    let buffered = '';
    let begun = false;
    for await (const chunk of client) {
      buffered += chunk.toString('latin1');
      while (!inBody && buffered.includes('\r\n')) {
        const line = buffered.slice(0, buffered.indexOf('\r\n') + 2);
        buffered = buffered.slice(line.length);
        awaited = line.split(/[ \r]/, 1)[0]!.toUpperCase();
        begun = false;
        commands.push(awaited);
        if (await passes(awaited)) upstream.write(line, 'latin1');
      }
      if (!inBody) continue;
      if (!begun && !(await passes('body'))) continue;
      begun = true;
      const end = buffered.indexOf('\r\n.\r\n');
      const message = end < 0 ? buffered.slice(0, -4) : buffered.slice(0, end + 2);
      upstream.write(message, 'latin1');
      buffered = buffered.slice(message.length);
      if (end < 0) continue;
      inBody = false;
      awaited = 'dot';
      buffered = buffered.slice(3);
      if (await passes('dot')) upstream.write('.\r\n');
    }
  };
  const ignore = () => {};
  void fromClient()
    .catch(ignore)
    .then(() => upstream.end());
  void fromServer()
    .catch(ignore)
    .then(() => client.destroy());
}

function isStage(name: string): name is SmtpStage {
  return [...smtpStages, ...sessionStages].some((stage) => stage === name);
}
