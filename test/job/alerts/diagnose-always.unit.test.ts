import { Command } from 'commander';
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { addAccept } from '../../../src/cli/commands/accept.ts';
import { addBackfill } from '../../../src/cli/commands/backfill.ts';
import { addCampaigns } from '../../../src/cli/commands/campaigns.ts';
import { addClients } from '../../../src/cli/commands/clients.ts';
import { addDigest } from '../../../src/cli/commands/digest.ts';
import { addDoctor } from '../../../src/cli/commands/doctor.ts';
import { addMigrate } from '../../../src/cli/commands/migrate.ts';
import { addReplay } from '../../../src/cli/commands/replay.ts';
import { addRun } from '../../../src/cli/commands/run.ts';
import { addStatus } from '../../../src/cli/commands/status.ts';
import type { Context } from '../../../src/cli/context.ts';
import type { WarehouseState } from '../../../src/job/alerts/state.ts';
import { type ActiveAlert, alertCodes, needsAction } from '../../../src/model/alert.ts';
import { addDays } from '../../../src/model/day.ts';
import { type ErrorCode, errorCatalogue } from '../../../src/model/errors.ts';
import { everyChoices, periodOf } from '../../../src/model/period.ts';
import { rounds } from '../../support/rounds.ts';
import { account, completeWalk, diagnosed, incompleteWalk, lastRun } from './states.ts';

const day = fc.integer({ min: 0, max: 40 }).map((back) => addDays('2026-11-20', -back));
const days = fc.uniqueArray(day, { maxLength: 6 }).map((each) => each.sort());
const code = fc.constantFrom(...(Object.keys(errorCatalogue) as ErrorCode[]));
const line = fc.constantFrom('it failed', 'the service responded 503: wait.', "it's <b>odd</b>");
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null });

const walk = fc.oneof(
  fc.constant(completeWalk),
  fc.record({ code: maybe(code), implausibleMissing: fc.constantFrom(0, 380) }).map((each) => ({
    ...incompleteWalk,
    errorCode: each.code,
    implausibleMissing: each.implausibleMissing,
    implausibleSince: each.implausibleMissing > 0 ? '2026-11-16' : null,
  })),
);

const accountOf = (name: string) =>
  fc
    .record({
      since: maybe(fc.constant('2026-10-01')),
      timeZone: fc.constantFrom('UTC', 'Pacific/Kiritimati', 'Pacific/Pago_Pago'),
      attempted: days,
      codes: fc.array(code, { minLength: 1, maxLength: 3 }),
      line,
      isFailed: fc.boolean(),
      held: fc
        .uniqueArray(
          fc.record({
            day,
            reason: fc.constantFrom(null, 'it lacks 3 of 4 campaigns: 1 campaign instead of 4 campaigns'),
          }),
          { maxLength: 6, selector: (each) => each.day },
        )
        .map((each) => each.sort((one, other) => (one.day < other.day ? -1 : 1))),
      suspicious: fc.array(
        fc.record({
          day,
          reason: fc.constantFrom(
            'no calls' as const,
            'unreported' as const,
            'notice' as const,
            'counts' as const,
          ),
          detail: maybe(line),
        }),
        { maxLength: 4 },
      ),
      quarantined: fc.uniqueArray(
        fc.record({
          day: maybe(day),
          reason: line,
          records: fc.integer({ min: 1, max: 9 }),
          attempts: fc.nat(500),
          example: fc.constant('{"callsetid": 7}'),
        }),
        { maxLength: 3, selector: (each) => `${each.day} ${each.reason}` },
      ),
      walk,
    })
    .map(({ attempted, codes, isFailed, line: why, ...others }) =>
      account({
        name,
        ...others,
        failed: isFailed
          ? attempted.map((each, index) => ({
              day: each,
              code: codes[index % codes.length]!,
              detail: why,
              isLoaded: index % 2 === 0,
            }))
          : [],
        missing: isFailed ? [] : attempted,
      }),
    );

const digest = fc.constantFrom('Campaigns', 'run', "East's – weekly");
const runState = fc.constantFrom('in progress', 'waiting', 'ended', 'interrupted');
const run = fc
  .record({
    state: runState,
    error: maybe(fc.record({ code, detail: line })),
    digest,
    every: fc.constantFrom(...everyChoices),
    day,
    code,
    isBehind: fc.boolean(),
  })
  .map(({ state, error, isBehind, ...digestError }) =>
    lastRun({
      state,
      error,
      retryAt: state === 'waiting' ? Temporal.Instant.from('2026-11-21T13:00:00Z') : null,
      digestErrors: isBehind ? [{ ...digestError, detail: 'it failed', isBuilt: false }] : [],
    }),
  );

