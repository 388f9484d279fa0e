import { expect, it } from 'vitest';
import type { ActiveAlert } from '../../../src/model/alert.ts';
import { statusLine } from '../../../src/server/page/status-line.ts';
import { account, diagnosed, lastRun, message } from '../../planning/diagnosis/states.ts';

const loaded = (completeThrough: string | null) => ({ completeThrough });
const status = (alerts: readonly ActiveAlert[], ...accounts: { completeThrough: string | null }[]) =>
  Object.values(statusLine({ alerts: [...alerts], accounts: accounts as never }));

it('is good if nothing needs anybody, and shows the earliest of the accounts’ last days', () => {
  expect(status(diagnosed({}), loaded('2026-11-19'), loaded('2026-11-18'))).toEqual([
    'good',
    'All good: every day is loaded through Wed 18 Nov.',
  ]);
  const note = account({ suspicious: [{ day: '2026-11-20', reason: 'no calls', detail: null }] });
  expect(status(diagnosed({ accounts: [note] }), loaded('2026-11-20'))[0]).toBe('good');
});

it('is bad with an error: it names the first two alerts, and how many more there are', () => {
  const accounts = [
    account({ missing: ['2026-11-18', '2026-11-19'] }),
    account({ name: 'north', held: ['2026-11-20'] }),
  ];
  const deliveries = [message()];
  const alerts = diagnosed({ accounts, deliveries, lastRun: lastRun({ state: 'interrupted' }) });
  expect(status(alerts)).toEqual([
    'bad',
    "Campaigns of 2026-11-20 to ana@example.com: refused, coast: 2026-11-18, 2026-11-19 aren't loaded and 2 more.",
  ]);
});

it('needs attention with a warning alone', () => {
  const alerts = diagnosed({ accounts: [account({ held: ['2026-11-20'] })] });
  expect(status(alerts)).toEqual(['attention', 'Coast: a response for 2026-11-20 is held.']);
});

it('of a new installation says that there was no run yet', () => {
  const alerts = diagnosed({ accounts: [], lastRun: null });
  expect(status(alerts)).toEqual(['attention', 'No nightly run yet.']);
});
