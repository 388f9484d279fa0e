import { expect, it } from 'vitest';
import type { ActiveAlert } from '../../../src/model/alert.ts';
import { statusLine } from '../../../src/server/page/status-line.ts';
import type { NewestDigests } from '../../../src/warehouse/queries/digest-history.ts';
import { account, diagnosed, heldDays, message, missingDays } from '../../job/alerts/states.ts';

type Loaded = { completeThrough: string | null };

const status = (alerts: readonly ActiveAlert[], digests: NewestDigests | null, ...accounts: Loaded[]) =>
  Object.values(
    statusLine({
      alerts: [...alerts],
      accounts: accounts as never,
      digests,
      running: null,
      timeZone: 'Europe/Madrid',
    }),
  );

const sent: NewestDigests = {
  every: 'day',
  day: '2026-11-20',
  digests: 1,
  recipients: 2,
  sent: 2,
  written: 0,
  sentAt: '2026-11-21 05:31:00+00',
};

it('is good if nothing needs anybody: it says how the newest digest went, and what is loaded', () => {
  const loaded = [{ completeThrough: '2026-11-20' }, { completeThrough: '2026-11-18' }];
  expect(status(diagnosed({}), sent, ...loaded)).toEqual([
    'good',
    'All good: digest of Fri 20 Nov sent to 2 of 2 at 06:31.',
    'Every day is loaded through Wed 18 Nov.',
  ]);
  const note = [account({ since: '2026-11-16', daysWithoutCampaigns: 5 })];
  expect(status(diagnosed({ accounts: note }), sent, ...loaded)[0]).toBe('good');
});

it('never says that mail was sent where none was', () => {
  const sentence = (digests: NewestDigests | null) =>
    status(diagnosed({}), digests, { completeThrough: '2026-11-20' })[1];
  expect(status(diagnosed({}), null, { completeThrough: '2026-11-20' })).toEqual([
    'good',
    'All good: every day is loaded through Fri 20 Nov.',
    'No digest has been built yet.',
  ]);
  expect(sentence({ ...sent, digests: 3, recipients: 7, sent: 6 })).toBe(
    'All good: every day is loaded through Fri 20 Nov.',
  );
  expect(sentence({ ...sent, written: 2, sentAt: '2026-11-22 05:31:00+00' })).toBe(
    'All good: digest of Fri 20 Nov written to the outbox for 2 of 2 on Sun 22 Nov, 06:31.',
  );
  const sunday = { ...sent, day: '2026-11-22', sentAt: '2026-11-23 05:31:00+00' };
  expect(sentence({ ...sunday, every: 'week' })).toBe(
    'All good: digest of the week of Mon 16 Nov sent to 2 of 2 at 06:31.',
  );
  expect(sentence({ ...sunday, every: 'month', digests: 2 })).toMatch(
    /^All good: 2 digests of Nov 2026 sent/,
  );
  const unsent = { ...sent, sent: 0, sentAt: null };
  expect(status(diagnosed({}), unsent, { completeThrough: '2026-11-20' }).slice(1)).toEqual([
    'All good: every day is loaded through Fri 20 Nov.',
    'Digest of Fri 20 Nov sent to 0 of 2.',
  ]);
});

it('is bad with an error: it names three alerts in brief, counts what is to check, and says what was sent', () => {
  const accounts = [
    account({ days: missingDays('2026-11-18', '2026-11-19') }),
    account({ name: 'north', days: heldDays('2026-11-20') }),
  ];
  const deliveries = [message()];
  const alerts = diagnosed({ accounts, deliveries, clockAheadMs: 3_600_000 });
  expect(status(alerts, sent)).toEqual([
    'bad',
    `2 to do: ${alerts[0]!.subject}; ${alerts[1]!.subject}; 2 to check`,
    'Digest of Fri 20 Nov sent to 2 of 2 at 06:31.',
  ]);
});

it('needs attention with a warning alone, and spells the account as it is', () => {
  const alerts = diagnosed({ accounts: [account({ days: heldDays('2026-11-20') })] });
  expect(status(alerts, null)).toEqual([
    'attention',
    '1 to check: figures kept (coast)',
    'No digest has been built yet.',
  ]);
});

it('of a new installation says that there was no run yet, once one was due', () => {
  const alerts = diagnosed({ accounts: [], lastRun: null, missedTimes: 1 });
  expect(status(alerts, null).slice(0, 2)).toEqual(['bad', '1 to do: no run yet']);
});
