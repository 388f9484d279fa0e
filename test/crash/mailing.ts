import { once } from 'node:events';
import { expect, type onTestFinished } from 'vitest';
import { generateDataset } from '../../src/simulator/dataset.ts';
import { callsheet, startCallsheet } from '../support/callsheet.ts';
import { type SmtpStage, startSmtpProxy } from '../support/smtp-proxy.ts';
import { startSmtpServer } from '../support/smtp-server.ts';
import { mailsLongAgo, openWorld } from '../support/world.ts';
import { alertedUnknown } from './deliveries.ts';
import { lockFreed } from './killing.ts';

export const day = '2026-03-10';
export const command = ['run', '--day', day];
const valley = generateDataset().accounts.find((each) => each.name === 'valley')!;
export const recipients = ['ana@example.com', 'ben@example.com'];

/** One account, two recipients, and a mail server that speaks in the clear. */
export async function openMailScene(finished: typeof onTestFinished) {
  const [world, smtp] = await Promise.all([openWorld(), startSmtpServer({ plain: true })]);
  finished(async () => {
    await smtp.close();
    await world.close();
  });
  const environment = {
    ...world.environment,
    ...(await mailsLongAgo(world, ['valley'])),
    ACCOUNTS_FILE: '',
    SIDTOKEN: valley.token,
    ACCOUNT_NAME: 'valley',
    SMTP_URL: smtp.url,
    DIGEST_FROM: 'Callsheet <callsheet@example.com>',
    DIGEST_TO: recipients.join(','),
    ALERT_TO: 'ops@example.com',
  };
  return { ...world, smtp, environment };
}
type MailScene = Awaited<ReturnType<typeof openMailScene>>;

/** Runs, and kills when the `nth` of a stage is about to pass; then it does, or it never reaches the server. */
export async function killAt(scene: MailScene, stage: SmtpStage, nth: number, side: 'before' | 'after') {
  let seen = 0;
  const proxy = await startSmtpProxy(scene.smtp.port, async (now) => {
    if (now !== stage || ++seen !== nth) return 'pass';
    child.kill('SIGKILL');
    await ended;
    return side === 'after' ? 'pass' : 'drop';
  });
  const child = startCallsheet(command, { ...scene.environment, SMTP_URL: proxy.url });
  child.stdout.resume();
  child.stderr.resume();
  const ended = once(child, 'exit');
  expect(await ended, 'it was killed, and did not end before').toEqual([null, 'SIGKILL']);
  await lockFreed(scene);
  return proxy;
}

export const states = async (scene: MailScene) =>
  (await scene.query<{ state: string }>('select state from etl.deliveries order by delivery_id')).map(
    ({ state }) => state,
  );
export const copies = ({ smtp }: MailScene, recipient: string) =>
  smtp.received.filter(({ to }) => to[0] === recipient).length;

/** How many copies the server may have of a message that was cut off there. */
function arrivals({ stage, side }: { readonly stage: SmtpStage; readonly side: string }): number[] {
  // The client may have sent all of a small message by then, or not.
  if (stage === 'body' && side === 'after') return [0, 1];
  return stage === 'reply' || (stage === 'dot' && side === 'after') ? [1] : [0];
}

/** When to kill: just before or after so many a stage passes the proxy. */
export type MailKillPoint = {
  readonly stage: SmtpStage;
  readonly nth: number;
  readonly side: 'before' | 'after';
};

/** Kills a run while it mails; the next one sends nothing twice, and reports what is unknown. */
export async function killWhileMailing(
  killPoint: MailKillPoint,
  finished: typeof onTestFinished,
): Promise<void> {
  const scene = await openMailScene(finished);
  const proxy = await killAt(scene, killPoint.stage, killPoint.nth, killPoint.side);
  const cut = recipients[killPoint.nth - 1]!;
  expect(await states(scene)).toEqual(killPoint.nth === 1 ? ['sending', 'pending'] : ['sent', 'sending']);

  expect((await callsheet(command, scene.environment)).code).toBe(75);
  expect(await states(scene)).toEqual(killPoint.nth === 1 ? ['unknown', 'sent'] : ['sent', 'unknown']);
  expect(await alertedUnknown(scene)).toEqual([`${day} ${cut}`]);
  await proxy.close();

  expect((await callsheet(command, scene.environment)).code).toBe(0);
  expect(arrivals(killPoint)).toContain(copies(scene, cut));
  expect(recipients.filter((each) => each !== cut).map((each) => copies(scene, each))).toEqual([1]);
  expect(copies(scene, 'ops@example.com')).toBe(1);
}
