import { expect, test } from 'vitest';
import { didYouMean } from '../../src/config/did-you-mean.ts';

test('the nearest name is suggested, in its own upper and lower case', () => {
  const known = ['main', 'mainland', 'Campaigns', 'csv'];
  expect(didYouMean('Mian', known)).toBe(' (did you mean main?)');
  expect(didYouMean('campagns', known)).toBe(' (did you mean Campaigns?)');
  expect(didYouMean('mainlnd', known)).toBe(' (did you mean mainland?)');
});

test('nothing is suggested for a name that is like none', () => {
  expect(didYouMean('weekly', ['main', 'csv'])).toBe('');
  expect(didYouMean('cat', ['csv'])).toBe('');
  expect(didYouMean('b', ['a'])).toBe('');
  expect(didYouMean('main', [])).toBe('');
});
