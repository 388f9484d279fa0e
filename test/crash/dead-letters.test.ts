import { expect, it } from 'vitest';
import type { ActiveAlert } from '../../src/model/alert.ts';
import { setUpQueue, startWorker } from '../queue/workers.ts';
import { callsheet, ended, startCallsheet } from '../support/callsheet.ts';
import { openWorld } from '../support/world.ts';

it('a window that no worker can finish is reported by its run and by status until it is synced', async () => {
  const world = await openWorld();
  await setUpQueue(world.databaseUrl);
  // The warehouse refuses it in a way that may pass, at each try.
  await world.query(`
    create function etl.refuse() returns trigger language plpgsql as
      $$ begin if new.day = '2026-03-02' then raise 'away' using errcode = '57P03'; end if; return new; end $$;
    create trigger refuse before insert on warehouse.account_days for each row execute function etl.refuse()`);
  await using _worker = startWorker(world.environment);
  const days = ['--from', '2026-03-01', '--to', '2026-03-03', '--account', 'north'];
  const running = ended(startCallsheet(['backfill', ...days, '--distribute'], world.environment));
  // Its back-off is half a minute in all: it is brought forward, try by try.
  const hurry = setInterval(
    () => void world.query(`update etl_queue.job set start_after = now() where state = 'retry'`),
    100,
  );
  const { code, stderr } = await running;
  clearInterval(hurry);
  expect(code).toBe(75);
  const detail = 'no worker could finish it ({"message":"the database can\'t be used (57P03: away)"})';
  const line = `account north, campaigns of 2026-03-02: ${detail}: look at the logs of the workers`;
  expect(stderr).toContain(JSON.stringify(line).slice(1, -1));
  expect(await world.query(`select day::text, failure from etl.windows where state = 'failed'`)).toEqual([
    { day: '2026-03-02', failure: detail },
  ]);

  const unfinished = async () => {
    const { stdout } = await callsheet(['status', '--json'], world.environment);
    const { alerts } = JSON.parse(stdout) as { alerts: ActiveAlert[] };
    return alerts.filter(({ code }) => code === 'WINDOW_UNFINISHED');
  };
  expect(await unfinished()).toMatchObject([
    {
      accounts: ['north'],
      hits: expect.arrayContaining([{ noun: 'day', names: ['2026-03-02'] }]),
      cause: expect.stringContaining("the database can't be used (57P03: away)"),
      steps: expect.arrayContaining([
        expect.objectContaining({
          command: ['backfill', '--from', '2026-03-02', '--to', '2026-03-02', '--account', 'north'],
        }),
      ]),
    },
  ]);
  const { stdout } = await callsheet(['status'], world.environment);
  expect(stdout).toContain('No worker could finish a day: north, 2026-03-02');

  await world.query('drop trigger refuse on warehouse.account_days');
  const again = ['run', '--day', '2026-03-02', '--account', 'north', '--no-digest'];
  expect(await callsheet(again, world.environment)).toMatchObject({ code: 0 });
  expect(await unfinished()).toEqual([]);
  await world.close();
});
