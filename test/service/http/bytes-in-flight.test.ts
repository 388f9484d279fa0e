import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createBytesInFlight } from '../../../src/service/http/bytes-in-flight.ts';
import { account } from '../account.ts';
import { connect, day, startRawServer } from '../raw-server.ts';

const megabyte = 1_000_000;

describe('responses of which there are too many bytes', () => {
  it('wait until older ones are released, and the oldest is always read on', async () => {
    const bytes = createBytesInFlight();
    const [first, second, third] = [bytes.hold(), bytes.hold(), bytes.hold()];
    await second.add(5 * megabyte);
    await first.add(50 * megabyte);
    const waiting = [second.add(megabyte), third.add(1)];
    await delay(0);
    expect([second.isWaiting, third.isWaiting]).toEqual([true, true]);
    await first.add(megabyte);
    first.release();
    await Promise.all(waiting);
    expect([second.isWaiting, third.isWaiting]).toEqual([false, false]);
  });

  it('count no longer once they are released, even twice', async () => {
    const bytes = createBytesInFlight();
    const [first, second] = [bytes.hold(), bytes.hold()];
    await first.add(7 * megabyte);
    first.release();
    first.release();
    await second.add(7 * megabyte);
    const third = bytes.hold();
    const waiting = third.add(2 * megabyte);
    await delay(0);
    expect(third.isWaiting).toBe(true);
    second.release();
    await waiting;
  });

  it('take longer than REQUEST_TIMEOUT without an error, and are all read, in one-byte chunks, too', async () => {
    const campaign = {
      callsetid: 1,
      campaign: 'x'.repeat(60_000),
      attempts: 1,
      busies: 0,
      connects: 1,
      liveanswers: 1,
    };
    const result = Array.from({ length: 100 }, (_, index) => ({ ...campaign, callsetid: index }));
    const large = Buffer.from(JSON.stringify({ campaigns: 100, reports: 100, result }));
    await using server = await startRawServer(
      Array.from({ length: 2 }, () => async (_, response) => {
        for (const byte of large.subarray(0, 2_000)) response.write(Buffer.of(byte));
        response.end(large.subarray(2_000));
      }),
    );
    const service = connect(
      server.url,
      { requestTimeoutMs: 4_000, retries: 0 },
      { bytesInFlight: createBytesInFlight() },
    );
    const read = async () => {
      using summary = await service.summarizeCampaigns(account, day);
      // As if it were loaded meanwhile.
      await delay(4_200);
      return summary.records.length;
    };
    expect(await Promise.all([read(), read()])).toEqual([100, 100]);
  });
});
