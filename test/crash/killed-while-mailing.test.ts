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
  openMailScene,
  recipients,
  states,
} from './mailing.ts';

/** The stages of the first message; with TEST_KILLS=all, of the second, too. */
const killPoints = smtpStages
  .filter((stage) => stage !== 'greeting')
  .flatMap((stage) => (all ? [1, 2] : [1]).map((nth) => ({ stage, nth })))
  .flatMap((killPoint) => (['before', 'after'] as const).map((side) => ({ ...killPoint, side })));

describe.concurrent('a run that is killed while it mails', () => {
  it.for(killPoints)(
    '$side $stage of message $nth sends none twice, and reports which is unknown',
    async (killPoint, { onTestFinished }) => {
      await killWhileMailing(killPoint, onTestFinished);
    },
  );

  it.for(['before', 'after'] as const)(
    '%s the greeting leaves every message pending',
    async (side, { onTestFinished }) => {
      const scene = await openMailScene(onTestFinished);
      const proxy = await killAt(scene, 'greeting', 1, side);
      expect(await states(scene)).toEqual(['pending', 'pending']);
      expect((await callsheet(command, scene.environment)).code).toBe(0);
      expect(recipients.map((recipient) => copies(scene, recipient))).toEqual([1, 1]);
      await proxy.close();
    },
  );

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
