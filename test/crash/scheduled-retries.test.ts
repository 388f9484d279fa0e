import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { isBefore, openOutage, tokenOf } from '../schedule/outage.ts';
import { keepUp } from '../schedule/simulated-time.ts';
import { disagreements } from '../support/agreement.ts';
import { startPostgresProxy } from '../support/postgres-proxy.ts';
import { startWatchdog } from '../support/watchdog.ts';

const noon = '2026-03-02T12:00:00Z';
/** Runs at 06:30, 06:31, 06:33, 06:38 and 06:48. */
const fiveRuns = { RETRY_FOR: '20m' };

/** A digest of one account, to somebody who is called like it. */
const digestOf = (account: string) => ({
  name: account,
  to: [`${account}@example.com`],
  accounts: [account],
});

describe('a service that is down at the scheduled time', () => {
  it('for 5 minutes costs nobody anything: every manager gets one complete digest that morning', async () => {
    const { world, time, settings, mails, runs, digests } = await openOutage({
      down: { until: '2026-03-02T06:35:00Z' },
    });
    await using watchdog = await startWatchdog();
    await keepUp(world, { ...settings, HEALTHCHECK_URL: watchdog.url }, time, noon);
    expect(mails).toEqual(['02T06:38 ana', '02T06:38 ben']);
    expect(await digests()).toEqual(['2026-03-01 first complete']);
    const failed = { runDate: '2026-03-02', outcome: 'failed', exitCode: 69, retryAt: expect.any(Date) };
    expect(await runs()).toEqual([
      { ...failed, number: 1 },
      { ...failed, number: 2 },
      { ...failed, number: 3 },
      { number: 4, runDate: '2026-03-02', outcome: 'done', exitCode: 0, retryAt: null },
    ]);
    expect(watchdog.pings.map((ping) => ping.path)).toEqual(['/start', '']);
    expect(await disagreements(world)).toEqual([]);
  });

  it('for longer than RETRY_FOR: one incomplete digest by the last retry, and one corrected by the next run', async () => {
    const { world, time, settings, mails, runs, digests, bodies } = await openOutage({
      down: { until: '2026-03-02T07:00:00Z' },
    });
    await keepUp(world, { ...settings, ...fiveRuns }, time, '2026-03-03T06:31:00Z');
    // The correction is in the mail of the next day.
    expect(mails).toEqual(['02T06:48 ana', '02T06:48 ben', '03T06:30 ana', '03T06:30 ben']);
    expect(await digests()).toEqual(['2026-03-01 first incomplete', '2026-03-02 first complete']);
    expect(bodies().at(-1)).toContain('Sun 1 Mar');
    expect((await runs()).slice(-2)).toMatchObject([
      { number: 5, outcome: 'failed', exitCode: 69, retryAt: null },
      { number: 1, outcome: 'done', exitCode: 0 },
    ]);
  });

  it('for one account only holds up the digest that needs it, and nothing else is requested again', async () => {
    const { world, time, settings, mails, runs } = await openOutage({
      down: { until: '2026-03-02T06:35:00Z', accounts: ['north'] },
    });
    const file = path.join(world.folder, 'digests.json');
    await writeFile(file, JSON.stringify([digestOf('north'), digestOf('valley')]));
    await keepUp(world, { ...settings, DIGEST_TO: '', DIGESTS_FILE: file }, time, noon);
    expect(mails).toEqual(['02T06:30 valley', '02T06:38 north']);
    expect((await runs()).at(-1)).toMatchObject({ number: 4, outcome: 'done' });
    // Valley's day is loaded: a retry that meets only the failing one is no failure of all.
    expect((await runs()).slice(0, 3)).toMatchObject(Array(3).fill({ outcome: 'partial', exitCode: 75 }));
    const others = world.simulator.journal.filter(({ account }) => account === 'valley');
    expect(others.filter(({ operation }) => operation === 'campaignSummary')).toHaveLength(1);
    // Its last page is full, so the one after it is asked for, too.
    expect(others.filter(({ operation }) => operation === 'getClients')).toHaveLength(3);
  });
});

