import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { examine } from '../../src/job/doctor.ts';
import type { Finding } from '../../src/model/finding.ts';
import { generateDataset } from '../../src/simulator/dataset.ts';
import { createRedactor } from '../../src/support/redaction.ts';
import { command } from '../support/command.ts';
import { createDatabase } from '../support/database.ts';
import type { VariantName } from '../support/simulator/variants.ts';
import { startSmtpServer } from '../support/smtp-server.ts';
import { openWorld, type World } from '../support/world.ts';

const worlds: World[] = [];
afterAll(() => Promise.all(worlds.map((world) => world.close())));

// A working day with calls on it and on the day before, whatever day it is today.
const clock = () => Temporal.Instant.from('2026-03-05T12:00:00Z');

async function findings(
  variants: readonly VariantName[],
  settings: World['environment'] = {},
): Promise<Finding[]> {
  const world = await openWorld({ variants });
  worlds.push(world);
  const environment = { ...world.environment, REQUEST_TIMEOUT: '2s', ...settings };
  const loaded = loadConfig(environment, { service: true }, createRedactor());
  const found: Finding[] = [];
  for await (const finding of examine(loaded, null, clock, new AbortController().signal)) found.push(finding);
  return found;
}

/** What a finding comes to, in one line. */
const line = (found: readonly Finding[], subject: string) => {
  const finding = found.find((each) => each.subject === subject);
  return (
    finding && `${finding.status}: ${finding.message}${'advice' in finding ? ` → ${finding.advice}` : ''}`
  );
};

describe('doctor', () => {
  it('finds no error where all is well, writes nothing, and reports each answer that decides a setting', async () => {
    const found = await findings([]);
    const written = 'select from warehouse.accounts union all select from etl.runs';
    expect(await worlds.at(-1)!.query(written)).toEqual([]);
    expect(found.filter(({ status, area }) => status !== 'ok' && area !== 'alerts')).toEqual([]);
    expect(Object.fromEntries(found.map((finding) => [finding.subject, finding.message]))).toMatchObject({
      version: expect.stringMatching(/^PostgreSQL 1[58]/),
      schema: 'is up to date and writable',
      'page size': '100 as requested',
      balance: 'found in 100 of 100 clients',
      'date range': 'the end of a range is included: 2026-03-03 and 2026-03-04 add up',
      coast: expect.stringMatching(/^the token is good; \d+ campaigns yesterday$/),
    });
  });

  it('names accounts with the same campaigns in one line, however many', async () => {
    await using folder = await mkdtempDisposable(path.join(tmpdir(), 'callsheet-doctor-'));
    const file = path.join(folder.path, 'accounts.json');
    const { token } = generateDataset().accounts.find(({ name }) => name === 'coast')!;
    const entries = Array.from({ length: 7 }, (_, index) => ({ name: `office-${index}`, sidtoken: token }));
    await writeFile(file, JSON.stringify(entries), { mode: 0o600 });
    expect(line(await findings([], { ACCOUNTS_FILE: file }), 'same campaigns')).toBe(
      'warning: 7 accounts: office-0, office-1, office-2, office-3, office-4 and 2 more have the same campaigns with the same counts: sums count them more than once → check which accounts the tokens belong to',
    );
  });

  it('names each remark of the service, and how a day without campaigns comes', async () => {
    const world = await openWorld({
      intercept: async ({ operation, params }, next) => {
        const response = await next();
        if (operation === 'getClients') return response;
        const isEmpty = params.get('startdate')!.endsWith('2027');
        if (isEmpty) return { status: 404, envelope: { message: 'No campaigns on 03-04-2027' } };
        return { ...response, envelope: { ...response.envelope, took: params.size } };
      },
    });
    worlds.push(world);
    const loaded = loadConfig(world.environment, { service: true }, createRedactor());
    const examined = async () =>
      await Array.fromAsync(examine(loaded, null, clock, new AbortController().signal));
    const before = await examined();
    expect([line(before, 'remark'), line(before, 'empty day')]).toEqual([
      'warning: next to campaigns, the service says "took: 3" (3 accounts: north, coast, valley) → the alert of the first run that meets it asks what it means',
      'warning: a day without campaigns, 2027-03-04: unknown answer (HTTP 404; message: No campaigns on #) → days without calls, such as Sundays, may fail each week: the alert of the first one asks what it means',
    ]);
    await world.query(
      `insert into etl.accepted (kind, operation, sign, service) values
         ('remark', 'campaignSummary', 'took: *', $1), ('empty', 'campaignSummary', 'HTTP 404; message: No campaigns on #', $1)`,
      [loaded.config.service.baseUrl],
    );
    const after = await examined();
    expect([line(after, 'remark'), line(after, 'empty day')]).toEqual([
      'ok: next to campaigns, the service says "took: 3" (3 accounts: north, coast, valley): accepted',
      'ok: a day without campaigns is "HTTP 404; message: No campaigns on #", which is accepted',
    ]);
  });

  it('has one line about a service that is down, with the code of a run', async () => {
    const world = await openWorld();
    worlds.push(world);
    const down = { ...world.environment, SERVICE_BASE_URL: 'http://127.0.0.1:1/api', RETRIES: '0' };
    const { stdout, code } = await command(['doctor', '--json'], down);
    const found = (JSON.parse(stdout) as Finding[]).filter(({ area }) => area === 'service');
    const said = /^the service can't be reached at .*; tokens, clients and campaigns were not checked$/;
    expect([code, found.map(({ message }) => message)]).toEqual([69, [expect.stringMatching(said)]]);
  });

  it('lists the cases in which nobody is alerted', async () => {
    const mailed = { SMTP_URL: 'smtp://127.0.0.1:1', DIGEST_FROM: 'a@example.com' };
    const silences = async (settings: World['environment']) =>
      (await findings([], { ...mailed, ...settings }))
        .filter(({ area }) => area === 'alerts')
        .map((finding) => `${finding.message} → ${'advice' in finding ? finding.advice : ''}`);
    expect(await silences({ SMTP_URL: '', OUTBOX_DIR: 'outbox', ALERT_TO: 'ops@example.com' })).toEqual([
      'no mail is sent: it is written to outbox → set SMTP_URL',
      'if something is wrong, nobody is alerted → set SMTP_URL',
      'if Callsheet is down, only Prometheus alerts → set HEALTHCHECK_URL',
    ]);
    expect(await silences({ SMTP_URL: '', OUTBOX_DIR: 'outbox' })).toContain(
      'if something is wrong, nobody is alerted → set SMTP_URL and ALERT_TO',
    );
    expect(await silences({ DIGEST_TO: '' })).toEqual([
      'no digest has a recipient → set DIGEST_TO or DIGESTS_FILE',
      'if something is wrong, nobody is alerted → set ALERT_TO',
      'if Callsheet is down, only Prometheus alerts → set HEALTHCHECK_URL',
    ]);
    expect(await silences({ ALERT_TO: 'ops@example.com', HEALTHCHECK_URL: 'http://127.0.0.1:1/x' })).toEqual([
      'while the mail server is down, nobody is alerted → set ALERT_WEBHOOK_URL',
    ]);
    expect(
      await silences({
        ALERT_WEBHOOK_URL: 'http://127.0.0.1:1/x',
        HEALTHCHECK_URL: 'http://127.0.0.1:1/x',
      }),
    ).toEqual(['none: chat and watchdog are set → ']);
  });

  it.each<[VariantName, string, RegExp]>([
    [
      'limit-clamped',
      'page size',
      /^warning: requested 100, the service limits pages to 25 → set PAGE_LIMIT=25/,
    ],
    ['end-exclusive', 'date range', /^error: the end of a range is not included → set WINDOW_END=next-day/],
    ['token-refused-401', 'north', /^error: account north.*refuses access/],
  ])('names %s: %s', async (variant, subject, message) => {
    expect(line(await findings([variant]), subject)).toMatch(message);
  });
});

