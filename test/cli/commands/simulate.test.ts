import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { describe, expect, test } from 'vitest';
import { callsheet, startCallsheet } from '../../support/callsheet.ts';

describe.concurrent('the command simulate', () => {
  test('serves the accounts whose tokens it prints until it is interrupted', async ({ onTestFinished }) => {
    const child = startCallsheet(['simulate', '--port', '0'], {});
    onTestFinished(() => void child.kill());
    const lines: string[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      if (lines.push(line) === 4) break;
    }
    const url = lines[0]!.replace('SERVICE_BASE_URL=', '');
    const tokens = lines.slice(1).map((line) => /^SIDTOKEN='(.+)' {2}# (.+)$/.exec(line)!);
    const listed = await Promise.all(
      tokens.map(async ([, sidtoken, name]) => {
        const query = new URLSearchParams({ sidtoken: sidtoken!, limit: '1' });
        const response = await fetch(`${url}/getClients.wr?${query}`);
        const { clients } = (await response.json()) as { clients: number };
        return [name, clients];
      }),
    );
    expect(listed).toEqual([
      ['north', 620],
      ['coast', 380],
      ['valley', 200],
    ]);
    child.kill('SIGTERM');
    expect(await once(child, 'close')).toEqual([143, null]);
  });

  test('ends with 64 and a clear line for a port that is none', async () => {
    const { code, stdout, stderr } = await callsheet(['simulate', '--port', '65536'], {});
    expect([code, stdout]).toEqual([64, '']);
    expect(stderr).toMatch(/'65536' is invalid/);
    expect(stderr).not.toMatch(/^\s+at /m);
  });
});
