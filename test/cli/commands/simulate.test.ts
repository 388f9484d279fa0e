import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { describe, expect, test } from 'vitest';
import { variantNames } from '../../../src/simulator/variants.ts';
import { callsheet, startCallsheet } from '../../support/callsheet.ts';

describe.concurrent('the command simulate', () => {
  test('applies the given variants and faults until it is interrupted', async ({ onTestFinished }) => {
    const variants = ['--variant', 'limit-clamped', '--variant', 'token-expires'];
    const fault = ['--fault', 'getClients:page=2:times=1:status-503'];
    const child = startCallsheet(['simulate', '--port', '0', ...variants, ...fault], {});
    onTestFinished(() => void child.kill());
    const lines: string[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      if (lines.push(line) === 7) break;
    }
    const url = lines[0]!.replace('SERVICE_BASE_URL=', '');
    const tokens = lines.slice(1).map((line) => /^SIDTOKEN='(.+)' {2}# (.+)$/.exec(line)!);
    expect(tokens.map((match) => match[2])).toEqual(
      ['north', 'coast', 'valley'].flatMap((name) => [name, `${name}, renewed`]),
    );
    const request = (sidtoken: string, page: number) =>
      fetch(`${url}/getClients.wr?${new URLSearchParams({ sidtoken, limit: '99', page: String(page) })}`);
    const [original, renewed] = [tokens[0]![1]!, tokens[1]![1]!];
    expect(await (await request(original, 1)).json()).toMatchObject({ limit: 25, count: 25 });
    const statuses: number[] = [];
    for (const page of [2, 2, 3, 4, 5, 6]) statuses.push((await request(original, page)).status);
    statuses.push((await request(renewed, 6)).status);
    expect(statuses).toEqual([503, 200, 200, 200, 200, 401, 200]);
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
      /"page=x" has no whole number from 0 on\. A valid one: getClients:/,
    ],
    [
      ['--fault', 'getClients:account=nroth:reset'],
      /unknown account nroth; the accounts are north, coast, valley/,
    ],
  ] as const)('ends with 64 and a clear line for %j', async ([args, line]) => {
    const { code, stdout, stderr } = await callsheet(['simulate', '--port', '0', ...args], {});
    expect([code, stdout]).toEqual([64, '']);
    expect(stderr).toMatch(line);
    expect(stderr).not.toMatch(/^\s+at /m);
  });
});