describe('the command doctor', () => {
  it('ends with 0 and a table for people, or JSON for machines', async () => {
    const world = await openWorld();
    worlds.push(world);
    const people = await command(['doctor'], world.environment);
    expect(people.code).toBe(0);
    expect(people.stdout).toMatch(/^✓ settings {2}read +3 accounts: north, coast, valley/);
    expect(people.stdout).toMatch(/^✓ settings {2}clients +0 of 3 accounts mapped to a client$/m);
    const machines = await command(['doctor', '--json'], world.environment);
    expect(JSON.parse(machines.stdout)).toContainEqual(
      expect.objectContaining({ area: 'database', subject: 'schema', status: 'ok' }),
    );
  });

  it('sends one message to the address that is given', async () => {
    const world = await openWorld();
    const smtp = await startSmtpServer();
    worlds.push(world);
    const environment = { ...world.environment, SMTP_URL: smtp.url, DIGEST_FROM: 'callsheet@example.com' };
    const { stdout } = await command(['doctor', '--mail-to', 'ops@example.com'], environment);
    await smtp.close();
    expect(stdout).toMatch(/✓ mail +server +.* with STARTTLS|on this machine and logged in/);
    expect(stdout).toMatch(/✓ mail +message to ops@example.com +sent/);
    expect(smtp.received.map((mail) => mail.to)).toEqual([['ops@example.com']]);
  });

  it('goes on after an error, reports each with what to do, and ends with the code of the gravest', async () => {
    const world = await openWorld();
    const empty = await createDatabase();
    worlds.push(world);
    const mailed = {
      ...world.environment,
      SMTP_URL: 'smtp://127.0.0.1:1',
      DIGEST_FROM: 'callsheet@example.com',
    };
    const { code, stdout } = await command(['doctor'], { ...mailed, DATABASE_URL: empty.url });
    await empty.drop();
    expect([code, (await command(['doctor'], mailed)).code]).toEqual([78, 75]);
    expect(stdout).toMatch(/✕ database +schema +\d+ migrations are pending\n +→ run: npm start -- migrate/);
    expect(stdout).toMatch(/✕ mail +server +.*ECONNREFUSED.*\n +→ Check host and port in SMTP_URL/);
    expect(stdout).toMatch(/✓ service +page size/);
  });
});
