import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { startCallsheet } from '../../support/callsheet.ts';

describe.concurrent('the command simulate', () => {
  test('serves the accounts whose tokens it prints and logs each request, until it is interrupted', async ({
    onTestFinished,
  }) => {
    const child = startCallsheet(['simulate', '--port', '0'], {});
    onTestFinished(() => void child.kill());
    const lines: string[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      lines.push(line);
      if (line.includes(' --url ')) break;
    }
    const url = /^ {2}npm start -- init --url (.+)$/.exec(lines.at(-1)!)![1]!;
    // Each token is alone in its line, to be pasted.
    const tokens = [0, 2, 4].map((at) => [/^Session token of (.+):$/.exec(lines[at]!)![1], lines[at + 1]!]);
    const listed = await Promise.all(
      tokens.map(async ([name, sidtoken]) => {
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
    const [logged] = await Promise.all([text(child.stderr), once(child, 'close')]);
    expect(child.exitCode).toBe(143);
    const requests = logged
      .trimEnd()
      .split('\n')
      .slice(0, 4)
      .map((line) => JSON.parse(line).msg);
    expect(requests.slice(1).sort()).toEqual(
      ['coast', 'north', 'valley'].map((name) => `${name}: getClients.wr limit=1: 200`),
    );
    for (const [, sidtoken] of tokens) expect(logged).not.toContain(sidtoken);
  });

  test('serves a night of a story, which it prints before the others of the story', async ({
    onTestFinished,
  }) => {
    const now = Temporal.Now.plainDateISO('UTC');
    // Its last night is today; half of the day before was announced, and not listed, on each of the nights 4 to 8 of 11.
    const night = now.subtract({ days: 6 });
    const child = startCallsheet(
      ['simulate', '--port', '0', '--story', 'half-a-day', '--day', `${night}`],
      {},
    );
    onTestFinished(() => void child.kill());
    const lines: string[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      lines.push(line);
      if (line.includes(' --url ')) break;
    }
    const nights = lines.filter((line) => line.startsWith('#'));
    expect(nights).toHaveLength(5);
    expect(nights[0]).toMatch(new RegExp(`^#>${night}  north lists half of \\w+ \\d+ \\w+$`));
    const url = lines.at(-1)!.replace(/.* --url /, '');
    const sidtoken = lines[lines.indexOf('Session token of north:') + 1];
    const counts = async (day: Temporal.PlainDate) => {
      const [, year, rest] = /^(\d{4})-(.+)$/.exec(`${day}`)!;
      const query = new URLSearchParams({
        sidtoken: sidtoken!,
        startdate: `${rest}-${year}`,
        enddate: `${rest}-${year}`,
      });
      const response = await fetch(`${url}/campaignSummary.wr?${query}`);
      const { campaigns, result } = (await response.json()) as { campaigns: number; result: unknown[] };
      return [campaigns, result.length] as const;
    };
    const [announced, listed] = await counts(night.subtract({ days: 1 }));
    expect(listed).toBe(Math.ceil(announced / 2));
    const [before, whole] = await counts(night.subtract({ days: 2 }));
    expect(whole).toBe(before);
    // It takes that day for today: there is nothing of later ones.
    expect(await counts(now)).toEqual([0, 0]);
  });
});