describe('a run that is to be retried', () => {
  it('is retried after a restart of the process, and by any replica, within the time of the first start', async () => {
    const { world, time, settings, mails, runs } = await openOutage({
      down: { until: '2026-03-02T06:36:00Z' },
    });
    await keepUp(world, settings, time, '2026-03-02T06:32:00Z');
    expect((await runs()).at(-1)).toMatchObject({ number: 2, retryAt: expect.any(Date) });
    await keepUp(world, settings, time, '2026-03-02T06:34:00Z');
    expect((await runs()).at(-1)).toMatchObject({ number: 3, retryAt: expect.any(Date) });
    await keepUp(world, { ...settings, RETRY_FOR: '1m' }, time, noon);
    expect((await runs()).at(-1)).toMatchObject({ number: 4, outcome: 'done', exitCode: 0 });
    expect(mails).toEqual(['02T06:38 ana', '02T06:38 ben']);
  });

  it('and whose process is down until its time is over is retried for the last time as soon as there is one', async () => {
    const { world, time, settings, digests, runs } = await openOutage({
      down: { until: '2026-03-02T23:00:00Z' },
    });
    await keepUp(world, settings, time, '2026-03-02T06:34:00Z');
    time.now = Temporal.Instant.from('2026-03-02T11:00:00Z');
    await keepUp(world, settings, time, noon);
    expect((await runs()).at(-1)).toMatchObject({
      number: 4,
      outcome: 'failed',
      exitCode: 69,
      retryAt: null,
    });
    expect(await digests()).toEqual(['2026-03-01 first incomplete']);
  });

  it('keeps its run date past midnight, so that no retry confirms a held response', async () => {
    const { world, time, service, settings, runs } = await openOutage({
      from: '2026-03-02T23:49:30Z',
      down: { until: '2026-03-04T00:05:00Z', accounts: ['north'] },
    });
    const late = { ...settings, SCHEDULE: '50 23 * * *', ...fiveRuns };
    await keepUp(world, late, time, '2026-03-03T01:00:00Z');
    service.changes.campaigns = (list, account) => (account === 'valley' ? [] : list);
    await keepUp(world, late, time, '2026-03-04T01:00:00Z');
    const last = (await runs()).filter(({ retryAt }) => retryAt === null);
    expect(last).toMatchObject([
      { number: 5, runDate: '2026-03-02', outcome: 'partial' },
      { number: 5, runDate: '2026-03-03', outcome: 'done' },
    ]);
    const held = await world.query(
      `select day::text, synced_run_date::text as "on" from etl.windows where held_hash is not null order by day`,
    );
    expect(held).toEqual([{ day: '2026-03-01', on: '2026-03-03' }]);
  });

  it('and was cut off restarts with its run date, and until the same time', async () => {
    const { world, time, settings, runs } = await openOutage({
      from: '2026-03-02T23:49:30Z',
      down: { until: '2026-03-03T02:00:00Z' },
    });
    const late = { ...settings, SCHEDULE: '50 23 * * *', RETRY_FOR: '30m' };
    await keepUp(world, late, time, '2026-03-02T23:55:00Z');
    // As a process leaves it that is killed while it runs.
    await world.query(
      `update etl.runs set retry_at = null, finished_at = null, outcome = null
       where number = (select max(number) from etl.runs)`,
    );
    const cutOff = (await runs()).length;
    await keepUp(world, late, time, '2026-03-03T01:00:00Z');
    const later = (await runs()).slice(cutOff);
    expect(later.map(({ number, runDate }) => [number, runDate])).toEqual(
      later.map((_, index) => [cutOff + 1 + index, '2026-03-02']),
    );
    expect(later.length).toBeGreaterThan(1);
    expect(later.at(-1)).toMatchObject({ outcome: 'failed', retryAt: null });
    const untils = await world.query('select distinct retry_until as until from etl.runs');
    expect(untils).toEqual([{ until: new Date('2026-03-03T00:20:00Z') }]);
  });
});

