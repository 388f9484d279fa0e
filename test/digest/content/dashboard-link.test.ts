import { expect, test } from 'vitest';
import { dashboardLink } from '../../../src/digest/content/dashboard-link.ts';
import { createFormat } from '../../../src/digest/format.ts';
import { accountTotals, figures } from '../figures.ts';

const format = createFormat('en-GB', 'UTC');
const address = (link: string, accounts = ['north']) =>
  dashboardLink(figures({ link, accounts: accounts.map((account) => accountTotals({ account })) }), format)
    ?.address;

test('the dashboard’s address has the day, its bounds and the account in place of their names', () => {
  expect(address('https://bi.example.com/{account}?day={day}&from={from}&to={to}#{day}')).toBe(
    'https://bi.example.com/north?day=2026-11-19&from=2026-11-19&to=2026-11-19#2026-11-19',
  );
});

test('several accounts are separated by commas, and names are encoded for an address', () => {
  expect(address('https://x.example/?a={account}', ['Año 2', 'coast'])).toBe(
    'https://x.example/?a=A%C3%B1o%202%2Ccoast',
  );
});

test('an address without placeholders stays as it is', () => {
  expect(address('https://x.example/?a=$&b=%7B')).toBe('https://x.example/?a=$&b=%7B');
});

test('there is none where the settings name none', () => {
  expect(dashboardLink(figures({ link: null }), format)).toBeNull();
});
