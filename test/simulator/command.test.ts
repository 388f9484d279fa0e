import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { describe, expect, test } from 'vitest';
import { variantNames } from '../../src/simulator/variants.ts';
import { callsheet, startCallsheet } from '../support/callsheet.ts';

describe.concurrent('the command simulate', () => {
  test('behaves in the variants and with the faults it is told', async ({ onTestFinished }) => {
    const child = startCallsheet(
      [
        ...['simulate', '--port', '0', '--variant', 'limit-clamped', '--variant', 'token-expires'],
        ...['--fault', 'getClients:page=2:times=1:status-503'],
      ],
      {},
    );
    onTestFinished(() => void child.kill());
    const lines: string[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      if (lines.push(line) === 7) break;
    }
    const url = lines[0]!.replace('SERVICE_BASE_URL=', '');
    const tokens = lines.slice(1).map((line) => /^SIDTOKEN='(.+)' {2}# (\w+)(, then)?$/.exec(line)!);
    expect(tokens.map((match) => match.slice(2).join(''))).toEqual(
      ['north', 'coast', 'valley'].flatMap((name) => [`${name}`, `${name}, then`]),
    );
    const ask = (token: string, page: number) =>
      fetch(
        `${url}/getClients.wr?${new URLSearchParams({ sidtoken: token, limit: '99', page: String(page) })}`,
      );
    const [first, then] = [tokens[0]![1]!, tokens[1]![1]!];
    expect(await (await ask(first, 1)).json()).toMatchObject({ limit: 25, count: 25 });
    const statuses = [];
    for (const page of [2, 2, 3, 4, 5]) statuses.push((await ask(first, page)).status);
    statuses.push((await ask(then, 5)).status);
    expect(statuses).toEqual([503, 200, 200, 200, 401, 200]);
    child.kill('SIGTERM');
    expect(await once(child, 'close')).toEqual([143, null]);
  });

  test('lists all variants in its help', async () => {
    const { code, stdout } = await callsheet(['simulate', '--help'], {});
    expect(code).toBe(0);
    for (const name of variantNames) expect(stdout).toMatch(new RegExp(`^ {2}${name} +\\S`, 'm'));
    expect(stdout).toContain('getClients:page=3:times=2:status-500');
  });

  test.for([
    [['--variant', 'pages-from-nought'], /'pages-from-nought' is invalid\. There is no such variant/],
    [
      ['--fault', 'getClients:page=x:reset'],
      /"page=x" has no whole number from 0 on\. A right one: getClients:/,
    ],
    [['--fault', 'getClients:account=nroth:reset'], /account nroth; there are north, coast, valley/],
  ] as const)('ends with 64 and a clear line for %j', async ([args, line]) => {
    const { code, stdout, stderr } = await callsheet(['simulate', '--port', '0', ...args], {});
    expect([code, stdout]).toEqual([64, '']);
    expect(stderr).toMatch(line);
    expect(stderr).not.toMatch(/^\s+at /m);
  });
});
