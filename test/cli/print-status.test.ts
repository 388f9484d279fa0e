import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  accountsNeedingAttention,
  describeStatus,
  type Status,
  statusAsJson,
} from '../../src/cli/print-status.ts';

import { resend } from '../../src/job/alerts/conditions/mail.ts';
import { runNow } from '../../src/job/alerts/items.ts';
import type { ActiveAlert } from '../../src/model/alert.ts';

const walk = {
  verdict: 'complete',
  runDate: '2026-11-22',
  reason: null,
  errorCode: null,
  errorStatus: null,
  signs: [],
  completeAt: '2026-11-22 05:30:01.123456+00',
  completeRunDate: '2026-11-22',
  incompleteSince: null,
  incompleteRunDates: 0,
  implausibleMissing: 0,
  implausibleSince: null,
} as const;
const valley = {
  account: 'valley',
  label: 'Valley office',
  timeZone: 'UTC',
  since: '2026-08-01',
  completeThrough: '2026-11-20',
  gaps: ['2026-11-21'],
  held: [],
  provisional: [],
  settling: 3,
  quarantined: 0,
  walk,
} as const;
const coast = { ...valley, account: 'coast', label: 'coast', gaps: [], settling: 0 } as const;
const run = {
  run: 12,
  command: 'run',
  startedAt: '2026-11-22 05:30:00+00',
  finishedAt: '2026-11-22 05:31:00+00',
  retryAt: null,
  isRunning: false,
  outcome: 'partial',
  exitCode: 75,
} as const;
const longCommand = `backfill --from 2026-10-01 --to 2026-10-31 --account 'Valley of the ${'long '.repeat(8)}name'`;
const givenUp = {
  digest: 'Campaigns',
  every: 'day',
  day: '2026-11-20',
  recipient: 'ben@example.com',
  state: 'given_up',
  reply: '550 5.1.1 no such user here',
  step: 'recipient',
  code: 550,
  run: 12,
} as const;
const alert: ActiveAlert = {
  code: 'MAIL_GIVEN_UP',
  key: 'MAIL_GIVEN_UP/recipient/550',
  kind: 'to do',
  severity: 'error',
  subject: 'mail given up (ben@example.com)',
  title: 'Mail given up: ben@example.com, Campaigns of 2026-11-20',
  explanation: 'Since 21 Nov. 550 5.1.1 no such user here. There is no further attempt.',
  since: '2026-11-21',
  accounts: [],
  named: [{ noun: 'recipient', names: ['ben@example.com'] }],
  items: ['2026-11-20'],
  retried: false,
  steps: [{ text: 'Correct the address, or the mail server', command: null }, resend(givenUp)],
  dismissed: false,
};
const status: Status = {
  timeZone: 'Europe/Madrid',
  alerts: [alert],
  accounts: [coast, valley],
  runs: [run, { ...run, run: 11, command: longCommand, outcome: 'done', exitCode: 0 }],
  unsent: [givenUp],
  running: null,
  accepted: [],
  quarantined: [],
};
const resendLine =
  '      npm start -- digest --day 2026-11-20 --digest Campaigns --to ben@example.com --resend';

