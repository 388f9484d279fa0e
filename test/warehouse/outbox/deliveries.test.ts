import { beforeEach, describe, expect, it } from 'vitest';
import { newMessageId } from '../../../src/mail/message.ts';
import {
  claimDelivery,
  deliveriesOf,
  followRecipients,
  giveUp,
  markInterrupted,
  openDeliveries,
  recordOutcome,
  recordUnattempted,
  skipDeliveries,
} from '../../../src/warehouse/outbox/deliveries.ts';
import { readDigestStates } from '../../../src/warehouse/outbox/periods.ts';
import { openTestWarehouse } from '../../support/test-warehouse.ts';
import { freeze } from './outbox.ts';

const { warehouse } = await openTestWarehouse();

beforeEach(async () => {
  await warehouse.deleteFrom('etl.deliveries').execute();
  await warehouse.deleteFrom('etl.mails').execute();
});

const day = '2026-11-18';
const daily = { name: 'Both', every: 'day', day } as const;
const recipientsOf = (deliveries: readonly { recipient: string }[]) =>
  deliveries.map(({ recipient }) => recipient);

const open = () =>
  openDeliveries(
    warehouse,
    ['Both', 'Coast', 'North'].map((name) => ({ name, to: [] })),
  );

/** All deliveries as they are. */
async function rows() {
  return await warehouse
    .selectFrom('etl.deliveries')
    .select(['recipient', 'state', 'reply', 'attempts', 'skipped_at as skippedAt'])
    .orderBy('delivery_id')
    .execute();
}
const states = async () => (await rows()).map(({ recipient, state }) => `${recipient} ${state}`);

/** Of the outcomes. */
const runDate = '2026-11-21';
const arrived = (state: 'sent' | 'written' | 'unknown', reply: string = state) =>
  ({ state, reply, step: null, code: null }) as const;
const failed = { state: 'failed', reply: '550 no', step: 'recipient', code: 550 } as const;
const outcomes = [arrived('sent'), arrived('written'), arrived('unknown'), failed] as const;

describe('an open delivery', () => {
  it('is claimed once: whoever read it before the claim gets nothing', async () => {
    await freeze(warehouse, daily, ['ana']);
    const [read] = await open();
    expect(await claimDelivery(warehouse, read!)).toBe('mime of Both');
    expect(await claimDelivery(warehouse, read!)).toBeNull();
    expect(await rows()).toMatchObject([{ state: 'sending', attempts: 1 }]);
    expect(await open()).toEqual([]);
  });

  it('returns the message of its own digest', async () => {
    for (const name of ['Coast', 'Both', 'North']) await freeze(warehouse, { ...daily, name }, ['ana']);
    const messages = [];
    for (const read of await open()) messages.push(await claimDelivery(warehouse, read));
    expect(messages).toEqual(['mime of North', 'mime of Both', 'mime of Coast']);
  });

  it('that was skipped since it was read is not claimed, and an unreachable server does not open it again', async () => {
    await freeze(warehouse, daily, ['ana', 'ben']);
    const read = await open();
    expect(await skipDeliveries(warehouse, null)).toMatchObject({ skipped: 2 });
    expect(await claimDelivery(warehouse, read[0]!)).toBeNull();
    await recordUnattempted(warehouse, read, failed, runDate);
    expect(await rows()).toMatchObject(
      Array(2).fill({
        state: 'given_up',
        reply: 'skipped by hand',
        attempts: 0,
        skippedAt: expect.any(String),
      }),
    );
    expect(await open()).toEqual([]);
  });

  it('that is not attempted because of another fails with it, or keeps its state; what another run claimed stays as it is', async () => {
    await freeze(warehouse, daily, ['ana', 'ben', 'cleo', 'dan']);
    const [ana, ben, cleo] = await open();
    await claimDelivery(warehouse, ana!);
    await recordUnattempted(warehouse, [ana!, ben!], failed, runDate);
    await recordUnattempted(warehouse, [cleo!], failed, null);
    expect(await rows()).toMatchObject([
      { state: 'sending', reply: null },
      { state: 'failed', reply: '550 no', attempts: 0 },
      { state: 'pending', reply: '550 no', attempts: 0 },
      { state: 'pending', reply: null },
    ]);
    expect(await open()).toMatchObject([{ code: 550 }, { step: 'recipient' }, { step: null }]);
  });

  it('is one that is pending or failed; those of the newest mail come first', async () => {
    await freeze(warehouse, daily, ['a', 'b', 'c', 'd', 'e']);
    const read = await open();
    for (const [index, each] of outcomes.entries())
      await recordOutcome(warehouse, read[index]!, each, runDate);
    await freeze(warehouse, { ...daily, day: '2026-11-17' }, ['z']);
    expect(recipientsOf(await open())).toEqual(['z', 'd', 'e']);
    expect((await rows()).map(({ reply }) => reply)).toEqual([
      ...outcomes.map(({ reply }) => reply),
      null,
      null,
    ]);
  });
});

