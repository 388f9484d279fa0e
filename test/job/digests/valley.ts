import { type NightlyRequest, nightly } from '../../../src/job/nightly.ts';
import type { AppContext } from '../../../src/job/run/app-context.ts';
import { createSmtpMailer, type SmtpTimeouts } from '../../../src/mail/smtp.ts';
import { generateDataset } from '../../../src/simulator/dataset.ts';
import { createRedactor } from '../../../src/support/redaction.ts';
import { atInstant, never, runNight, undated } from '../../support/nights.ts';
import { type Fate, type SmtpStage, startSmtpProxy } from '../../support/smtp-proxy.ts';
import { startSmtpServer } from '../../support/smtp-server.ts';
import { openWorld, type World } from '../../support/world.ts';

const { token } = generateDataset().accounts.find(({ name }) => name === 'valley')!;

export type Valley = Awaited<ReturnType<typeof openValley>>;

/** One account whose days 2 and 3 March are loaded, two recipients and a mail server. Call `restore` before each test. */
export async function openValley() {
  const world = await openWorld();
  /** What the mail server does: replies that refuse a recipient, one for each attempt, and what it lets pass. */
  const server = {
    refusals: {} as Record<string, string[]>,
    /** The reply that always refuses a recipient; null for none. */
    refuses: (_: string): string | null => null,
    at: (_: SmtpStage): Fate => 'pass',
    /** How long a run waits for a reply; null for as long as in production. */
    timeouts: null as SmtpTimeouts | null,
  };
  const smtp = await startSmtpServer({
    plain: true,
    onRecipient: (address) => server.refusals[address]?.shift() ?? server.refuses(address),
  });
  const proxy = await startSmtpProxy(smtp.port, (stage) => server.at(stage));
  const settings: World['environment'] = {
    ACCOUNTS_FILE: '',
    SIDTOKEN: token,
    ACCOUNT_NAME: 'valley',
    SMTP_URL: proxy.url,
    DIGEST_FROM: 'Callsheet <callsheet@example.com>',
    DIGEST_TO: 'ana@example.com,ben@example.com',
  };
  for (const day of ['2026-03-03', '2026-03-04']) await runNight(world, day, settings, { digest: false });
  let before = 0;
  const impatient = (app: AppContext, url: string): AppContext =>
    server.timeouts === null
      ? app
      : {
          ...app,
          mailer: () => createSmtpMailer(url, app.config.mail.from, createRedactor(), server.timeouts!),
        };
  return {
    ...world,
    server,
    smtp,
    settings,
    /** A run by hand, or another one. */
    night: (
      day: string,
      others: World['environment'] = {},
      time = '06:30',
      request: Partial<NightlyRequest> = {},
    ) =>
      atInstant(
        world,
        `${day}T${time}:00Z`,
        (app) => nightly(impatient(app, others.SMTP_URL ?? proxy.url), { ...undated, ...request }, never),
        { ...settings, ...others },
      ),
    at: <T>(instant: string, work: (app: AppContext) => Promise<T>, others: World['environment'] = {}) =>
      atInstant(world, instant, work, { ...settings, ...others }),
    /** Digests begin after that day, nothing is mailed, and no later day is loaded than 3 March. */
    async restore(start = '2026-03-02') {
      await world.query('truncate etl.digest_starts, etl.mails, etl.mailed_periods, etl.alerts cascade');
      await world.query(`insert into etl.digest_starts (name, every, day) values ('Campaigns', 'day', $1)`, [
        start,
      ]);
      for (const table of ['etl.windows', 'etl.campaign_days'])
        await world.query(`delete from ${table} where day > '2026-03-03'`);
      server.refusals = {};
      server.refuses = () => null;
      server.at = () => 'pass';
      server.timeouts = null;
      before = smtp.received.length;
    },
    /** The messages since `restore`. */
    mails: () => smtp.received.slice(before),
    received: () => smtp.received.slice(before).map(({ to }) => to[0]!.split('@')[0]),
    built: async () =>
      (
        await world.query<{ line: string }>(
          `select concat_ws(' ', m.name, m.day, case when correction > 0 then 'corrected' else 'first' end,
             case when bool_or(p.state in ('incomplete', 'absent')) then 'incomplete' end) as line
           from etl.mails m join etl.mailed_periods p on p.mail_id = m.mail_id and p.day = m.day
           group by m.mail_id order by m.mail_id`,
        )
      ).map(({ line }) => line),
    states: async () =>
      (
        await world.query<{ line: string }>(
          `select split_part(recipient, '@', 1) || ' ' || state as line from etl.deliveries order by delivery_id`,
        )
      ).map(({ line }) => line),
    async close() {
      await proxy.close();
      await smtp.close();
      await world.close();
    },
  };
}