describe('mail', () => {
  it('that is greylisted for 6 minutes is delivered the same morning, once', async () => {
    const { world, time, settings, mails, runs } = await openOutage({
      onRecipient: (address, now) =>
        address === 'ben@example.com' && isBefore(now, '2026-03-02T06:36:00Z')
          ? '451 4.7.1 Greylisted, try again later'
          : null,
    });
    await keepUp(world, settings, time, noon);
    expect(mails).toEqual(['02T06:30 ana', '02T06:38 ben']);
    expect((await runs()).at(-1)).toMatchObject({ number: 4, outcome: 'done', exitCode: 0 });
  });
});

describe('a mail server that refuses the login', () => {
  it('is not tried by each retry, which would lock the login: only when there is a new digest', async () => {
    const outage = await openOutage({ down: { until: '2026-03-02T06:32:00Z', accounts: ['north'] } });
    const { world, time, settings, connections, mails, runs } = outage;
    const smtpUrl = new URL(settings.SMTP_URL);
    smtpUrl.password = 'wrong';
    const file = path.join(world.folder, 'digests.json');
    await writeFile(file, JSON.stringify([digestOf('north'), digestOf('valley')]));
    const wrong = { ...settings, SMTP_URL: smtpUrl.href, DIGEST_TO: '', DIGESTS_FILE: file };
    await keepUp(world, wrong, time, noon);
    expect(mails).toEqual([]);
    expect(connections()).toBe(2);
    expect((await runs()).at(-1)).toMatchObject({ number: 3, outcome: 'partial', exitCode: 75 });
  });
});

