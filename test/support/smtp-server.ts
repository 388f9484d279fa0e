import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

type ReceivedMail = {
  readonly from: string;
  readonly to: readonly string[];
  readonly raw: string;
  readonly secure: boolean;
};

export type TestSmtpServer = {
  readonly url: string;
  readonly port: number;
  readonly received: readonly ReceivedMail[];
  readonly connections: number;
  close(): Promise<void>;
};

export type TestSmtpOptions = {
  /** The reply that refuses a recipient, such as `550 No such user`; null accepts the recipient. */
  readonly onRecipient?: (address: string) => string | null;
  readonly onRefusedLogin?: (username: string, password: string) => string;
  readonly onMessage?: () => string;
  /** Without TLS and pipelining, for a proxy. */
  readonly plain?: boolean;
  readonly smtps?: boolean;
  readonly offers?: Pick<SMTPServerOptions, 'disabledCommands' | 'authOptional'>;
};

const certificate = readFileSync(path.join(import.meta.dirname, 'smtp-certificate.pem'));

const plainOptions: SMTPServerOptions = {
  disabledCommands: ['STARTTLS'],
  allowInsecureAuth: true,
  hidePIPELINING: true,
};

/** Starts an SMTP server on loopback that requires AUTH and, unless `plain`, STARTTLS. Its certificate is self-signed. */
export async function startSmtpServer({
  onRecipient = () => null,
  onRefusedLogin = () => '535 Authentication failed',
  onMessage = () => 'OK: message queued',
  plain = false,
  smtps = false,
  offers = {},
}: TestSmtpOptions = {}): Promise<TestSmtpServer> {
  const received: ReceivedMail[] = [];
  let connections = 0;
  const server = new SMTPServer({
    key: certificate,
    cert: certificate,
    authMethods: ['PLAIN', 'LOGIN'],
    secure: smtps,
    ...(plain && plainOptions),
    ...offers,
    onConnect(_session, done) {
      connections++;
      done();
    },
    onAuth({ username, password }, _session, done) {
      if (username === 'digest' && password === 'p@ss word') done(null, { user: username });
      else done(new Error(onRefusedLogin(username ?? '', password ?? '')));
    },
    onRcptTo({ address }, _session, done) {
      const refusal = onRecipient(address);
      done(refusal === null ? null : errorOf(refusal));
    },
    onData(stream, session, done) {
      text(stream).then((raw) => {
        const { mailFrom, rcptTo } = session.envelope;
        const from = mailFrom ? mailFrom.address : '';
        received.push({ from, to: rcptTo.map(({ address }) => address), raw, secure: session.secure });
        done(null, onMessage());
      }, done);
    },
  });
  server.on('error', () => {});
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const { port } = server.server.address() as AddressInfo;
  return {
    url: smtpUrl(port),
    port,
    received,
    get connections() {
      return connections;
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

function errorOf(reply: string): Error {
  const [code, ...words] = reply.split(' ');
  return Object.assign(new Error(words.join(' ')), { responseCode: Number(code) });
}

export const smtpUrl = (port: number, host = '127.0.0.1') => `smtp://digest:p%40ss%20word@${host}:${port}`;