const state: fc.Arbitrary<WarehouseState> = fc.record({
  // Names of accounts that look like something else.
  accounts: fc
    .tuple(accountOf('run'), accountOf('Campaigns'), accountOf('north east'))
    .chain((all) => fc.subarray(all)),
  sameCampaigns: fc.constantFrom(
    [],
    [
      {
        accounts: [
          { name: 'run', label: 'run' },
          { name: 'north east', label: 'North East' },
        ],
        days: ['2026-11-20'],
      },
    ],
  ),
  deliveries: fc.uniqueArray(
    fc
      .record({
        digest,
        every: fc.constantFrom(...everyChoices),
        day,
        recipient: fc.constantFrom('ana@example.com', "o'neil@example.com"),
        state: fc.constantFrom('pending', 'sending', 'failed', 'refused', 'unknown'),
        reply: maybe(line),
      })
      // By the last day of its period, as the outbox knows it.
      .map((each) => ({ ...each, day: periodOf(each.every, each.day).to })),
    { maxLength: 5, selector: (each) => `${each.digest} ${each.day} ${each.recipient}` },
  ),
  incomplete: fc
    .uniqueArray(fc.tuple(digest, day), { maxLength: 2, selector: (each) => each.join() })
    .map((each) => each.map(([name, of]) => ({ name, every: 'day' as const, day: of, lacking: ['North'] }))),
  isBackfilling: fc.boolean(),
  lastRun: maybe(run),
  recorded: fc.constant(new Map()),
});

const always = (holds: (state: WarehouseState) => void) =>
  fc.assert(fc.property(state, holds), { numRuns: rounds(1_500) });

let program: Command;
beforeAll(() => {
  program = new Command('callsheet').exitOverride().configureOutput({ writeErr: () => {} });
  const adders = [addAccept, addBackfill, addCampaigns, addClients, addDigest, addDoctor];
  for (const add of [...adders, addMigrate, addReplay, addRun, addStatus])
    add(program, { environment: {} } as Context);
  for (const command of program.commands) command.action(() => {});
});

test('each alert has a title, a cause, a code of the list and a key of its own', () => {
  always((found) => {
    const alerts = diagnosed(found);
    const keys = alerts.map(({ key }) => key);
    expect(new Set(keys).size).toBe(keys.length);
    for (const { code: own, title, cause, affects } of alerts) {
      expect(alertCodes).toContain(own);
      expect(title).toMatch(/\S$/);
      expect(cause).toMatch(/[.!?"}]$/);
      expect(`${title} ${cause}`).not.toMatch(/undefined|null|NaN| {2}|\.\./);
      expect(affects.length).toBeGreaterThan(0);
    }
  });
});

test('what is graver comes first, and what needs nobody last', () => {
  const severities = ['error', 'warning', 'note'];
  always((found) => {
    const ranks = diagnosed(found).map(({ severity }) => severities.indexOf(severity));
    expect(ranks).toEqual([...ranks].sort());
  });
});

test('each alert that needs somebody says what to do, by a step or a command that our own program reads', () => {
  always((found) => {
    for (const { steps, severity } of diagnosed(found)) {
      if (severity !== 'note') expect(steps.length).toBeGreaterThan(0);
      for (const { text, command } of steps) {
        expect(text).toMatch(/\S$/);
        if (command !== null) program.parse(command, { from: 'user' });
      }
    }
  });
});

test('who dismisses all alerts has notes alone, and each is active again once it affects more', () => {
  always((found) => {
    const before = diagnosed(found);
    const recorded = (dismissed: (alert: ActiveAlert) => readonly string[]) =>
      diagnosed({
        ...found,
        recorded: new Map(before.map((each) => [each.key, { since: null, dismissed: dismissed(each) }])),
      });
    const acknowledged = recorded(({ affects }) => affects);
    expect(acknowledged.filter(needsAction)).toEqual([]);
    expect(acknowledged.map(({ key }) => key).sort()).toEqual(before.map(({ key }) => key).sort());
    const severityOf = new Map(before.map(({ key, severity }) => [key, severity]));
    for (const { key, severity } of recorded(({ affects }) => affects.slice(1)))
      expect(severity).toBe(severityOf.get(key));
  });
});
