import { expect, test } from 'vitest';
import { isDay } from '../../src/model/day.ts';

test('a real calendar day in ISO form is a day', () => {
  for (const day of ['2026-11-19', '2024-02-29', '2000-02-29', '0001-01-01', '9999-12-31']) {
    expect(isDay(day), day).toBe(true);
  }
});

test('a day that no calendar has is none', () => {
  for (const day of ['2026-02-30', '2026-02-29', '1900-02-29', '2026-04-31', '2026-13-01', '2026-00-10']) {
    expect(isDay(day), day).toBe(false);
  }
});

test('a day in another form is none, even where it is clear what is meant', () => {
  const texts = ['2026-2-3', '02-03-2026', '20260203', '2026-02-03T00:00', ' 2026-02-03', '2026-02-03\n', ''];
  for (const text of [...texts, '+002026-02-03', '-2026-02-03', '2026-02-0３', 'yesterday']) {
    expect(isDay(text), JSON.stringify(text)).toBe(false);
  }
});
