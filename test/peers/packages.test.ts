import { expect, it } from 'vitest';
import { read } from '../deploy/known.ts';
import { type Peer, peers } from '../support/peers.ts';

it('.ci/run installs the Debian package of each program that a test needs', () => {
  const [, list] = /<<'PEERS'\n(.*?)PEERS\n/s.exec(read('.ci/run'))!;
  const installed = list!
    .trim()
    .split('\n')
    .map((line) => line.split(' '));
  const needed = Object.values<Peer>(peers).map(({ program, debian, unpacked }) => [
    program,
    debian,
    ...(unpacked ? ['unpacked'] : []),
  ]);
  expect(installed).toEqual(needed);
});
