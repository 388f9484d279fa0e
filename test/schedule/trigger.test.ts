import { getTasks } from 'node-cron';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { useUtc } from '../../src/config/environment.ts';
import { type Interval, startTrigger, type Trigger } from '../../src/schedule/schedule.ts';
import { createLogger } from '../../src/support/logger.ts';
import { createRedactor } from '../../src/support/redaction.ts';

const logger = createLogger('silent', 'json', createRedactor());
const nightly = { expression: '30 6 * * *', timeZone: 'Europe/Berlin' };

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
  // What is left here would keep a process up.
  expect(getTasks().size).toBe(0);
});

/** Records at which times of the day the trigger resolves, by the clock that the test moves. */
function wakesOf(trigger: Trigger, interval: () => Interval): Set<string> {
  const wakes = new Set<string>();
  const { signal } = new AbortController();
  void (async () => {
    for (;;) {
      await trigger.next(interval(), signal);
      wakes.add(new Date().toISOString().slice(11, 19));
    }
  })();
  return wakes;
}

describe('the trigger', () => {
  it('wakes at the scheduled time of its zone and on each minute', async () => {
    vi.useFakeTimers({ now: new Date('2026-11-21T05:28:30.5Z') });
    using trigger = startTrigger({ ...nightly, expression: '15 30 6 * * *' }, logger);
    const wakes = wakesOf(trigger, () => 'minute');
    await vi.advanceTimersByTimeAsync(180_000);
    expect([...wakes]).toEqual(['05:29:00', '05:30:00', '05:30:15', '05:31:00']);
  });

  it('wakes every five seconds as long as the caller wants it', async () => {
    vi.useFakeTimers({ now: new Date('2026-11-21T05:29:48Z') });
    using trigger = startTrigger(nightly, logger);
    const wakes = wakesOf(trigger, () => (Date.now() % 3_600_000 < 1_805_000 ? 'five seconds' : 'minute'));
    await vi.advanceTimersByTimeAsync(90_000);
    expect([...wakes]).toEqual(['05:29:50', '05:29:55', '05:30:00', '05:30:05', '05:31:00']);
  });

  it('wakes within a minute of a suspended machine’s waking', async () => {
    vi.useFakeTimers({ now: new Date('2026-11-21T07:00:10Z') });
    using trigger = startTrigger(nightly, logger);
    const wakes = wakesOf(trigger, () => 'minute');
    // Clocks went on, and timers stood still.
    vi.setSystemTime(new Date('2026-11-24T09:00:00Z'));
    await vi.advanceTimersByTimeAsync(59_000);
    expect([...wakes]).toEqual(['09:00:50']);
  });

  it('wakes every minute while the clocks of the machine repeat an hour', async () => {
    vi.stubEnv('TZ', 'America/New_York');
    expect(new Date('2026-11-01T06:00:00Z').getHours()).toBe(1);
    useUtc();
    vi.useFakeTimers({ now: new Date('2026-11-01T05:58:30Z') });
    using trigger = startTrigger(nightly, logger);
    const wakes = wakesOf(trigger, () => 'minute');
    await vi.advanceTimersByTimeAsync(240_000);
    expect([...wakes]).toEqual(['05:59:00', '06:00:00', '06:01:00', '06:02:00']);
  });

  it('wakes immediately after a run during which its time passed', async () => {
    vi.useFakeTimers({ now: new Date('2026-11-21T05:29:30Z') });
    using trigger = startTrigger(nightly, logger);
    await vi.advanceTimersByTimeAsync(45_000);
    const wakes = wakesOf(trigger, () => 'minute');
    await vi.advanceTimersByTimeAsync(1_000);
    expect([...wakes]).toEqual(['05:30:15']);
  });

  it('resolves when the signal is aborted, before and while it waits', async () => {
    using trigger = startTrigger(nightly, logger);
    const stop = new AbortController();
    const waiting = trigger.next('five seconds', stop.signal);
    stop.abort();
    await waiting;
    await trigger.next('minute', stop.signal);
  });
});
