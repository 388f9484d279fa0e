import { afterAll, describe, expect, it } from 'vitest';
import { healed, openProxied, unavailable } from './proxied.ts';
import { closeIdle, cut, dribble, pass, reset, stall, startTcpProxy } from './tcp-proxy.ts';

const { nginx, run, close } = await openProxied((service) => ({
  shared: '',
  places: { open: `location / { proxy_pass http://${service}; }` },
}));
afterAll(close);

const port = nginx.ports.open;
const lost = /closes the connection to https:.* before its response is complete \([A-Z_]+\): wait: /;
const late = /sent no complete response within 1000 ms on any attempt: wait: /;

// The handshake takes nginx some 900 bytes, and no response is shorter than 400.
describe('over a connection that', () => {
  it.each([
    ['is cut before TLS', cut(0), lost],
    ['is cut within TLS', cut(100), lost],
    ['is cut within a response', cut(1_200), lost],
    ['is reset before TLS', reset(0), lost],
    ['is reset within a response', reset(1_200), lost],
    ['stalls within a response', stall(1_200), late],
    ['dribbles', dribble(20, 50), late],
  ])('%s, a run ends with a line on it, or is healed where it passes', async (_, fate, problem) => {
    const settings = { REQUEST_TIMEOUT: '1s' };
    {
      await using always = await startTcpProxy(port, () => fate);
      expect(await run(always.port, settings)).toEqual(unavailable(problem));
    }
    await using passing = await startTcpProxy(port, (nth) => (nth <= 3 ? fate : pass));
    expect(await run(passing.port, { ...settings, RETRIES: '4' })).toEqual(healed);
    expect(passing.connections()).toBeGreaterThan(3);
  });

  it('dribbles, but in time, a run loads its day', async () => {
    await using slow = await startTcpProxy(port, () => dribble(300, 5));
    expect(await run(slow.port)).toEqual(healed);
  });

  it('is closed whenever it is idle, a run loads its day', async () => {
    await using impatient = await startTcpProxy(port, () => closeIdle(10));
    expect(await run(impatient.port, { RETRIES: '4', CONCURRENCY: '1' })).toEqual(healed);
    expect(impatient.connections()).toBeGreaterThan(1);
  });
});
