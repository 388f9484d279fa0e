import PostalMime from 'postal-mime';
import { afterEach, expect, it } from 'vitest';
import { generateDataset } from '../../src/simulator/dataset.ts';
import { runNight } from '../support/nights.ts';
import { startSmtpServer, type TestSmtpServer } from '../support/smtp-server.ts';
import { openWorld, type World } from '../support/world.ts';

let world: World;
let smtp: TestSmtpServer;
afterEach(async () => {
  await world.close();
  await smtp.close();
});

const night = (day: string) =>
  runNight(world, day, {
    SMTP_URL: smtp.url,
    DIGEST_FROM: 'Callsheet <callsheet@example.com>',
    CONCURRENCY: '2',
  });

it('a client list that never comes to its end delays no window and no mail; the next digest has what it brought, once', async () => {
  let mailed = Promise.withResolvers<void>();
  smtp = await startSmtpServer({
    onMessage: () => {
      mailed.resolve();
      return '250 OK';
    },
  });
  const dataset = generateDataset();
  let isSlow = false;
  const added = { clientid: 99_001, clientname: 'Zebra Optics', checksum: '1', balance: '12.50' };
  world = await openWorld({
    dataset: {
      ...dataset,
      clients: (account) =>
        isSlow && account === 'coast' ? [...dataset.clients(account), added] : dataset.clients(account),
    },
    intercept: async ({ operation }) => {
      if (isSlow && operation === 'getClients') await mailed.promise;
      return undefined;
    },
  });
  await night('2026-03-03');
  expect(smtp.received).toHaveLength(1);

  isSlow = true;
  mailed = Promise.withResolvers();
  const report = await night('2026-03-04');
  expect(report).toMatchObject({ exitCode: 0, stats: { clients: { appeared: 1, incompleteWalks: 0 } } });
  await night('2026-03-05');

  const texts = await Promise.all(smtp.received.map(async ({ raw }) => (await PostalMime.parse(raw)).text!));
  expect(texts.map((text) => text.includes('Zebra Optics'))).toEqual([false, false, true]);
});

it('a run ends at once where the database is lost, however slow a client list is', async () => {
  smtp = await startSmtpServer();
  let cut = async () => {};
  world = await openWorld({
    intercept: async ({ operation }) => {
      if (operation === 'getClients') return await new Promise<never>(() => {});
      await cut();
      return undefined;
    },
  });
  cut = async () => {
    await world.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid()`,
    );
  };
  await expect(night('2026-03-03')).rejects.toThrow(/database|connection|lock/);
});
