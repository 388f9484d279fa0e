import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';

export type ReceivedMail = {
  readonly from: string;
  readonly to: readonly string[];
  readonly raw: string;
  readonly secure: boolean;
};

export type TestSmtpServer = {
  /** With user and password. */
  readonly url: string;
  readonly received: readonly ReceivedMail[];
  close(): Promise<void>;
};

/** A real SMTP server on loopback that demands STARTTLS and AUTH; `refuse` names recipients it won't take. */
export async function startSmtpServer({ refuse = [] as readonly string[] } = {}): Promise<TestSmtpServer> {
  const received: ReceivedMail[] = [];
  const server = new SMTPServer({
    authMethods: ['PLAIN', 'LOGIN'],
    onAuth({ username, password }, _session, done) {
      if (username === 'digest' && password === 'p@ss word') done(null, { user: username });
      else done(new Error('535 Authentication failed'));
    },
    onRcptTo({ address }, _session, done) {
      if (!refuse.includes(address)) return done();
      done(Object.assign(new Error('No such user'), { responseCode: 550 }));
    },
    onData(stream, session, done) {
      text(stream).then((raw) => {
        const { mailFrom, rcptTo } = session.envelope;
        const from = mailFrom ? mailFrom.address : '';
        received.push({ from, to: rcptTo.map(({ address }) => address), raw, secure: session.secure });
        done();
      }, done);
    },
  });
  server.on('error', () => {});
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `smtp://digest:p%40ss%20word@127.0.0.1:${port}`,
    received,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
