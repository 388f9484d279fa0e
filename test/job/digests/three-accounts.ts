import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { backfill } from '../../../src/job/backfill.ts';
import type { RunReport } from '../../../src/job/run/run.ts';
import type { Day } from '../../../src/model/day.ts';
import { atInstant, never, runNight } from '../../support/nights.ts';
import { scriptedService } from '../../support/scripted-service.ts';
import { openWorld } from '../../support/world.ts';
import { type Kind, type ReadMail, readMail } from './read-mail.ts';

const names = ['north', 'coast', 'valley'];
/**
 * What the service answers: attempts of its one campaign on a day; null if it lists none, undefined if it is down, and
 * whether it refuses the token.
 */
export type Service = (account: string, day: Day, runDate: Day) => number | null | undefined | 'refused';

/**
 * An installation of three accounts, whose service answers night by night.
 *
 * @param isEndExclusive the service lists what is before `enddate`: of a window that ends with its own day, nothing
 */
export async function live(attemptsOf: Service, isEndExclusive = false) {
  let runDate = '';
  let last: RunReport | null = null;
  const world = await openWorld(
    scriptedService(names, (account, day, params) => {
      const isEmpty = isEndExclusive && params.get('enddate') === params.get('startdate');
      const attempts = isEmpty ? null : attemptsOf(account, day, runDate);
      if (attempts === 'refused') return { status: 401, body: 'The sidtoken is not valid.' };
      if (attempts === undefined) return { status: 503, body: 'down' };
      // Accounts with the same campaigns would be doubtful.
      const callsetid = 1 + names.indexOf(account);
      const result =
        attempts === null
          ? []
          : // Two days with the same figures would be doubtful.
            [
              {
                callsetid,
                campaign: account,
                attempts,
                busies: Number(day.slice(8)),
                connects: 5,
                liveanswers: 0,
              },
            ];
      return { body: JSON.stringify({ campaigns: result.length, result }) };
    }),
  );
  onTestFinished(() => world.close());
  const settings = { CATCH_UP_DAYS: '3', LOOKBACK_DAYS: '2', RETRIES: '0' };
  return {
    world,
    /** The report of the last night. */
    report: () => last!,
    /** Lives the night, and returns its mails by name. */
    async night(day: Day, others: typeof world.environment = {}): Promise<ReadonlyMap<string, ReadMail>> {
      runDate = day;
      const outbox = path.join(world.environment.OUTBOX_DIR!, day);
      last = await runNight(world, day, { ...settings, OUTBOX_DIR: outbox, ...others });
      const files = await readdir(outbox).catch(() => []);
      const mails = files.filter((file) => file.endsWith('.eml') && !file.startsWith('alert-'));
      const read = mails.map(
        async (file) => [file, await readMail(await readFile(path.join(outbox, file)))] as const,
      );
      return new Map(await Promise.all(read));
    },
    /** Settings with these accounts alone. */
    async withAccounts(...some: readonly string[]): Promise<typeof world.environment> {
      const all = JSON.parse(await readFile(world.environment.ACCOUNTS_FILE!, 'utf8')) as { name: string }[];
      const file = path.join(world.folder, `${some.join('-')}.json`);
      await writeFile(file, JSON.stringify(all.filter(({ name }) => some.includes(name))), { mode: 0o600 });
      return { ACCOUNTS_FILE: file };
    },
    /** Settings with these digests, all of every account. */
    async withDigests(...digests: readonly object[]): Promise<typeof world.environment> {
      const file = path.join(world.folder, 'digests.json');
      await writeFile(file, JSON.stringify(digests.map((each) => ({ to: 'ana@example.com', ...each }))));
      return { DIGEST_TO: '', DIGESTS_FILE: file };
    },
    backfill: async (on: Day, from: Day, to: Day, others: typeof world.environment = {}) => {
      runDate = on;
      const request = { command: 'backfill', from, to, accounts: null } as const;
      await atInstant(world, `${on}T12:00:00Z`, (app) => backfill(app, request, never), {
        ...settings,
        ...others,
      });
    },
  };
}

/** The lines of one kind in all mails of a night. */
export const linesOf = (mails: ReadonlyMap<string, ReadMail>, kind: Kind) =>
  [...mails.values()].flatMap((mail) => mail.linesOf(kind));
