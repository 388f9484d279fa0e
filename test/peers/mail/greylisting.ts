import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';

/**
 * A policy server, as Postfix asks one before it accepts a recipient (its SMTPD_POLICY_README): lines `name=value` and an
 * empty one, answered by an action and an empty line. It puts off mail to `grey@…` until `end` is called.
 */
export async function startGreylisting() {
  let isOver = false;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}));
    let isGrey = false;
    createInterface(socket).on('line', (line) => {
      if (line.startsWith('recipient=')) isGrey = line.startsWith('recipient=grey@');
      if (line !== '') return;
      const action = isGrey && !isOver ? 'defer_if_permit greylisted, try again later' : 'dunno';
      socket.write(`action=${action}\n\n`);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    end: () => {
      isOver = true;
    },
    stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
