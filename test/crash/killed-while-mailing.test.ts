import { once } from 'node:events';
import { describe, expect, it, type onTestFinished } from 'vitest';
import { generateDataset } from '../../src/simulator/dataset.ts';
import { callsheet, startCallsheet } from '../support/callsheet.ts';
import { type SmtpStage, smtpStages, startSmtpProxy } from '../support/smtp-proxy.ts';
import { startSmtpServer } from '../support/smtp-server.ts';
import { openWorld } from '../support/world.ts';
import { toldUnknown } from './deliveries.ts';
import { lockFreed } from './killing.ts';

const day = '2026-03-10';
const command = ['run', '--day', day];
const valley = generateDataset().accounts.find((each) => each.name === 'valley')!;
const recipients = ['ana@example.com', 'ben@example.com'];

/** One account, two recipients, and a mail server that speaks in the clear. */
async function openMailScene(finished: typeof onTestFinished) {
  const [world, smtp] = await Promise.all([openWorld(), startSmtpServer({ plain: true })]);
  finished(async () => {
    await smtp.close();
    await world.close();
  });
  const environment = {
    ...{ ...world.environment, ACCOUNTS_FILE: '', SIDTOKEN: valley.token, ACCOUNT_NAME: 'valley' },
    ...{ SMTP_URL: smtp.url, DIGEST_FROM: 'Callsheet <callsheet@example.com>' },
    ...{ DIGEST_TO: recipients.join(','), ALERT_TO: 'ops@example.com' },
  };
  return { ...world, smtp, environment };
}
type MailScene = Awaited<ReturnType<typeof openMailScene>>;

/** Runs, and kills when the `nth` of a stage is about to pass; then it does, or it never reaches the server. */
async function killAt(scene: MailScene, stage: SmtpStage, nth: number, side: 'before' | 'after') {
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

const states = async (scene: MailScene) =>
  (await scene.query<{ state: string }>('select state from etl.deliveries order by delivery_id')).map(
    ({ state }) => state,
  );
const copies = ({ smtp }: MailScene, recipient: string) =>
  smtp.received.filter(({ to }) => to[0] === recipient).length;

/** How many copies the server may have of a message that was cut off there. */
function arrivals({ stage, side }: { readonly stage: SmtpStage; readonly side: string }): number[] {
  // The client may have sent all of a small message by then, or not.
  if (stage === 'body' && side === 'after') return [0, 1];
  return stage === 'reply' || (stage === 'dot' && side === 'after') ? [1] : [0];
}

const all = process.env.TEST_KILLS === 'all';

/** The stages of the first message; with TEST_KILLS=all, of the second, too. */
const moments = smtpStages
  .filter((stage) => stage !== 'greeting')
  .flatMap((stage) => (all ? [1, 2] : [1]).map((nth) => ({ stage, nth })))
  .flatMap((moment) => (['before', 'after'] as const).map((side) => ({ ...moment, side })));

describe.concurrent('a run that is killed while it mails', () => {
  it.for(moments)(
    '$side $stage of message $nth sends none twice, and tells what is unknown',
    async (moment, { onTestFinished }) => {
      const scene = await openMailScene(onTestFinished);
      const proxy = await killAt(scene, moment.stage, moment.nth, moment.side);
      const cut = recipients[moment.nth - 1]!;
      expect(await states(scene)).toEqual(moment.nth === 1 ? ['sending', 'pending'] : ['sent', 'sending']);

      expect((await callsheet(command, scene.environment)).code).toBe(75);
      expect(await states(scene)).toEqual(moment.nth === 1 ? ['unknown', 'sent'] : ['sent', 'unknown']);
      expect(await toldUnknown(scene)).toEqual([`${day} ${cut}`]);
      await proxy.close();

      expect((await callsheet(command, scene.environment)).code).toBe(0);
      expect(arrivals(moment)).toContain(copies(scene, cut));
      expect(recipients.filter((each) => each !== cut).map((each) => copies(scene, each))).toEqual([1]);
      expect(copies(scene, 'ops@example.com')).toBe(1);
    },
  );

  it.for(['before', 'after'] as const)(
    '%s the greeting owes everything still',
    async (side, { onTestFinished }) => {
      const scene = await openMailScene(onTestFinished);
      const proxy = await killAt(scene, 'greeting', 1, side);
      expect(await states(scene)).toEqual(['pending', 'pending']);
      expect((await callsheet(command, scene.environment)).code).toBe(0);
      expect(recipients.map((recipient) => copies(scene, recipient))).toEqual([1, 1]);
      await proxy.close();
    },
  );

  it('and again while it tells so, tells it the next time', async ({ onTestFinished }) => {
    const scene = await openMailScene(onTestFinished);
    await (await killAt(scene, 'reply', 1, 'after')).close();
    // The second message is Ben's; the third is the alert.
    await (await killAt(scene, 'body', 2, 'before')).close();
    expect(await states(scene)).toEqual(['unknown', 'sent']);
    expect(await toldUnknown(scene)).toEqual([]);
    expect((await callsheet(command, scene.environment)).code).toBe(0);
    expect(await toldUnknown(scene)).toEqual([`${day} ana@example.com`]);
    expect(recipients.map((recipient) => copies(scene, recipient))).toEqual([1, 1]);
  });
});
