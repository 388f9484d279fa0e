import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { generateDataset } from '../../../src/simulator/dataset.ts';
import type { Middleware } from '../../../src/simulator/middleware.ts';
import { callsheet } from '../../support/callsheet.ts';
import { command } from '../../support/command.ts';
import { openWorld, type World } from '../../support/world.ts';

const dataset = generateDataset();
let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

const run = (...args: string[]) => command(args, world.environment);

describe('clients', () => {
  it('prints every client of every account', async () => {
    const { code, stdout } = await run('clients', '--format', 'json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toHaveLength(1200);
  });

  it('requests one page, a search and balances as its options say', async () => {
    const { stdout } = await run('clients', '--limit', '5', '--page', '2', '--balance', '--format', 'csv');
    const rows = parse(stdout, { columns: true }) as Record<string, string>[];
    expect(rows).toHaveLength(15);
    expect(rows[0]!.balance).toMatch(/^-?\d+\.\d\d$/);
    await run('clients', '--search', 'clinic');
    const last = world.simulator.journal.at(-1)!;
    expect(last.params).toMatchObject({ search: 'clinic' });
  });

  it('says so if nothing matches, and prints an empty list', async () => {
    const args = ['clients', '--search', 'zzzz', '--format', 'json'];
    const { code, stdout, stderr } = await callsheet(args, world.environment);
    expect([code, stdout]).toEqual([0, '[]\n']);
    expect(stderr).toMatch(/the service lists no client that matches zzzz"/);
  });

  it('prints a table that ends with the name, without control characters', async () => {
    const { stdout } = await run('clients', '--limit', '3', '--page', '1');
    const [head, ...lines] = stdout.trimEnd().split('\n');
    expect(head).toMatch(/^account +client_id +checksum +name$/);
    expect(lines).toHaveLength(9);
  });
});

it('both ask for the accounts that are named, alone', async () => {
  const of = async (...args: string[]) => {
    const { stdout } = await run(...args, '--account', 'coast', '--format', 'json');
    return [...new Set((JSON.parse(stdout) as { account: string }[]).map(({ account }) => account))];
  };
  expect(await of('clients')).toEqual(['coast']);
  expect(await of('campaigns', '--from', '2026-03-02', '--to', '2026-03-03')).toEqual(['coast']);
});

describe('campaigns', () => {
  it('prints the sums over the requested days', async () => {
    const args = ['--from', '2026-03-02', '--to', '2026-03-06', '--format', 'json'];
    const { code, stdout } = await run('campaigns', ...args);
    expect(code).toBe(0);
    const days = [Temporal.PlainDate.from('2026-03-02'), Temporal.PlainDate.from('2026-03-06')] as const;
    const expected = dataset.accounts.flatMap(({ name }) =>
      dataset.campaigns(name, ...days).map((each) => ({
        account: name,
        callset_id: each.callsetid,
        campaign: each.campaign,
        attempts: each.attempts,
        busies: each.busies,
        connects: each.connects,
        live_answers: each.liveanswers,
      })),
    );
    expect(JSON.parse(stdout)).toMatchObject(expected);
  });

  it('takes yesterday and today in TIME_ZONE', async () => {
    const zone = { TIME_ZONE: 'Pacific/Kiritimati' };
    const args = ['campaigns', '--from', 'yesterday', '--to', 'today', '--campaign', '1'];
    expect(await command(args, { ...world.environment, ...zone })).toMatchObject({ code: 0 });
    const today = Temporal.Now.plainDateISO(zone.TIME_ZONE);
    const asRequested = (day: Temporal.PlainDate) => `${day}`.replace(/^(\d+)-(.+)$/, '$2-$1');
    expect(world.simulator.journal.at(-1)!.params).toMatchObject({
      startdate: asRequested(today.subtract({ days: 1 })),
      enddate: asRequested(today),
      callsetid: '1',
    });
  });
});

const refused = (['getClients', 'campaignSummary'] as const).map(
  (operation) => ({ operation, account: 'coast', times: 99, kind: 'status-401' }) as const,
);

describe('the error of an account', () => {
  it('doesn’t keep the others from being printed, and is the exit code', async () => {
    const other = await openWorld({ faults: refused });
    const { code, stdout, stderr } = await callsheet(['clients', '--format', 'json'], other.environment);
    const accounts = new Set((JSON.parse(stdout) as { account: string }[]).map(({ account }) => account));
    expect([code, [...accounts].sort()]).toEqual([77, ['north', 'valley']]);
    expect(stderr).toMatch(/account coast, .* the service refuses access/);
    await other.close();
  });

  it('doesn’t end a dry run: the others are shown, and its other days aren’t tried', async () => {
    const other = await openWorld({ faults: refused });
    const days = ['--from', '2026-03-02', '--to', '2026-03-03'];
    const { code, stdout } = await command(['run', '--dry-run', ...days], other.environment);
    expect(code).toBe(77);
    expect(stdout.match(/^account coast, /gm)).toHaveLength(2);
    expect(stdout.match(/^2026-03-0\d (north|valley):/gm)).toHaveLength(4);
    await other.close();
  });

  it('ends both where the service is down for all of them', async () => {
    const other = await openWorld({ faults: [{ operation: 'getClients', times: 99, kind: 'status-503' }] });
    const { code, stdout } = await command(['clients'], { ...other.environment, RETRIES: '0' });
    expect([code, stdout]).toEqual([69, '']);
    await other.close();
  });
});

describe('what the service says', () => {
  const days = ['--from', '2026-03-02', '--to', '2026-03-02', '--account', 'coast'];
  const saying = async (response: Awaited<ReturnType<Middleware>>, args: readonly string[]) => {
    const other = await openWorld({ intercept: async () => response });
    const { code, stdout, stderr } = await callsheet([...args, '--format', 'json'], other.environment);
    await other.close();
    return { code, printed: JSON.parse(stdout || '[]'), stderr };
  };

  it('is quoted next to records, and with them printed', async () => {
    const campaigns = { result: [{ callsetid: 7, attempts: 5 }], message: 'so far' };
    expect(await saying({ status: 206, envelope: campaigns }, ['campaigns', ...days])).toMatchObject({
      code: 0,
      printed: [{ callset_id: 7 }],
      stderr: expect.stringMatching(
        /coast: the service says \\"HTTP 206\\".*coast: the service says \\"message: so far\\"/s,
      ),
    });
    const clients = { pages: 1, data: [{ clientid: 7, clientname: 'A' }], took: 12 };
    expect(await saying({ envelope: clients }, ['clients', '--account', 'coast'])).toMatchObject({
      code: 0,
      printed: [{ client_id: 7 }],
      stderr: expect.stringContaining('coast: the service says \\"took: 12\\"'),
    });
  });

  it.each([
    [
      { status: 404, envelope: { message: 'No campaigns found' } },
      'unknown answer (HTTP 404; message: No campaigns found)',
    ],
    [
      { envelope: { result: [{ note: 'x' }] } },
      'invalid response (no record can be read: callsetid: not a whole number from 0 to 2^53 - 1)',
    ],
  ])('is quoted if nothing of it can be read, and the exit code is 75: %j', async (response, quoted) => {
    const { code, printed, stderr } = await saying(response, ['campaigns', ...days]);
    expect([code, printed]).toEqual([75, []]);
    expect(stderr).toContain(quoted);
    expect(stderr).not.toContain('the service lists no campaign');
  });

  it('is quoted of clients, too', async () => {
    const args = ['clients', '--account', 'coast'];
    const { code, stderr } = await saying({ status: 400, envelope: { error: 'Sesión caducada' } }, args);
    expect(code).toBe(75);
    expect(stderr).toContain('unknown answer (HTTP 400; error: Sesión caducada)');
  });
});
