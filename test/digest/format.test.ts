import { describe, expect, test } from 'vitest';
import { createFormat, displayName, displayServiceName, rate } from '../../src/digest/format.ts';

const format = createFormat('en-GB', 'UTC');

test('counts have their thousands set apart, and a dash where none was reported', () => {
  expect(format.count(12_480)).toBe('12,480');
  expect(format.count(0)).toBe('0');
  expect(format.count(2 ** 53 - 1)).toBe('9,007,199,254,740,991');
  expect(format.count(null)).toBe('–');
});

test('a rate is null where there is nothing to divide, or to divide by', () => {
  expect(rate(0, 0)).toBeNull();
  expect(rate(5, 0)).toBeNull();
  expect(rate(null, 5)).toBeNull();
  expect(rate(5, null)).toBeNull();
  expect(rate(0, 5)).toBe(0);
  expect(rate(1, 4)).toBe(0.25);
  expect(rate(5, 4)).toBe(1.25);
});

test('changes have a sign, a true minus, and words where there is no number', () => {
  const change = (now: number, reference: number) => format.percent({ now, reference });
  expect([change(104, 100), change(979, 1_000), change(400, 100)]).toEqual(['+4%', '−2%', '+300%']);
  expect([change(1_350, 100), change(30, 19.4), change(5, 0)]).toEqual([null, null, null]);
  expect(change(30, 20)).toBe('+50%');
  expect(format.percentSize({ now: 979, reference: 1_000 })).toBe('2%');
  expect([format.difference(1_350), format.difference(-5.2)]).toEqual(['+1,350', '−5']);
  expect([change(1_046, 1_000), change(1_995, 1_000), change(954, 1_000)]).toEqual(['+5%', '+100%', '−5%']);
  expect([change(1_004, 1_000), change(1_006, 1_000), change(995, 1_000)]).toEqual([
    'no change',
    '+1%',
    '−1%',
  ]);
  expect([change(0, 0), change(5, 5.4)]).toEqual(['no change', 'no change']);
});

test('a day is written with its weekday, and with its year where that is another', () => {
  const dated = createFormat('en-GB', 'UTC', '2026-01-02');
  expect(dated.day('2026-11-19')).toBe('Thu 19 Nov');
  expect(dated.day('2025-12-30')).toBe('Tue 30 Dec 2025');
  expect(dated.longDay('2027-01-01')).toBe('Friday 1 January 2027');
  expect(createFormat('en-GB', 'UTC').day('2025-12-30')).toBe('Tue 30 Dec');
});

test('money keeps every digit that was reported', () => {
  expect(format.money('0')).toBe('0.00');
  expect(format.money('1234.5')).toBe('1,234.50');
  expect(format.money('-0.005')).toBe('−0.005');
  expect(format.money('123456789012345678901.25')).toBe('123,456,789,012,345,678,901.25');
});

describe('a digest’s locale and zone', () => {
  const spanish = createFormat('es', 'Europe/Madrid');

  test('are used for its numbers and dates', () => {
    expect([spanish.count(1_234), spanish.money('1234567.5')]).toEqual(['1.234', '1.234.567,50']);
    expect(spanish.longDay('2026-11-19')).toBe('jueves 19 de noviembre de 2026');
    const american = createFormat('en-US', 'UTC', '2026-11-19');
    expect(american.day('2026-11-19')).toBe('Thu Nov 19');
    expect(american.longDay('2026-11-19')).toBe('Thursday, November 19, 2026');
  });

  test('are used for its timestamps, before and after a daylight-saving change', () => {
    const madrid = createFormat('en-GB', 'Europe/Madrid', '2026-11-19');
    expect(madrid.time('2026-11-20 06:30:02.5+00')).toBe('20 Nov, 07:30 CET');
    expect(madrid.time('2026-07-20 23:30:02+02')).toBe('20 Jul, 23:30 CEST');
    expect(madrid.time('2026-12-31 23:30:02+00')).toBe('1 Jan 2027, 00:30 CET');
    expect(createFormat('en-GB', 'UTC').time('2025-12-31 23:30:02+00')).toBe('31 Dec, 23:30 UTC');
    expect(spanish.time('2026-11-20 06:30:02+00')).toBe('20 nov, 7:30 CET');
  });
});

describe('a name of the service’s', () => {
  test.each([
    ['stays as it is', '"Quoted", <b>bold</b> & co.', '"Quoted", <b>bold</b> & co.'],
    ['is on one line', ' a\r\n\tb\u2028\u2029c\0d ', 'a b c d'],
    ['turns no text after it around', '\u202egnp.\u200fexe\u2066\u061c', 'gnp.exe'],
    ['has at most eighty letters', 'x'.repeat(80), 'x'.repeat(80)],
    ['is cut where it has more', 'x'.repeat(81), `${'x'.repeat(79)}…`],
    ['is cut between letters as people see them', '👩‍👩‍👧'.repeat(81), `${'👩‍👩‍👧'.repeat(79)}…`],
    ['isn’t looked for behind two thousand blanks', `${' '.repeat(2_000)}x`, '#4711'],
    ['is looked for in front of them', `${' '.repeat(1_999)}x`, 'x'],
    ['is replaced where nothing of it can be seen', ' \n\u200e', '#4711'],
  ])('%s', (_, name, expected) => {
    expect(displayName(name, '#4711')).toBe(expected);
  });

  test.each([
    ['Smith &amp; Sons &#8211; &quot;A&quot; &lt;b&gt;', 'Smith & Sons – "A" <b>'],
    ['M&uuml;ller&rsquo;s Caf&eacute; &Eacute;toile &ndash; &euro;5', 'Müller’s Café Étoile – €5'],
    ['&amp;lt; &nosuch; &#0; &#x110000;', '&lt; &nosuch; &#0; &#x110000;'],
  ])('of a campaign, %s, is shown as its author typed it', (name, expected) => {
    expect(displayServiceName(name)).toBe(expected);
  });

  test('is empty where there is neither a name nor a replacement', () => {
    expect(displayName(null)).toBe('');
  });
});
