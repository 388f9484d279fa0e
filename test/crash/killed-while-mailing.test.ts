import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { generateDataset } from '../../src/simulator/dataset.ts';
import { callsheet, startCallsheet } from '../support/callsheet.ts';
import { type SmtpStage, smtpStages, startSmtpProxy } from '../support/smtp-proxy.ts';
import { alertedUnknown } from './deliveries.ts';
import { all } from './kill-points.ts';
import { lockFreed } from './killing.ts';
import { openScene, type Scene } from './scene.ts';

const day = '2026-03-10';
const command = ['run', '--day', day];
const recipients = ['ana@example.com', 'ben@example.com'];
/** A digest of one account is built quickly. */
const valley = {
  ACCOUNTS_FILE: '',
  ACCOUNT_NAME: 'valley',
  SIDTOKEN: generateDataset().accounts.find((each) => each.name === 'valley')!.token,
};

const openMailScene = async () => {
  const scene = await openScene(undefined, { plain: true });
  return { ...scene, environment: { ...scene.environment, ...valley } };
};

/** Runs, and kills when the `nth` of a stage is about to pass the proxy; then it passes, or never reaches the server. */
async function killAt(scene: Scene, stage: SmtpStage, nth: number, side: 'before' | 'after'): Promise<void> {
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
  // What passed still reaches the server.
  if (side === 'after') await proxy.left();
  await proxy.close();
}

const states = async ({ query }: Scene) =>
  (await query<{ state: string }>('select state from etl.deliveries order by delivery_id')).map(
    ({ state }) => state,
  );

const copies = ({ smtp }: Scene, recipient: string) =>
  smtp.received.filter(({ to }) => to[0] === recipient).length;

const stages = smtpStages.filter((stage) => stage !== 'greeting');
/** Where nothing was sent, and where all was but the reply; with TEST_KILLS=all, around every stage of both messages. */
const killPoints = all
  ? stages.flatMap((stage) =>
      [1, 2].flatMap((nth) => (['before', 'after'] as const).map((side) => ({ stage, nth, side }))),
    )
  : ([
      { stage: 'MAIL', nth: 2, side: 'before' },
      { stage: 'reply', nth: 1, side: 'before' },
    ] as const);

describe.concurrent('a run that is killed while it mails', () => {
  it.each(killPoints)(
    '$side $stage of message $nth sends none twice, and reports which is unknown',
    async (killPoint) => {
      await using scene = await openMailScene();
      const { stage, nth, side } = killPoint;
      await killAt(scene, stage, nth, side);
      expect(await states(scene)).toEqual(nth === 1 ? ['sending', 'pending'] : ['sent', 'sending']);

      const { code, stderr } = await callsheet(command, scene.environment);
      expect(code).toBe(75);
      expect(await states(scene)).toEqual(nth === 1 ? ['unknown', 'sent'] : ['sent', 'unknown']);
      // The step has two parts, before and after digests are built, and each says what it did.
      const did = nth === 1 ? ['1 mail of unknown arrival', '1 mail sent'] : ['1 mail of unknown arrival'];
      expect(stderr.match(/"msg":"mail: [^"]+(?=, in )/g)).toEqual(did.map((what) => `"msg":"mail: ${what}`));
      const cut = recipients[nth - 1]!;
      expect(await alertedUnknown(scene)).toEqual([`${day} ${cut}`]);

      expect(await callsheet(command, scene.environment)).toMatchObject({ code: 0 });
      const arrived = stage === 'reply' || (stage === 'dot' && side === 'after') ? [1] : [0];
      // The client may have sent all of a small message by then, or not.
      expect(stage === 'body' && side === 'after' ? [0, 1] : arrived).toContain(copies(scene, cut));
      expect(copies(scene, recipients.find((each) => each !== cut)!)).toBe(1);
      expect(copies(scene, 'ops@example.com')).toBe(1);
    },
  );

  it('before the greeting leaves every message pending', async () => {
    await using scene = await openMailScene();
    await killAt(scene, 'greeting', 1, 'before');
    expect(await states(scene)).toEqual(['pending', 'pending']);
    expect(await callsheet(command, scene.environment)).toMatchObject({ code: 0 });
    expect(recipients.map((recipient) => copies(scene, recipient))).toEqual([1, 1]);
  });

  it('and again while it sends the alert, sends it in the next run', async () => {
    await using scene = await openMailScene();
    await killAt(scene, 'reply', 1, 'before');
    // The second message is Ben's; the third is the alert.
    await killAt(scene, 'body', 2, 'before');
    expect(await states(scene)).toEqual(['unknown', 'sent']);
    expect(await alertedUnknown(scene)).toEqual([]);
    expect(await callsheet(command, scene.environment)).toMatchObject({ code: 0 });
    expect(await alertedUnknown(scene)).toEqual([`${day} ana@example.com`]);
    expect(recipients.map((recipient) => copies(scene, recipient))).toEqual([1, 1]);
  });
});
