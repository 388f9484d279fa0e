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
  recordUnreached,
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
    expect(messages).toEqual(['mime of Coast', 'mime of Both', 'mime of North']);
  });

  it('that was skipped since it was read is not claimed, and an unreachable server does not open it again', async () => {
    await freeze(warehouse, daily, ['ana', 'ben']);
    const read = await open();
    expect(await skipDeliveries(warehouse, null)).toBe(2);
    expect(await claimDelivery(warehouse, read[0]!)).toBeNull();
    await recordUnreached(warehouse, read, { reply: 'connection refused', cause: 'unreachable' });
    expect(await rows()).toMatchObject([
      { state: 'refused', reply: 'skipped by hand', attempts: 0, skippedAt: expect.any(String) },
      { state: 'refused', reply: 'skipped by hand', attempts: 0, skippedAt: expect.any(String) },
    ]);
    expect(await open()).toEqual([]);
  });

  it('that another run claimed, or that is not among those put off, stays as it is where the server is unreachable', async () => {
    await freeze(warehouse, daily, ['ana', 'ben', 'cleo']);
    const read = await open();
    await claimDelivery(warehouse, read[0]!);
    await recordUnreached(warehouse, read.slice(0, 2), { reply: 'connection refused', cause: 'unreachable' });
    expect(await rows()).toMatchObject([
      { state: 'sending', reply: null },
      { state: 'pending', reply: 'connection refused', attempts: 0 },
      { state: 'pending', reply: null },
    ]);
  });

  it('is one that is pending or failed; those of the oldest day come first', async () => {
    const ids = ['a', 'b', 'c', 'd', 'e', 'f'];
    await freeze(warehouse, daily, ids);
    const outcomes = ['sent', 'written', 'failed', 'refused', 'unknown'] as const;
    const read = await open();
    for (const [index, state] of outcomes.entries())
      await recordOutcome(warehouse, read[index]!, { state, reply: `it is ${state}`, cause: null }, runDate);
    await freeze(warehouse, { ...daily, day: '2026-11-17' }, ['z']);
    expect(recipientsOf(await open())).toEqual(['z', 'c', 'f']);
    expect((await rows()).map(({ reply }) => reply)).toEqual([
      ...outcomes.map((state) => `it is ${state}`),
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
  const failed = { state: 'failed', reply: '554 no', cause: 'sender' } as const;
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
    expect(await rows()).toMatchObject([{ state: 'refused', reply: '554 no' }]);
    const [refused] = await deliveriesOf(warehouse, daily);
    await claimDelivery(warehouse, refused!);
    await recordOutcome(warehouse, refused!, failed, '2026-12-08');
    expect(await giveUp(warehouse, 7)).toBe(0);
  });
});

describe('skipping', () => {
  it('refuses what is open, keeps what was refused or is unknown as it was, and leaves the rest alone', async () => {
    await freeze(warehouse, daily, ['a', 'b', 'c', 'd', 'e', 'f', 'g']);
    const read = await open();
    const outcomes = ['sent', 'written', 'failed', 'refused', 'unknown'] as const;
    for (const [index, state] of outcomes.entries())
      await recordOutcome(warehouse, read[index]!, { state, reply: state, cause: null }, runDate);
    await claimDelivery(warehouse, read[6]!);
    expect(await skipDeliveries(warehouse, null)).toBe(4);
    const [skipped, not] = [expect.any(String), null];
    expect(await rows()).toMatchObject([
      { state: 'sent', reply: 'sent', skippedAt: not },
      { state: 'written', reply: 'written', skippedAt: not },
      { state: 'refused', reply: 'skipped by hand', skippedAt: skipped },
      { state: 'refused', reply: 'refused', skippedAt: skipped },
      { state: 'unknown', reply: 'unknown', skippedAt: skipped },
      { state: 'refused', reply: 'skipped by hand', skippedAt: skipped },
      { state: 'sending', reply: null, skippedAt: not },
    ]);
    expect(await skipDeliveries(warehouse, null)).toBe(0);
  });

  it('is of one digest where that is named, and not of another day, name or period', async () => {
    await freeze(warehouse, { ...daily, day: '2026-11-17' }, ['eve', 'ben']);
    const [eve] = await open();
    await recordOutcome(warehouse, eve!, { state: 'sent', reply: '250', cause: null }, runDate);
    await freeze(warehouse, daily, ['ana']);
    await freeze(warehouse, { ...daily, name: 'North' }, ['cleo']);
    await freeze(warehouse, { ...daily, every: 'week' }, ['dan']);
    expect(await skipDeliveries(warehouse, daily)).toBe(1);
    expect(await states()).toEqual(['eve sent', 'ben pending', 'ana refused', 'cleo pending', 'dan pending']);
  });
});

describe('the recipients of a digest that waits', () => {
  async function follow(to: readonly string[]): Promise<void> {
    const [state] = await readDigestStates(warehouse, [daily]);
    const waiting = state!.waitingMailId === null ? [] : [state!.waitingMailId];
    const digests = [{ name: daily.name, to }];
    await followRecipients(warehouse, digests, waiting, () => newMessageId('callsheet@example.com'));
  }

  it('are those of the settings: others are added, and who is gone is dropped, if nothing went there', async () => {
    await freeze(warehouse, daily, ['ana', 'ben', 'cleo']);
    const [ana] = await open();
    await recordOutcome(warehouse, ana!, { state: 'sent', reply: '250', cause: null }, runDate);
    await follow(['BEN', 'dan']);
    expect(await states()).toEqual(['ana sent', 'ben pending', 'dan pending']);
  });

  it('stay as they are once all have it, and if the settings lack the digest', async () => {
    await freeze(warehouse, daily, ['ana']);
    await freeze(warehouse, { ...daily, name: 'North' }, ['ben']);
    const [ana] = await open();
    await recordOutcome(warehouse, ana!, { state: 'sent', reply: '250', cause: null }, runDate);
    await follow(['cleo']);
    expect(await states()).toEqual(['ana sent', 'ben pending']);
  });

  it('get it if nobody did: at another address after a refusal', async () => {
    await freeze(warehouse, daily, ['anna']);
    const [anna] = await open();
    await recordOutcome(warehouse, anna!, { state: 'refused', reply: '550', cause: 'recipient' }, runDate);
    await follow(['ana']);
    expect(await states()).toEqual(['anna refused', 'ana pending']);
    // The message of it is gone once an account of it is erased.
    await warehouse.updateTable('etl.mails').set({ mime: null }).execute();
    await follow(['ana', 'ben']);
    expect(await states()).toEqual(['anna refused', 'ana pending']);
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
