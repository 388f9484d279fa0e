import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { composeDigest, fileName } from '../../src/digest/compose.ts';
import type { DigestFigures } from '../../src/model/digest.ts';
import { periodOf } from '../../src/model/period.ts';
import { busyWeek } from './busy-week.ts';
import { attached, figures, sender } from './figures.ts';

const compose = (part: Partial<DigestFigures>) => composeDigest(figures(part), attached, sender);

describe('the parts of a digest', () => {
  test('include a chart only where the HTML shows one', async () => {
    const busy = await composeDigest(busyWeek(), attached, sender);
    expect(busy.chart).not.toBeNull();
    expect(busy.html).toContain('src="cid:chart@callsheet"');
    const first = await compose({});
    expect(first.chart).toBeNull();
    expect(first.html).not.toContain('cid:');
  });

  test('are the same for the same figures', async () => {
    expect(await composeDigest(busyWeek(), attached, sender)).toEqual(
      await composeDigest(busyWeek(), attached, sender),
    );
  });
});

test.each([
  ['day', 'en-GB', 'Thu 19 Nov', 'Thursday 19 November 2026'],
  ['week', 'en-GB', 'Week of 16 Nov', 'Week of 16–22 November 2026'],
  ['month', 'en-GB', 'November 2026', 'November 2026'],
  ['day', 'es', 'jue 19 nov', 'Jueves 19 de noviembre de 2026'],
  ['week', 'es', 'semana del 16 nov', 'Semana del 16 al 22 de noviembre de 2026'],
  ['month', 'es', 'noviembre de 2026', 'Noviembre de 2026'],
] as const)('a digest of a %s in %s is named %s in its subject', async (every, locale, short, long) => {
  const given = figures({ period: periodOf(every, '2026-11-19'), locale });
  const { subject, text } = await composeDigest(given, attached, sender);
  expect(subject).toContain(`Campaigns, ${short}: `);
  expect(text.split('\n')[1]).toBe(long);
});

test.each([
  ['Campaigns', 'day', 'campaigns-2026-11-19'],
  ['Campaigns', 'week', 'campaigns-2026-11-16-week'],
  ['Campaigns', 'month', 'campaigns-2026-11-month'],
  ['Año 2 / Coast', 'day', 'año-2-coast-2026-11-19'],
] as const)('the files of %j of a %s are called %s', (name, every, expected) => {
  expect(fileName({ name, period: periodOf(every, '2026-11-19') })).toBe(expected);
});

test('the name of a digest’s files is safe on every file system, whatever the digest is called', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 8 }), (name) => {
      expect(fileName({ name, period: periodOf('day', '2026-11-19') })).toMatch(
        /^[\p{L}\p{N}-]*-2026-11-19$/u,
      );
    }),
  );
});
