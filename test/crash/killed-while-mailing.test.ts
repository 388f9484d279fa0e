import { describe, expect, it } from 'vitest';
import { callsheet } from '../support/callsheet.ts';
import { smtpStages } from '../support/smtp-proxy.ts';
import { alertedUnknown } from './deliveries.ts';
import { all } from './kill-points.ts';
import {
  command,
  copies,
  day,
  killAt,
  killWhileMailing,
  type MailKillPoint,
  openMailScene,
  recipients,
  states,
} from './mailing.ts';

const sides = ['before', 'after'] as const;
const stages = smtpStages.filter((stage) => stage !== 'greeting');
const every = stages.flatMap((stage) =>
  [1, 2].flatMap((nth) => sides.map((side) => ({ stage, nth, side }) satisfies MailKillPoint)),
);

/** Where nothing was sent, and where all was but the reply; with TEST_KILLS=all, around every stage of both messages. */
const killPoints: readonly MailKillPoint[] = all
  ? every
  : [
      { stage: 'MAIL', nth: 2, side: 'before' },
      { stage: 'reply', nth: 1, side: 'before' },
    ];

describe.concurrent('a run that is killed while it mails', () => {
  it.for(killPoints)(
    '$side $stage of message $nth sends none twice, and reports which is unknown',
    async (killPoint, { onTestFinished }) => {
      await killWhileMailing(killPoint, onTestFinished);
    },
  );

  it('before the greeting leaves every message pending', async ({ onTestFinished }) => {
    const scene = await openMailScene(onTestFinished);
    const proxy = await killAt(scene, 'greeting', 1, 'before');
    expect(await states(scene)).toEqual(['pending', 'pending']);
    expect((await callsheet(command, scene.environment)).code).toBe(0);
    expect(recipients.map((recipient) => copies(scene, recipient))).toEqual([1, 1]);
    await proxy.close();
  });

  it('and again while it sends the alert, sends it in the next run', async ({ onTestFinished }) => {
    const scene = await openMailScene(onTestFinished);
    await (await killAt(scene, 'reply', 1, 'after')).close();
    // The second message is Ben's; the third is the alert.
    await (await killAt(scene, 'body', 2, 'before')).close();
    expect(await states(scene)).toEqual(['unknown', 'sent']);
    expect(await alertedUnknown(scene)).toEqual([]);
    expect((await callsheet(command, scene.environment)).code).toBe(0);
    expect(await alertedUnknown(scene)).toEqual([`${day} ana@example.com`]);
    expect(recipients.map((recipient) => copies(scene, recipient))).toEqual([1, 1]);
  });
});
