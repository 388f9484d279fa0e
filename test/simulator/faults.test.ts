import { describe, expect, test } from 'vitest';
import type { ScriptedFault } from '../support/simulator/faults.ts';
import type { Simulator } from '../support/simulator.ts';
import { getCampaigns, getClients, getPage, type Received, start } from './simulator.ts';

const statuses = ({ journal }: Simulator) => journal.map(({ status }) => status);

describe('a scripted fault', () => {
  test.for<[ScriptedFault['kind'], Partial<Received>]>([
    ['reset', { end: 'reset' }],
    ['html', { end: 'whole', status: 200, text: expect.stringMatching(/^<!doctype html>/) }],
    ['status-418', { status: 418, body: { error: { code: 418, message: 'An injected fault.' } } }],
  ])('of the kind %s strikes once, and the journal names it', async ([kind, expected]) => {
    const simulator = await start({ faults: [{ operation: 'getClients', times: 1, kind }] });
    expect(await getPage(simulator, 1)).toMatchObject(expected);
    expect((await getPage(simulator, 1)).body.count).toBe(1);
    expect(simulator.journal.map(({ injectedBy }) => injectedBy)).toEqual([kind, undefined]);
  });

  test('cuts a body half-way through what it announced', async () => {
    const faults: ScriptedFault[] = [{ operation: 'getClients', times: 1, kind: 'cut-body' }];
    const simulator = await start({ faults });
    const { headers, text, end } = await getPage(simulator, 4);
    const whole = Buffer.from((await getPage(simulator, 4)).text);
    expect(end).toBe('cut');
    expect(Number(headers['content-length'])).toBe(whole.length);
    expect(text).toBe(whole.subarray(0, Math.floor(whole.length / 2)).toString());
  });

  test('strikes on one page only, as often as given', async () => {
    const simulator = await start({
      faults: [{ operation: 'getClients', page: 3, times: 2, kind: 'status-500' }],
    });
    for (const page of [1, 2, 3, 3, 3, 4, 3]) await getPage(simulator, page);
    expect(statuses(simulator)).toEqual([200, 200, 500, 500, 200, 200, 200]);
  });

  test('on the first page strikes on a request without a page, too, wherever numbering begins', async () => {
    const fault: ScriptedFault = { operation: 'getClients', page: 1, times: 2, kind: 'status-503' };
    const simulator = await start({ faults: [fault] });
    await getClients(simulator, { limit: '5' });
    await getPage(simulator, 1);
    const fromZero = await start({ faults: [{ ...fault, page: 0 }], variants: ['pages-from-zero'] });
    await getPage(fromZero, 1);
    await getClients(fromZero, { limit: '5' });
    await getPage(fromZero, 0);
    expect([statuses(simulator), statuses(fromZero)]).toEqual([
      [503, 503],
      [200, 503, 503],
    ]);
  });

  test('strikes on one account, on one day, and from the nth matching request on', async () => {
    const simulator = await start({
      faults: [
        { operation: 'getClients', account: 'coast', nth: 2, times: 2, kind: 'status-502' },
        { operation: 'campaignSummary', day: '2026-11-17', account: 'north', times: 1, kind: 'status-404' },
      ],
    });
    for (const account of ['coast', 'north', 'north', 'coast', 'coast', 'coast']) {
      await getClients(simulator, {}, account);
    }
    await getCampaigns(simulator, '2026-11-18');
    await getCampaigns(simulator, '2026-11-17', '2026-11-17', {}, 'valley');
    await getCampaigns(simulator, '2026-11-17', '2026-11-18');
    await getCampaigns(simulator, '2026-11-17');
    expect(statuses(simulator)).toEqual([200, 200, 200, 502, 502, 200, 200, 200, 404, 200]);
  });

  test('may last for ever, and of several that match the first strikes', async () => {
    const simulator = await start({
      faults: [
        { operation: 'getClients', page: 2, times: 1, kind: 'status-500' },
        { operation: 'getClients', page: 2, nth: 2, times: 1, kind: 'status-502' },
        { operation: 'campaignSummary', times: Number.POSITIVE_INFINITY, kind: 'status-504' },
      ],
    });
    for (let count = 0; count < 3; count += 1) await getPage(simulator, 2);
    for (let count = 0; count < 4; count += 1) await getCampaigns(simulator);
    expect(statuses(simulator)).toEqual([500, 502, 200, 504, 504, 504, 504]);
  });

  test('on an unknown account is an error', async () => {
    const fault: ScriptedFault = { operation: 'getClients', account: 'nroth', times: 1, kind: 'reset' };
    await expect(start({ faults: [fault] })).rejects.toThrow('no account "nroth"');
  });
});

test('scripted faults are outside of the intercept, and that is outside of the variants', async () => {
  let intercepted = 0;
  const simulator = await start({
    variants: ['html-always'],
    intercept: async (_, next) => {
      intercepted += 1;
      return { ...(await next()), status: 203 };
    },
    faults: [
      { operation: 'getClients', times: 1, kind: 'status-500' },
      { operation: 'getClients', times: 1, kind: 'cut-body' },
    ],
  });
  await getPage(simulator, 1);
  expect(intercepted).toBe(0);
  const cut = { status: 203, end: 'cut', text: expect.stringMatching(/^<!doctype/) };
  expect(await getPage(simulator, 1)).toMatchObject(cut);
  await getPage(simulator, 1);
  const injected = simulator.journal.map(({ injectedBy }) => injectedBy);
  expect(injected).toEqual(['status-500', 'cut-body', 'intercept']);
});
