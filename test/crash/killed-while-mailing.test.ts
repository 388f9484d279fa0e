import { describe, expect, it } from 'vitest';
import { callsheet } from '../support/callsheet.ts';
import { smtpStages } from '../support/smtp-proxy.ts';
import { toldUnknown } from './deliveries.ts';
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
import { all } from './moments.ts';

/** The stages of the first message; with TEST_KILLS=all, of the second, too. */
const moments = smtpStages
  .filter((stage) => stage !== 'greeting')
  .flatMap((stage) => (all ? [1, 2] : [1]).map((nth) => ({ stage, nth })))
  .flatMap((moment) => (['before', 'after'] as const).map((side) => ({ ...moment, side })));

describe.concurrent('a run that is killed while it mails', () => {
  it.for(moments)(
    '$side $stage of message $nth sends none twice, and tells what is unknown',
    async (moment, { onTestFinished }) => {
      await killWhileMailing(moment, onTestFinished);
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
