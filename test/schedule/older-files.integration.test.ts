import { appendFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it, onTestFinished } from 'vitest';
import { ended, startCallsheet } from '../support/callsheet.ts';
import { command } from '../support/command.ts';
import { openWorld } from '../support/world.ts';

it('of a file that changed since it was read, the process says so, and status of another one, until it is restarted', async () => {
  const world = await openWorld();
  onTestFinished(() => world.close());
  const file = path.resolve(world.environment.ACCOUNTS_FILE!);
  // It looks again with each scheduled time.
  const environment = { ...world.environment, SCHEDULE: '* * * * * *', HTTP_PORT: '0' };
  const status = () => command(['status'], world.environment);

  const child = startCallsheet(['schedule'], environment);
  const ending = ended(child);
  onTestFinished(() => void child.kill('SIGKILL'));
  const said: string[] = [];
  let isChanged = false;
  for await (const line of createInterface(child.stderr)) {
    const { msg } = JSON.parse(line) as { msg: string };
    if (!isChanged && msg.startsWith('done')) {
      isChanged = true;
      expect(await status()).toMatchObject({ code: 0 });
      await appendFile(file, '\n# corrected\n');
    }
    if (msg.includes('restart to use it')) {
      said.push(msg);
      break;
    }
  }
  expect(said[0]).toMatch(new RegExp(`${path.basename(file)} changed on \\d+ \\w+ at \\d\\d:\\d\\d`));
  await expect.poll(status, { timeout: 20_000 }).toMatchObject({
    code: 75,
    stdout: expect.stringContaining(`${file} changed on`),
  });
  child.kill('SIGKILL');
  await ending;

  const restarted = startCallsheet(['schedule'], environment);
  onTestFinished(() => void restarted.kill('SIGKILL'));
  const stopping = ended(restarted);
  for await (const line of createInterface(restarted.stderr))
    if ((JSON.parse(line) as { msg: string }).msg.startsWith('done')) break;
  restarted.kill('SIGTERM');
  await stopping;
  expect((await status()).stdout).not.toContain('changed on');
});
