import { copyFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callsheet } from '../../support/callsheet.ts';
import { blocksOf, readDocument } from '../../support/documents.ts';
import { peers, runPeer } from '../../support/peers.ts';
import { scratchFolder } from '../../support/scratch.ts';
import { startSmtpServer } from '../../support/smtp-server.ts';
import type { World } from '../../support/world.ts';
import { install, now, scrapeAfterRun, scrapeAt } from './nights.ts';
import { type Firing, rulesFile, type Served, testRules } from './promtool.ts';

const noSuccess = { alertname: 'CallsheetNoSuccess', job: 'callsheet', severity: 'critical' };
const refusedToken = { alertname: 'CallsheetTokenRefused', job: 'callsheet', severity: 'critical' };
const alertOf = (alertname: string, labels: object) => ({
  alertname,
  ...labels,
  job: 'callsheet',
  severity: 'warning',
});
const active = (code: string) => alertOf('CallsheetActiveAlert', { code, kind: 'to do' });
const unsent = (code: string) => alertOf('CallsheetUnsentMail', { code });

/** Nothing fires at any of these hours. */
const quiet = (...hours: number[]): Firing[] => hours.map((hour) => ({ hour, alerts: [] }));

/** Both replicas serve the same for that long. */
const twice = (...served: Served[]) => [served, served];

describe('promtool', () => {
  it('accepts the rules', async () => {
    const { code, output } = await runPeer(peers.promtool, ['check', 'rules', '--lint-fatal', rulesFile]);
    expect([code, output]).toEqual([0, expect.stringContaining('7 rules found')]);
  });

  it('accepts the configuration in docs/install.md', async () => {
    const folder = await scratchFolder('callsheet-prometheus-');
    const [block] = blocksOf(readDocument('docs/install.md'), 'yaml');
    await writeFile(path.join(folder, 'prometheus.yml'), block!);
    await copyFile(rulesFile, path.join(folder, 'rules.yaml'));
    const { code, output } = await runPeer(peers.promtool, [
      'check',
      'config',
      path.join(folder, 'prometheus.yml'),
    ]);
    expect([code, output]).toEqual([0, expect.stringContaining('1 rule files found')]);
  });
});

describe('of an installation that works', () => {
  let world: World;
  let fresh: string;
  let neverRun: string;
  let good: string;
  let late: string;
  const everyNight = { SCHEDULE: '30 6 * * *', TIME_ZONE: 'UTC' };
  beforeAll(async () => {
    world = await install();
    fresh = await scrapeAt(world, now(), everyNight);
    neverRun = await scrapeAt(world, now().add({ hours: 24 }), everyNight);
    expect(await callsheet(['run'], { ...world.environment, ...everyNight })).toMatchObject({ code: 0 });
    good = await scrapeAt(world, now(), everyNight);
    late = await scrapeAt(world, now().add({ hours: 24 }), everyNight);
  });
  afterAll(() => world?.close());

  it('nothing fires before its first scheduled time, nor while it works', async () => {
    const replicas = twice({ hours: 23, text: fresh }, { hours: 24, text: good });
    expect(await testRules(replicas, quiet(0.25, 5, 22, 30, 46))).toBe('');
  });

  it('a first run that never came raises an alert, four hours after its scheduled time', async () => {
    const replicas = twice({ hours: 10, text: fresh }, { hours: 10, text: neverRun });
    const firing = [...quiet(9, 13), { hour: 15, alerts: [active('DAYS_NOT_LOADED'), noSuccess] }];
    expect(await testRules(replicas, firing)).toBe('');
  });

  it('a night that is missing raises an alert four hours after its scheduled time, once for two replicas', async () => {
    const replicas = twice({ hours: 24, text: good }, { hours: 12, text: late });
    // Its day is missing by then, too.
    const alerts = [active('DAYS_NOT_LOADED'), noSuccess];
    const firing = [...quiet(20, 26, 27.9), { hour: 29, alerts }];
    expect(await testRules(replicas, firing)).toBe('');
  });

  it('one replica that is restarted is no outage, and two that are gone are one', async () => {
    const one = [{ hours: 3, text: good }];
    const other = [
      { hours: 1, text: good },
      { hours: 1, text: null },
      { hours: 1, text: good },
    ];
    expect(await testRules([one, other], quiet(0.5, 1.5, 2.5))).toBe('');
    const gone = twice({ hours: 1, text: good }, { hours: 1, text: null });
    const down = { alertname: 'CallsheetDown', severity: 'critical' };
    expect(await testRules(gone, [...quiet(1.2), { hour: 1.5, alerts: [down] }])).toBe('');
  });

  it('a database that can’t be read raises an alert, whichever replica misses it', async () => {
    const unreachable = { ...world.environment, DATABASE_URL: 'postgres://callsheet@127.0.0.1:1/none' };
    const text = await scrapeAt({ environment: unreachable }, now());
    expect(text).toContain('callsheet_database_up 0');
    const replicas = twice({ hours: 1, text: good }, { hours: 3, text });
    const down = { ...noSuccess, alertname: 'CallsheetDatabaseDown' };
    expect(await testRules(replicas, [...quiet(1.2), { hour: 1.5, alerts: [down] }])).toBe('');
  });
});

describe('after a first run that left something undone', () => {
  it('a refused token raises an alert within twenty minutes', async () => {
    const { code, text } = await scrapeAfterRun({ variants: ['token-refused-401'] });
    expect(code).toBe(77);
    const firing = [...quiet(0), { hour: 0.4, alerts: [refusedToken] }, { hour: 10, alerts: [refusedToken] }];
    expect(await testRules(twice({ hours: 11, text }), firing)).toBe('');
  });

  it('records in quarantine raise an alert, though their count never increases', async () => {
    const { text } = await scrapeAfterRun({ variants: ['hostile-records'] });
    expect(text).toMatch(/^callsheet_rejects\{account="\w+"\} [1-9]/m);
    const alert = { alertname: 'CallsheetQuarantine', job: 'callsheet', severity: 'info' };
    const firing = [{ hour: 0.2, alerts: [alert] }];
    expect(await testRules(twice({ hours: 1, text }), firing)).toBe('');
  });

  it('a service that is down raises an alert when the run had its time to retry', async () => {
    const { code, text } = await scrapeAfterRun({ variants: ['html-always'] });
    expect(code).toBe(69);
    const firing = [...quiet(1, 3.9), { hour: 5, alerts: [active('UNKNOWN_ANSWER')] }];
    expect(await testRules(twice({ hours: 6, text }), firing)).toBe('');
  });

  it('mail that a server refuses raises an alert when the run had its time to retry', async () => {
    const smtp = await startSmtpServer({ onRecipient: () => '550 No such user' });
    const { text } = await scrapeAfterRun({}, { SMTP_URL: smtp.url, DIGEST_FROM: 'callsheet@example.com' });
    await smtp.close();
    const firing = [...quiet(3.9), { hour: 5, alerts: [unsent('MAIL_FAILED')] }];
    expect(await testRules(twice({ hours: 6, text }), firing)).toBe('');
  });
});