describe('status', () => {
  it('begins with what needs a run or a person, each thing to do below it, a command on a line of its own', () => {
    expect(describeStatus(status, 80).split('\n\n').slice(0, 2)).toEqual([
      '1 to do: mail given up (ben@example.com)',
      `✕ Mail given up: ben@example.com, Campaigns of 2026-11-20
  Since 21 Nov. 550 5.1.1 no such user here. There is no further attempt.
  → Correct the address, or the mail server.
  → To send it again:
${resendLine}`,
    ]);
  });

  it('shows accounts by label and name, many that are alike in one row, no counts that are 0 for all, and times with offset', () => {
    expect(describeStatus(status, 120)).toContain(`
account                 complete through  not loaded  client list complete
coast                   2026-11-20                 –  2026-11-22
Valley office (valley)  2026-11-20                 1  2026-11-22
`);
    const accounts = [coast, { ...valley, held: ['2026-11-18'], provisional: ['2026-11-17', '2026-11-19'] }];
    expect(describeStatus({ ...status, accounts }, 120)).toContain(`
account                 complete through  not loaded  held  provisional  client list complete
coast                   2026-11-20                 –     –            –  2026-11-22
Valley office (valley)  2026-11-20                 1     1            2  2026-11-22
`);
    const many = Array.from({ length: 80 }, (_, index) => ({
      ...coast,
      account: `${index}`,
      label: `${index}`,
      // Each walk ends in another minute.
      walk: { ...coast.walk, completeAt: `2026-11-22 06:${30 + (index % 30)}:00+01` },
    }));
    expect(describeStatus({ ...status, accounts: [...many, valley] }, 120)).toContain(`
account                 complete through  not loaded  client list complete
0 and 79 more           2026-11-20                 –  2026-11-22
Valley office (valley)  2026-11-20                 1  2026-11-22
`);
  });

  it('never breaks the command of a run: it goes below where there is no room beside', () => {
    expect(describeStatus(status, 80)).toContain(`
run  started                  outcome  exit  command
 12  2026-11-22 06:30 +01:00  partial    75  run
 11  2026-11-22 06:30 +01:00  done        0
      ${longCommand}`);
  });

  it('says nothing of dismissed mail but that it is', () => {
    const text = describeStatus(
      {
        ...status,
        alerts: [{ ...alert, kind: 'note', dismissed: true, explanation: 'Since 21 Nov. Dismissed.' }],
      },
      80,
    );
    expect(text).toMatch(/^All good\. Nothing to do\.\n/);
    expect(text).toContain(`· ${alert.title}\n  Since 21 Nov. Dismissed.\n\nAccounts`);
  });

  it('keeps control characters of names and replies from the terminal', () => {
    const hostile = { ...alert, title: 'a\u001B[2Jb\nc', explanation: 'd\u0007e', steps: [] };
    expect(describeStatus({ ...status, alerts: [hostile] }, 80)).toContain('✕ a [2Jb c\n  d e\n');
  });

  it('has no line wider than the terminal, whatever it is, but for commands and single words', () => {
    const text = fc.lorem({ maxCount: 40 });
    fc.assert(
      fc.property(text, text, fc.integer({ min: 40, max: 160 }), (title, cause, width) => {
        const alerts = [
          { ...alert, title, explanation: cause, steps: [runNow(title), { text: cause, command: null }] },
        ];
        const lines = describeStatus({ ...status, alerts }, width).split('\n');
        // Columns of a table of runs can't get narrower than this.
        const wide = lines.filter((line) => !line.startsWith('      ') && line.length > Math.max(width, 50));
        expect(wide).toEqual([]);
      }),
    );
  });

  it('distinguishes a running run from one that was killed', () => {
    const unfinished = { ...run, finishedAt: null, outcome: null, exitCode: null };
    const runs = [
      { ...unfinished, run: 14, isRunning: true },
      { ...unfinished, run: 13 },
    ];
    const text = describeStatus({ ...status, runs }, 80);
    expect(text).toMatch(/^ +14 .* running /m);
    expect(text).toMatch(/^ +13 .* killed /m);
  });

  it('gives machines instants of ISO 8601 in UTC, and each command as its words', () => {
    const json = JSON.parse(
      statusAsJson({ ...status, runs: [{ ...run, retryAt: run.finishedAt }] }, status.accounts),
    );
    expect(json.runs[0]).toEqual({
      ...run,
      startedAt: '2026-11-22T05:30:00Z',
      finishedAt: '2026-11-22T05:31:00Z',
      retryAt: '2026-11-22T05:31:00Z',
    });
    expect(json.accounts[0].walk.completeAt).toBe('2026-11-22T05:30:01.123456Z');
    expect(json.alerts).toEqual([alert]);
    expect(json.unsent[0].command).toEqual(alert.steps[1]!.command);
  });

  it('gives machines totals of all accounts, and only those that need attention', () => {
    const named = { ...coast, account: 'named' };
    const accounts = [coast, named, valley];
    const alerts = [{ ...alert, accounts: ['named'] }];
    const json = JSON.parse(
      statusAsJson({ ...status, accounts }, accountsNeedingAttention({ accounts, alerts })),
    );
    expect(json.accounts.map(({ account }: { account: string }) => account)).toEqual(['named', 'valley']);
    expect(json.totals).toMatchObject({ accounts: 3, gaps: 1, held: 0 });
  });
});
