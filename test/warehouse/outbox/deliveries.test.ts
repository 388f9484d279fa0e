import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openWarehouse, type Warehouse } from '../../../src/warehouse/db/database.ts';
import {
  claimDelivery,
  deliveriesOf,
  markInterrupted,
  openDeliveries,
  recordOutcome,
  recordUnreached,
  skipDeliveries,
  skipGoneRecipients,
} from '../../../src/warehouse/outbox/deliveries.ts';
import { createDatabase, type TestDatabase } from '../../support/database.ts';
import { freeze } from './outbox.ts';

let database: TestDatabase;
let warehouse: Warehouse;

beforeAll(async () => {
  database = await createDatabase({ template: 'migrated' });
  warehouse = openWarehouse(database.url, 2);
});
beforeEach(async () => {
  await warehouse.deleteFrom('etl.deliveries').execute();
  await warehouse.deleteFrom('etl.digests').execute();
});
afterAll(async () => {
  await warehouse.destroy();
  await database.drop();
});

const day = '2026-11-18';
const daily = { name: 'Both', every: 'day', day } as const;
const recipientsOf = (deliveries: readonly { recipient: string }[]) =>
  deliveries.map(({ recipient }) => recipient);

/** All deliveries as they are. */
async function rows() {
  return await warehouse
    .selectFrom('etl.deliveries')
    .select(['recipient', 'state', 'reply', 'attempts', 'skipped_at as skippedAt'])
    .orderBy('delivery_id')
    .execute();
}
const states = async () => (await rows()).map(({ recipient, state }) => `${recipient} ${state}`);

describe('an open delivery', () => {
  it('is claimed once: whoever read it before the claim gets nothing', async () => {
    await freeze(warehouse, daily, ['ana']);
    const [read] = await openDeliveries(warehouse);
    expect(await claimDelivery(warehouse, read!)).toBe('mime of Both');
    expect(await claimDelivery(warehouse, read!)).toBeNull();
    expect(await rows()).toMatchObject([{ state: 'sending', attempts: 1 }]);
    expect(await openDeliveries(warehouse)).toEqual([]);
  });

  it('gives the message of its own digest', async () => {
    for (const name of ['Coast', 'Both', 'North']) await freeze(warehouse, { ...daily, name }, ['ana']);
    const messages = [];
    for (const read of await openDeliveries(warehouse)) messages.push(await claimDelivery(warehouse, read));
    expect(messages).toEqual(['mime of Coast', 'mime of Both', 'mime of North']);
  });

  it('that was skipped since it was read is not claimed, and an unreachable server does not open it again', async () => {
    await freeze(warehouse, daily, ['ana', 'ben']);
    const read = await openDeliveries(warehouse);
    expect(await skipDeliveries(warehouse, null)).toBe(2);
    expect(await claimDelivery(warehouse, read[0]!)).toBeNull();
    await recordUnreached(warehouse, read, { reply: 'connection refused', retryable: true });
    expect(await rows()).toMatchObject([
      { state: 'refused', reply: 'skipped by hand', attempts: 0, skippedAt: expect.any(String) },
      { state: 'refused', reply: 'skipped by hand', attempts: 0, skippedAt: expect.any(String) },
    ]);
    expect(await openDeliveries(warehouse)).toEqual([]);
  });

  it('that another run claimed, or that is not among those put off, stays as it is where the server is unreachable', async () => {
    await freeze(warehouse, daily, ['ana', 'ben', 'cleo']);
    const read = await openDeliveries(warehouse);
    await claimDelivery(warehouse, read[0]!);
    await recordUnreached(warehouse, read.slice(0, 2), { reply: 'connection refused', retryable: true });
    expect(await rows()).toMatchObject([
      { state: 'sending', reply: null },
      { state: 'failed', reply: 'connection refused', attempts: 0 },
      { state: 'pending', reply: null },
    ]);
  });

  it('is one that is pending or failed; those of the oldest day come first', async () => {
    const ids = ['a', 'b', 'c', 'd', 'e', 'f'];
    await freeze(warehouse, daily, ids);
    const outcomes = ['sent', 'written', 'failed', 'refused', 'unknown'] as const;
    const read = await openDeliveries(warehouse);
    for (const [index, state] of outcomes.entries())
      await recordOutcome(warehouse, read[index]!, { state, reply: `it is ${state}`, retryable: false });
    await freeze(warehouse, { ...daily, day: '2026-11-17' }, ['z']);
    expect(recipientsOf(await openDeliveries(warehouse))).toEqual(['z', 'c', 'f']);
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
    const [read] = await openDeliveries(warehouse);
    await claimDelivery(warehouse, read!);
    expect(await markInterrupted(warehouse)).toBe(1);
    expect(await states()).toEqual(['ana unknown', 'ben pending']);
    expect(await rows()).toMatchObject([{ reply: 'the run ended while sending' }, { reply: null }]);
    expect(recipientsOf(await openDeliveries(warehouse))).toEqual(['ben']);
    expect(await markInterrupted(warehouse)).toBe(0);
  });

  it('is repeated by a person alone, who takes back that it was skipped', async () => {
    await freeze(warehouse, daily, ['ana']);
    const [read] = await openDeliveries(warehouse);
    await claimDelivery(warehouse, read!);
    await markInterrupted(warehouse);
    await skipDeliveries(warehouse, daily);
    const [unknown] = await deliveriesOf(warehouse, daily);
    expect(unknown).toMatchObject({ state: 'unknown', messageId: read!.messageId });
    expect(await claimDelivery(warehouse, unknown!)).toBe('mime of Both');
    expect(await rows()).toMatchObject([{ state: 'sending', attempts: 2, skippedAt: null }]);
  });
});