describe('a delivery that a crash left sending', () => {
  it('is unknown from the next run on, and no other is', async () => {
    await freeze(warehouse, daily, ['ana', 'ben']);
    const [read] = await open();
    await claimDelivery(warehouse, read!);
    expect(await markInterrupted(warehouse)).toBe(1);
    expect(await states()).toEqual(['ana unknown', 'ben pending']);
    expect(await rows()).toMatchObject([{ reply: 'the run ended while sending' }, { reply: null }]);
    expect(recipientsOf(await open())).toEqual(['ben']);
    expect(await markInterrupted(warehouse)).toBe(0);
  });

  it('is repeated by a person alone, who takes back that it was skipped', async () => {
    await freeze(warehouse, daily, ['ana']);
    const [read] = await open();
    await claimDelivery(warehouse, read!);
    await markInterrupted(warehouse);
    await skipDeliveries(warehouse, daily);
    const [unknown] = await deliveriesOf(warehouse, daily);
    expect(unknown).toMatchObject({ state: 'unknown', messageId: read!.messageId });
    expect(await claimDelivery(warehouse, unknown!)).toBe('mime of Both');
    expect(await rows()).toMatchObject([{ state: 'sending', attempts: 2, skippedAt: null }]);
  });
});

describe('a delivery that fails', () => {
  const failOn = async (day: number) => {
    const [read] = await open();
    await claimDelivery(warehouse, read!);
    await recordOutcome(warehouse, read!, failed, `2026-12-0${day}`);
  };

  it('is given up once it failed on seven run dates, however often on each, and begins anew by hand', async () => {
    await freeze(warehouse, daily, ['ana']);
    for (const day of [1, 2, 3, 4, 5, 6, 6]) await failOn(day);
    expect(await giveUp(warehouse, 7)).toBe(0);
    await failOn(7);
    expect(await giveUp(warehouse, 7)).toBe(1);
    expect(await rows()).toMatchObject([{ state: 'given_up', reply: '550 no' }]);
    const [givenUp] = await deliveriesOf(warehouse, daily);
    await claimDelivery(warehouse, givenUp!);
    await recordOutcome(warehouse, givenUp!, failed, '2026-12-08');
    expect(await giveUp(warehouse, 7)).toBe(0);
  });
});

describe('skipping', () => {
  it('gives up what is open, keeps what was given up or is unknown as it was, and leaves the rest alone', async () => {
    await freeze(warehouse, daily, ['a', 'b', 'c', 'd', 'e', 'f', 'g']);
    const read = await open();
    for (const [index, each] of outcomes.entries())
      await recordOutcome(warehouse, read[index]!, each, runDate);
    await giveUp(warehouse, 1);
    await recordOutcome(warehouse, read[4]!, failed, runDate);
    await claimDelivery(warehouse, read[6]!);
    expect(await skipDeliveries(warehouse, null)).toMatchObject({ skipped: 4 });
    const [skipped, not] = [expect.any(String), null];
    expect(await rows()).toMatchObject([
      { state: 'sent', reply: 'sent', skippedAt: not },
      { state: 'written', reply: 'written', skippedAt: not },
      { state: 'unknown', reply: 'unknown', skippedAt: skipped },
      { state: 'given_up', reply: '550 no', skippedAt: skipped },
      { state: 'given_up', reply: 'skipped by hand', skippedAt: skipped },
      { state: 'given_up', reply: 'skipped by hand', skippedAt: skipped },
      { state: 'sending', reply: null, skippedAt: not },
    ]);
    expect(await skipDeliveries(warehouse, null)).toMatchObject({ skipped: 0 });
  });

  it('is of one digest where that is named, and not of another day, name or period', async () => {
    await freeze(warehouse, { ...daily, day: '2026-11-17' }, ['eve', 'ben']);
    const [eve] = await open();
    await recordOutcome(warehouse, eve!, arrived('sent', '250'), runDate);
    await freeze(warehouse, daily, ['ana']);
    await freeze(warehouse, { ...daily, name: 'North' }, ['cleo']);
    await freeze(warehouse, { ...daily, every: 'week' }, ['dan']);
    expect(await skipDeliveries(warehouse, daily)).toMatchObject({ skipped: 1 });
    expect(await states()).toEqual([
      'eve sent',
      'ben pending',
      'ana given_up',
      'cleo pending',
      'dan pending',
    ]);
  });
});

