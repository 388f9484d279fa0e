import { describe, expect, test } from 'vitest';
import { readFault } from '../../src/simulator/fault-spec.ts';
import { type FaultKind, namedFaultKinds, type ScriptedFault } from '../../src/simulator/scripted-faults.ts';
import type { Simulator } from '../../src/simulator/server.ts';
import { askCampaigns, askClients, start, walk } from './ask.ts';
import { askDayRaw, askNth, type RawAnswer } from './raw.ts';

const statuses = ({ journal }: Simulator) => journal.map(({ status }) => status);

describe('a scripted fault', () => {
  test('makes the third page fail twice, and then lets it answer', async () => {
    const simulator = await start({
      faults: [{ operation: 'getClients', page: 3, times: 2, kind: 'status-500' }],
    });
    for (const page of [1, 2, 3, 3, 3, 4, 3]) await askNth(simulator, page);
    expect(statuses(simulator)).toEqual([200, 200, 500, 500, 200, 200, 200]);
    expect(simulator.journal[3]).toMatchObject({ spoiltBy: 'status-500', params: { page: '3' } });
    expect(simulator.journal[4]?.spoiltBy).toBeUndefined();
  });

  test('for the first page strikes a request that asks for no page', async () => {
    const faults: ScriptedFault[] = [{ operation: 'getClients', page: 1, times: 2, kind: 'status-503' }];
    const simulator = await start({ faults });
    await askClients(simulator, { limit: '5' });
    await askNth(simulator, 1);
    await askClients(simulator, { limit: '5' });
    expect(statuses(simulator)).toEqual([503, 503, 200]);
    const fromZero = await start({ faults: [{ ...faults[0]!, page: 0 }], variants: ['pages-from-zero'] });
    await askNth(fromZero, 1);
    await askClients(fromZero, { limit: '5' });
    await askNth(fromZero, 0);
    expect(statuses(fromZero)).toEqual([200, 503, 503]);
  });

  test('may be for one account, one day, and from the nth request on', async () => {
    const simulator = await start({
      faults: [
        { operation: 'getClients', account: 'coast', nth: 2, times: 2, kind: 'status-502' },
        { operation: 'campaignSummary', day: '2026-11-17', account: 'north', times: 1, kind: 'status-404' },
      ],
    });
    for (const account of ['coast', 'north', 'north', 'coast', 'coast', 'coast']) {
      await askClients(simulator, {}, account);
    }
    expect(statuses(simulator)).toEqual([200, 200, 200, 502, 502, 200]);
    await askCampaigns(simulator, '2026-11-18');
    await askCampaigns(simulator, '2026-11-17', '2026-11-17', {}, 'valley');
    await askCampaigns(simulator, '2026-11-17', '2026-11-18');
    await askCampaigns(simulator, '2026-11-17');
    expect(statuses(simulator).slice(6)).toEqual([200, 200, 404, 200]);
  });

  test('may last for ever, and goes before others, whose times are their own', async () => {
    const simulator = await start({
      faults: [
        { operation: 'getClients', page: 2, times: 1, kind: 'status-500' },
        { operation: 'getClients', page: 2, times: 1, kind: 'status-502' },
        { operation: 'campaignSummary', times: Number.POSITIVE_INFINITY, kind: 'status-504' },
      ],
    });
    for (let turn = 0; turn < 3; turn += 1) await askNth(simulator, 2);
    for (let turn = 0; turn < 4; turn += 1) await askDayRaw(simulator, '2026-11-18');
    expect(statuses(simulator)).toEqual([500, 502, 200, 504, 504, 504, 504]);
  });

  test('strikes before the intercept and the variants, and spoils what they answer', async () => {
    let intercepted = 0;
    const simulator = await start({
      variants: ['html-always'],
      intercept: () => {
        intercepted += 1;
        return undefined;
      },
      faults: [
        { operation: 'getClients', times: 1, kind: 'status-500' },
        { operation: 'getClients', times: 1, kind: 'cut-body' },
      ],
    });
    await askNth(simulator, 1);
    expect(intercepted).toBe(0);
    expect(await askNth(simulator, 1)).toMatchObject({
      end: 'cut',
      text: expect.stringMatching(/^<!doctype/),
    });
    expect(intercepted).toBe(1);
  });

  test('of an account that isn’t there is an error', async () => {
    const fault: ScriptedFault = { operation: 'getClients', account: 'nroth', times: 1, kind: 'reset' };
    await expect(start({ faults: [fault] })).rejects.toThrow('no account "nroth"');
  });

  const KINDS: Record<(typeof namedFaultKinds)[number] | 'status-418', Partial<RawAnswer>> = {
    reset: { end: 'reset' },
    'cut-body': { end: 'cut', status: 200, text: expect.stringMatching(/^\{"apirid"/) },
    stall: { end: 'stalled', status: 200, text: expect.stringMatching(/^\{"apirid"/) },
    'empty-body': { end: 'whole', status: 200, text: '' },
    html: { end: 'whole', status: 200, text: expect.stringMatching(/^<!doctype html>/) },
    'nonsense-json': { end: 'whole', status: 200, text: '[]' },
    'huge-body': { end: 'endless', status: 200, text: expect.stringMatching(/^\{"page":1,/) },
    'error-in-200': { end: 'whole', status: 200, text: expect.stringMatching(/^\{"error":\{"code":503/) },
    'token-refused-in-200': { end: 'whole', status: 200, text: '{"error":"Invalid session token"}' },
    redirect: {
      end: 'whole',
      status: 302,
      headers: expect.objectContaining({
        location: expect.stringMatching(/^\/moved\/api\/getClients\.wr\?/),
      }),
    },
    'status-418': { end: 'whole', status: 418, text: expect.stringMatching(/^\{"error":\{"code":418/) },
  };

  test.for(Object.keys(KINDS) as (keyof typeof KINDS)[])('%s does so once', async (kind) => {
    const simulator = await start({
      faults: [{ operation: 'getClients', times: 1, kind: kind as FaultKind }],
    });
    expect(await askNth(simulator, 1)).toMatchObject(KINDS[kind]);
    expect(simulator.journal[0]?.spoiltBy).toBe(kind);
    const [after] = await walk(simulator);
    expect(after?.count).toBe(100);
  });
});

test('an intercept may choose how its answer travels', async () => {
  const simulator = await start({ intercept: () => ({ body: '{"data":[]}', manner: 'cut' }) });
  expect(await askNth(simulator, 1)).toMatchObject({ status: 200, end: 'cut', text: '{"dat' });
});

describe('a fault on the command line', () => {
  test.for<[string, ScriptedFault]>([
    ['getClients:reset', { operation: 'getClients', times: 1, kind: 'reset' }],
    [
      'getClients:page=3:times=2:status-500',
      { operation: 'getClients', page: 3, times: 2, kind: 'status-500' },
    ],
    [
      'campaignSummary:day=2026-11-18:account=north:nth=4:times=forever:cut-body',
      {
        operation: 'campaignSummary',
        day: '2026-11-18',
        account: 'north',
        nth: 4,
        times: Number.POSITIVE_INFINITY,
        kind: 'cut-body',
      },
    ],
    ['getClients:page=0:html', { operation: 'getClients', page: 0, times: 1, kind: 'html' }],
  ])('%s is read', ([spec, fault]) => {
    expect(readFault(spec)).toEqual(fault);
  });

  test.for(namedFaultKinds.map((kind) => kind))('may be of the kind %s', (kind) => {
    expect(readFault(`getClients:${kind}`).kind).toBe(kind);
  });

  test.for([
    ['', '"" is no operation; there are getClients and campaignSummary'],
    ['getclients:reset', '"getclients" is no operation'],
    ['getClients', 'no kind at its end'],
    ['getClients:', '"" is no kind; there are reset, cut-body,'],
    ['getClients:status-200', '"status-200" is no kind'],
    ['getClients:status-5000', '"status-5000" is no kind'],
    ['getClients:times=2', '"times=2" is no kind'],
    ['getClients:pages=3:reset', '"pages=3" is none of page=N'],
    ['getClients:page=:reset', '"page=" is none of'],
    ['getClients:page=two:reset', '"page=two" has no whole number from 0 on'],
    ['getClients:nth=0:reset', '"nth=0" has no whole number from 1 on'],
    ['getClients:times=0:reset', '"times=0" has no whole number from 1 on'],
    ['getClients:day=2026-11-18:reset', 'Only campaignSummary has a day'],
    ['campaignSummary:page=2:reset', 'Only getClients has a page'],
    ['campaignSummary:day=11-18-2026:reset', '"day=11-18-2026" has no day of the form YYYY-MM-DD'],
  ] as const)('"%s" is refused with what is wrong and a right one', ([spec, message]) => {
    const read = () => readFault(spec);
    expect(read).toThrow(RangeError);
    expect(read).toThrow(message);
    expect(read).toThrow('A right one: getClients:page=3:times=2:status-500');
  });
});