describe('skipping', () => {
  it('refuses what is open, keeps what was refused or is unknown as it was, and leaves the rest alone', async () => {
    await freeze(warehouse, daily, ['a', 'b', 'c', 'd', 'e', 'f', 'g']);
    const read = await openDeliveries(warehouse);
    const outcomes = ['sent', 'written', 'failed', 'refused', 'unknown'] as const;
    for (const [index, state] of outcomes.entries())
      await recordOutcome(warehouse, read[index]!, { state, reply: state, retryable: false });
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
    await freeze(warehouse, daily, ['ana']);
    await freeze(warehouse, { ...daily, day: '2026-11-17' }, ['ben']);
    await freeze(warehouse, { ...daily, name: 'North' }, ['cleo']);
    await freeze(warehouse, { ...daily, every: 'week' }, ['dan']);
    expect(await skipDeliveries(warehouse, daily)).toBe(1);
    expect(await states()).toEqual(['ana refused', 'ben pending', 'cleo pending', 'dan pending']);
  });
});

describe('what was refused', () => {
  it('is skipped once its address is gone from its own digest, and no digest that these settings lack', async () => {
    for (const name of ['Both', 'North', 'Valley'])
      await freeze(warehouse, { ...daily, name }, ['ana', 'ben']);
    await warehouse.updateTable('etl.deliveries').set({ state: 'refused' }).execute();
    await skipGoneRecipients(warehouse, [
      { name: 'Both', to: ['ana', 'cleo'] },
      { name: 'North', to: [] },
      { name: 'Coast', to: ['ana'] },
    ]);
    const skipped = (await rows()).map(({ skippedAt }) => skippedAt !== null);
    expect(skipped).toEqual([false, true, true, true, false, false]);
    await warehouse.updateTable('etl.deliveries').set({ state: 'failed', skipped_at: null }).execute();
    await skipGoneRecipients(warehouse, [{ name: 'Both', to: [] }]);
    expect((await rows()).every(({ skippedAt }) => skippedAt === null)).toBe(true);
  });
});

describe('the deliveries of a digest', () => {
  it('are those of the corrected one, where there is one', async () => {
    await freeze(warehouse, daily, ['ana']);
    expect(recipientsOf(await deliveriesOf(warehouse, daily))).toEqual(['ana']);
    await freeze(warehouse, daily, ['ben'], { kind: 'corrected' });
    expect(recipientsOf(await deliveriesOf(warehouse, daily))).toEqual(['ben']);
    expect(await deliveriesOf(warehouse, { ...daily, every: 'week' })).toEqual([]);
  });
});
