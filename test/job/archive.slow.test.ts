import { zstdDecompressSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { generateDataset } from '../../src/simulator/dataset.ts';
import { callsheet } from '../support/callsheet.ts';
import { openWorld, type World } from '../support/world.ts';

let world: World;
afterEach(() => world.close());

const run = (...more: string[]) => callsheet(['run', '--day', '2026-03-02', ...more], world.environment);

type Archived = {
  readonly account: string;
  readonly operation: string;
  readonly day: string | null;
  readonly walk: string | null;
  readonly status: number;
  readonly decision: string;
  readonly request: Record<string, unknown>;
  readonly zstd: Buffer | null;
  readonly size: string | null;
};

const archived = () =>
  world.query<Archived>(`
    select a.name as account, operation, f.day::text, walk, status, decision, request, zstd, size
    from etl.responses f join warehouse.accounts a using (account_id) left join etl.response_bodies using (sha256)
    order by response_id`);

const bodyOf = ({ zstd, size }: Archived) => {
  const bytes = zstdDecompressSync(zstd!);
  expect(String(bytes.byteLength)).toBe(size);
  return bytes.toString();
};

describe('the archive of a run', () => {
  it('has every response: its request, its body and its load decision', async () => {
    world = await openWorld();
    expect(await run()).toMatchObject({ code: 0 });
    const fetches = await archived();
    expect(fetches).toHaveLength(world.simulator.journal.length);
    for (const each of fetches) {
      expect(each).toMatchObject({ status: 200, decision: 'loaded' });
      expect(JSON.stringify(each.request)).not.toContain('sidtoken');
      const { data, result } = JSON.parse(bodyOf(each));
      expect(data ?? result).not.toEqual([]);
    }
    const campaigns = fetches.filter(({ operation }) => operation === 'campaignSummary');
    expect(campaigns).toHaveLength(3);
    for (const each of campaigns)
      expect(each).toMatchObject({ day: '2026-03-02', walk: null, request: { startdate: '03-02-2026' } });
    const walks = await world.query(
      `select w.verdict = 'complete' as complete, count(*)::int as pages from etl.walks w join etl.responses f on f.walk = w.walk_id group by walk_id`,
    );
    expect(walks).toHaveLength(3);
    expect(walks.every(({ complete }) => complete)).toBe(true);
  });

  it('keeps a body once, however often it is received', async () => {
    world = await openWorld();
    expect(await run()).toMatchObject({ code: 0 });
    const count = async () =>
      (await world.query('select count(*)::int as bodies from etl.response_bodies'))[0];
    const before = await count();
    expect(await run()).toMatchObject({ code: 0 });
    expect(await count()).toEqual(before);
    const fetches = await archived();
    const second = fetches.slice(fetches.length / 2);
    expect(second.every(({ zstd }) => zstd !== null)).toBe(true);
  });

  it('keeps discarded responses, too, with the reason that their status gives', async () => {
    let first = true;
    world = await openWorld({
      intercept: ({ operation }) => {
        if (operation !== 'campaignSummary') return undefined;
        if (!first) return { status: 200, body: '<html>maintenance</html>' };
        first = false;
        return { status: 503, body: 'busy' };
      },
    });
    expect((await run('--account', 'valley')).code).toBe(69);
    const discarded = (await archived()).filter(({ decision }) => decision === 'discarded');
    expect(discarded.length).toBeGreaterThan(1);
    expect(discarded[0]).toMatchObject({ status: 503, operation: 'campaignSummary' });
    expect(bodyOf(discarded[0]!)).toBe('busy');
    expect(bodyOf(discarded.at(-1)!)).toBe('<html>maintenance</html>');
  });

  it('keeps a body that echoes the token without it, and parses the same records from it', async () => {
    const { token } = generateDataset().accounts.find(({ name }) => name === 'valley')!;
    const record = { callsetid: 7, campaign: `mine ${token}`, attempts: 3, note: token };
    world = await openWorld({
      intercept: ({ operation }) =>
        operation === 'campaignSummary' ? { body: JSON.stringify({ result: [record] }) } : undefined,
    });
    expect(await run('--account', 'valley')).toMatchObject({ code: 0 });
    const [fetch] = (await archived()).filter(({ operation }) => operation === 'campaignSummary');
    const body = bodyOf(fetch!);
    expect(body).not.toContain(token);
    expect(JSON.parse(body).result[0]).toMatchObject({ callsetid: 7, attempts: 3, note: '[redacted]' });
    const rows = await world.query('select campaign from etl.campaign_days');
    expect(rows).toEqual([{ campaign: JSON.parse(body).result[0].campaign }]);
  });
});
