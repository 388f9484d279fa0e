import { onTestFinished } from 'vitest';
import { generateDataset } from '../../src/simulator/dataset.ts';
import { changing } from '../support/changing.ts';
import type { SimulatorOptions } from '../support/simulator.ts';
import { startSmtpServer } from '../support/smtp-server.ts';
import { openWorld, type Place } from '../support/world.ts';
import { at, type SimulatedTime, setUp } from './simulated-time.ts';

const dataset = generateDataset();
export const tokenOf = (name: string) => dataset.accounts.find((each) => each.name === name)!.token;

type OutageOptions = {
  /** When the schedule is up, on 2 March 2026 or another instant. */
  readonly from?: string;
  /** Until when requests of the accounts get a 503, those for a later page of a client list or all. */
  readonly down?: {
    readonly until: string;
    readonly accounts?: readonly string[];
    readonly onlyPage?: string;
    readonly onlyOperation?: string;
    /** What they get instead of a 503. */
    readonly status?: number;
  };
  /** The mail server's reply to a recipient at that time; null to take it. */
  readonly onRecipient?: (address: string, now: Temporal.Instant) => string | null;
  /** Its database, elsewhere than on the suite's server. */
  readonly place?: Place;
};

/** Whether an instant lies before another. */
export const isBefore = (now: Temporal.Instant, until: string) =>
  Temporal.Instant.compare(now, Temporal.Instant.from(until)) < 0;

/** A world whose service and mail server follow the simulated time; `mails` says what arrived when. */
export async function openOutage({
  from = '2026-03-02T06:29:30Z',
  down,
  onRecipient = () => null,
  place,
}: OutageOptions) {
  const time: SimulatedTime = at(from);
  const service = changing();
  const intercept: SimulatorOptions['intercept'] = ({ account, operation, params }) => {
    if (down === undefined || !isBefore(time.now, down.until)) return undefined;
    if (down.accounts?.includes(account!) === false) return undefined;
    const isOther = down.onlyPage !== undefined && params.get('page') !== down.onlyPage;
    if (down.onlyOperation !== undefined && operation !== down.onlyOperation) return undefined;
    return isOther ? undefined : { status: down.status ?? 503, body: '{}' };
  };
  const world = await openWorld({ dataset: service.dataset, intercept }, place);
  const mails: string[] = [];
  const smtp = await startSmtpServer({
    onRecipient: (address) => {
      const reply = onRecipient(address, time.now);
      if (reply === null) mails.push(`${time.now.toString().slice(8, 16)} ${address.split('@')[0]}`);
      return reply;
    },
  });
  onTestFinished(async () => {
    await smtp.close();
    await world.close();
  });
  await setUp(world, '2026-03-02T00:00:00Z');
  const settings = {
    SCHEDULE: '30 6 * * *',
    SMTP_URL: smtp.url,
    DIGEST_FROM: 'Callsheet <callsheet@example.com>',
    DIGEST_TO: 'ana@example.com,ben@example.com',
    RETRIES: '0',
  };
  const runs = () =>
    world.query(
      `select run_date::text as "runDate", number, outcome, exit_code::int as "exitCode", retry_at as "retryAt"
       from etl.runs order by run_id`,
    );
  const digests = () =>
    world.query<{ line: string }>(
      `select concat_ws(' ', day, case when correction > 0 then 'corrected' else 'first' end, (
         select case when bool_or(p.state in ('incomplete', 'absent')) then 'incomplete' else 'complete' end
         from etl.mailed_periods p where p.mail_id = m.mail_id and p.day = m.day)) as line
       from etl.mails m order by mail_id`,
    );
  return {
    world,
    time,
    service,
    settings,
    mails,
    runs,
    digests: async () => (await digests()).map(({ line }) => line),
    /** How often the mail server was connected to. */
    connections: () => smtp.connections,
    bodies: () => smtp.received.map(({ raw }) => raw.replaceAll(/=\r?\n/g, '').replaceAll(/\s+/g, ' ')),
    subjects: () => smtp.received.map(({ raw }) => /^Subject: (.*)$/m.exec(raw)?.[1] ?? ''),
  };
}

export type Outage = Awaited<ReturnType<typeof openOutage>>;