describe('a refused token', () => {
  const alertTo = { ALERT_TO: 'ops@example.com' };

  it('of every account for a minute costs nothing, and alerts nobody', async () => {
    const { world, time, settings, mails, runs } = await openOutage({
      down: { until: '2026-03-02T06:31:00Z', status: 401 },
    });
    await keepUp(world, { ...settings, ...alertTo }, time, noon);
    expect(mails).toEqual(['02T06:31 ana', '02T06:31 ben']);
    expect(await runs()).toMatchObject([{ exitCode: 77 }, { number: 2, outcome: 'done' }]);
  });

  it('of every account for good is one alert that names both causes, with the fourth run', async () => {
    const { world, time, settings, mails, subjects, bodies } = await openOutage({
      down: { until: '2026-03-02T20:00:00Z', status: 401 },
    });
    await keepUp(world, { ...settings, ...alertTo }, time, noon);
    expect(mails).toEqual(['02T06:38 ana', '02T06:38 ben', '02T06:38 ops']);
    expect(subjects().at(-1)).toMatch(/1 to do: token refused \(/);
    expect(bodies().at(-1)).toMatch(/all have expired, the service blocks this address, or it has a fault/);
  });

  it('of the client list alone is about the list: campaigns load, no token is called refused, no digest waits', async () => {
    const { world, time, settings, mails, subjects, runs } = await openOutage({
      down: {
        until: '2026-03-02T20:00:00Z',
        status: 403,
        accounts: ['north'],
        onlyOperation: 'getClients',
      },
    });
    await keepUp(world, { ...settings, ...alertTo }, time, noon);
    expect(mails).toEqual(['02T06:30 ana', '02T06:30 ben', '02T06:38 ops']);
    expect(subjects().at(-1)).toContain('1 to do: client list refused');
    expect((await runs()).at(-1)).toMatchObject({ number: 4, outcome: 'partial', exitCode: 75 });
  });

  it('in a file is alerted with the fourth run, tried again once the file has changed, and then all is complete', async () => {
    const { world, time, settings, mails, subjects, runs } = await openOutage({});
    const tokenFile = path.join(world.folder, 'valley-token');
    const accounts = [
      { name: 'north', sidtoken: tokenOf('north') },
      { name: 'valley', sidtoken_file: tokenFile },
    ];
    await writeFile(world.environment.ACCOUNTS_FILE!, JSON.stringify(accounts));
    await writeFile(tokenFile, 'an-expired-session-token');
    const refused = () => world.simulator.journal.filter(({ status }) => status === 401).length;
    await keepUp(world, { ...settings, ...alertTo }, time, '2026-03-02T06:34:00Z');
    expect(mails).toEqual([]);
    // Each run tries each operation.
    expect(refused()).toBe(3 * 2);
    await keepUp(world, { ...settings, ...alertTo }, time, '2026-03-02T06:40:00Z');
    expect(mails).toEqual(['02T06:38 ana', '02T06:38 ben', '02T06:38 ops']);
    expect(subjects().at(-1)).toContain('token refused (valley)');
    await writeFile(tokenFile, tokenOf('valley'));
    await keepUp(world, { ...settings, ...alertTo }, time, noon);
    expect(mails.slice(3)).toEqual(['02T06:40 ana', '02T06:40 ben', '02T06:40 ops']);
    expect(subjects().at(-1)).toContain('all clear');
    expect((await runs()).at(-1)).toMatchObject({ outcome: 'done', exitCode: 0 });
  });

  it('is alerted with the fourth run, and each further night tries it again as the first one did', async () => {
    const { world, time, settings, mails, runs } = await openOutage({});
    const accounts = [
      { name: 'north', sidtoken: tokenOf('north') },
      { name: 'valley', sidtoken: 'an-expired-session-token' },
    ];
    await writeFile(world.environment.ACCOUNTS_FILE!, JSON.stringify(accounts));
    const refused = () => world.simulator.journal.filter(({ status }) => status === 401).length;
    await keepUp(world, { ...settings, ...alertTo }, time, noon);
    expect(mails).toEqual(['02T06:38 ana', '02T06:38 ben', '02T06:38 ops']);
    expect(refused()).toBe(4 * 2);
    expect((await runs()).at(-1)).toMatchObject({ number: 4, outcome: 'partial', exitCode: 77 });
    await keepUp(world, { ...settings, ...alertTo }, time, '2026-03-03T12:00:00Z');
    expect(refused()).toBe(8 * 2);
    expect(mails.slice(3)).toEqual(['03T06:38 ana', '03T06:38 ben', '03T06:38 ops']);
    expect((await runs()).at(-1)).toMatchObject({ number: 4, exitCode: 77 });
  });

  it('with a short RETRY_FOR is believed at the last retry', async () => {
    const { world, time, settings, mails } = await openOutage({});
    const accounts = [
      { name: 'north', sidtoken: tokenOf('north') },
      { name: 'valley', sidtoken: 'an-expired-session-token' },
    ];
    await writeFile(world.environment.ACCOUNTS_FILE!, JSON.stringify(accounts));
    await keepUp(world, { ...settings, ...alertTo, RETRY_FOR: '2m' }, time, noon);
    expect(mails).toEqual(['02T06:31 ana', '02T06:31 ben', '02T06:31 ops']);
  });
});

describe('a database', () => {
  it('that goes away during a run costs nothing: the run goes on, or restarts, once it is back', async () => {
    const { world, time, settings, mails, digests } = await openOutage({});
    const proxy = await startPostgresProxy(world.databaseUrl, {
      beforeCommit({ statements }) {
        if (
          !statements.some((text) => text.includes('first_loaded_at')) ||
          !isBefore(time.now, '2026-03-02T06:31:00Z')
        )
          return;
        proxy.refuse(true);
        void proxy.cut();
      },
    });
    await keepUp(world, { ...settings, DATABASE_URL: proxy.url }, time, noon, () => {
      proxy.refuse(isBefore(time.now, '2026-03-02T06:33:00Z') && !isBefore(time.now, '2026-03-02T06:30:01Z'));
    });
    await proxy.close();
    expect(mails).toEqual(['02T06:33 ana', '02T06:33 ben']);
    expect(await digests()).toEqual(['2026-03-01 first complete']);
    expect(await disagreements(world)).toEqual([]);
  });
});