describe('the recipients of a digest that waits', () => {
  async function follow(to: readonly string[]) {
    const [state] = await readDigestStates(warehouse, [daily]);
    const waiting = state!.waitingMailId === null ? [] : [state!.waitingMailId];
    const digests = [{ name: daily.name, to }];
    return await followRecipients(warehouse, digests, waiting, () => newMessageId('callsheet@example.com'));
  }

  it('are those of the settings: others are added, and who is gone is dropped, if nothing went there', async () => {
    await freeze(warehouse, daily, ['ana', 'ben', 'cleo']);
    const [ana] = await open();
    await recordOutcome(warehouse, ana!, arrived('sent', '250'), runDate);
    expect(await follow(['BEN', 'dan'])).toEqual([{ digest: 'Both', recipient: 'cleo' }]);
    expect(await states()).toEqual(['ana sent', 'ben pending', 'dan pending']);
  });

  it('who are new get the newest open mail alone, though an address that fails keeps earlier ones open', async () => {
    for (const night of ['16', '17', '18']) {
      await freeze(warehouse, { ...daily, day: `2026-11-${night}` }, ['ana', 'dead']);
      const [ana, dead] = await open();
      await recordOutcome(warehouse, ana!, arrived('sent', '250'), runDate);
      await recordOutcome(warehouse, dead!, failed, runDate);
    }
    expect(await follow(['ana', 'dead', 'cleo'])).toEqual([]);
    expect((await open()).filter(({ recipient }) => recipient === 'cleo')).toMatchObject([
      { day: '2026-11-18' },
    ]);
    expect(await follow(['ana', 'cleo'])).toEqual(Array(3).fill({ digest: 'Both', recipient: 'dead' }));
    expect(await states()).toEqual(['ana sent', 'ana sent', 'ana sent', 'cleo pending']);
  });

  it('stay as they are once all have it, and if the settings lack the digest', async () => {
    await freeze(warehouse, daily, ['ana']);
    const [ana] = await open();
    await freeze(warehouse, { ...daily, name: 'North' }, ['ben']);
    await recordOutcome(warehouse, ana!, arrived('sent', '250'), runDate);
    await follow(['cleo']);
    expect(await states()).toEqual(['ana sent', 'ben pending']);
  });

  it('get it if nobody did: at another address after it was given up', async () => {
    await freeze(warehouse, daily, ['anna']);
    const [anna] = await open();
    await recordOutcome(warehouse, anna!, failed, runDate);
    await giveUp(warehouse, 1);
    await follow(['ana']);
    expect(await states()).toEqual(['anna given_up', 'ana pending']);
    // The message of it is gone once an account of it is erased.
    await warehouse.updateTable('etl.mails').set({ mime: null }).execute();
    await follow(['ana', 'ben']);
    expect(await states()).toEqual(['anna given_up', 'ana pending']);
  });
});

describe('the deliveries of a digest', () => {
  it('are those of its newest mail', async () => {
    await freeze(warehouse, daily, ['ana']);
    expect(recipientsOf(await deliveriesOf(warehouse, daily))).toEqual(['ana']);
    await freeze(warehouse, daily, ['ben'], { isCorrection: true });
    expect(recipientsOf(await deliveriesOf(warehouse, daily))).toEqual(['ben']);
    expect(await deliveriesOf(warehouse, { ...daily, every: 'week' })).toEqual([]);
  });
});
