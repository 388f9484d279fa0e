import { setImmediate } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createBytesInFlight, type Reservation } from '../../../src/service/http/bytes-in-flight.ts';
import { account } from '../account.ts';
import { connect, day, startRawServer } from '../raw-server.ts';

const megabyte = 1_000_000;

describe('responses of which there are too many bytes', () => {
  it('wait until older ones are released, and the oldest is always read on', async () => {
    const bytes = createBytesInFlight();
    const [first, second, third] = [bytes.reserve(), bytes.reserve(), bytes.reserve()];
    await second.add(5 * megabyte);
    await first.add(50 * megabyte);
    const waiting = [second.add(megabyte), third.add(1)];
    await setImmediate();
    expect([second.isWaiting, third.isWaiting]).toEqual([true, true]);
    await first.add(megabyte);
    first.release();
    await Promise.all(waiting);
    expect([second.isWaiting, third.isWaiting]).toEqual([false, false]);
  });

  it('count no longer once they are released, even twice', async () => {
    const bytes = createBytesInFlight();
    const [first, second] = [bytes.reserve(), bytes.reserve()];
    await first.add(7 * megabyte);
    first.release();
    first.release();
    await second.add(7 * megabyte);
    const third = bytes.reserve();
    const waiting = third.add(2 * megabyte);
    await setImmediate();
    expect(third.isWaiting).toBe(true);
    second.release();
    await waiting;
  });

  it('take longer than REQUEST_TIMEOUT without an error while they wait, in one-byte chunks, too', async () => {
    // Requests have all of the time that they need; the test moves the clock of their timeouts.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const campaign = { attempts: 1, busies: 0, connects: 1, liveanswers: 1, campaign: 'x'.repeat(60_000) };
    const result = Array.from({ length: 100 }, (_, callsetid) => ({ callsetid, ...campaign }));
    const large = Buffer.from(JSON.stringify({ result }));
    await using server = await startRawServer([
      (_, response) => {
        for (const byte of large.subarray(0, 2_000)) response.write(Buffer.of(byte));
        response.end(large.subarray(2_000));
      },
    ]);
    const bytesInFlight = createBytesInFlight();
    const first = bytesInFlight.reserve();
    const reserved: Reservation[] = [];
    const reserve = () => {
      reserved.push(bytesInFlight.reserve());
      return reserved[0]!;
    };
    await first.add(7 * megabyte);
    const service = connect(server.url, { retries: 0 }, { bytesInFlight: { reserve } });
    const summary = service.summarizeCampaigns(account, day);
    while (reserved[0]?.isWaiting !== true) await setImmediate();
    vi.advanceTimersByTime(60_000);
    first.release();
    expect((await summary).records).toHaveLength(100);
  });
});
