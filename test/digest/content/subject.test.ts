import { expect, test } from 'vitest';
import type { DigestFigures } from '../../../src/model/digest.ts';
import { periodOf } from '../../../src/model/period.ts';
import { accountDay, accountTotals, contentOf, figures, totalsOf } from '../figures.ts';

const subjectOf = (part: Partial<DigestFigures>) => contentOf(figures(part)).subject;

const nothing = { attempts: null, busies: null, connects: null, liveAnswers: null };
const failed = accountTotals({ ...nothing, account: 'coast', campaigns: 0, state: 'failed' });
const idle = accountTotals({ attempts: 0, busies: 0, connects: 0, liveAnswers: 0, campaigns: 3 });
const short = accountTotals({ shortDays: ['2026-11-19'] });
const history = ['2026-11-12', '2026-11-05'].map((day) => accountDay('north', day, 15_220));

test.each([
  ['rate and attempts', {}, 'Campaigns, Thu 19 Nov: 61.0% connected, 12,480 attempts'],
  [
    'how attempts changed',
    { name: 'Managers', history },
    'Managers, Thu 19 Nov: 61.0% connected, 12,480 attempts (−18%)',
  ],
  [
    'that connects aren’t reported',
    { accounts: [accountTotals({ connects: null })] },
    'Campaigns, Thu 19 Nov: 12,480 attempts, connects not reported',
  ],
  [
    'that attempts aren’t reported, and an account is missing',
    { accounts: [accountTotals(nothing), failed] },
    'Incomplete: Campaigns, Thu 19 Nov: attempts not reported',
  ],
  ['that there were no calls', { accounts: [idle] }, 'Campaigns, Thu 19 Nov: no calls'],
  ['that nothing is loaded', { accounts: [failed] }, 'Incomplete: Campaigns, Thu 19 Nov: nothing loaded'],
  [
    'first that figures may be low, and then nothing that is compared',
    { name: 'M', accounts: [short], history },
    'Figures may be low: M, Thu 19 Nov: 61.0% connected, 12,480 attempts',
  ],
  [
    'nothing that is compared over the others of an account whose figures may be low',
    {
      name: 'M',
      accounts: [{ ...totalsOf('north', 4), shortDays: ['2026-11-19'] }, totalsOf('coast', 5)],
      history: ['2026-11-12', '2026-11-05'].map((day) => accountDay('coast', day, 61)),
    },
    'Figures may be low: M, Thu 19 Nov: 55.6% connected, 9 attempts',
  ],
  [
    'less where it would be too long',
    { accounts: [short], history },
    'Figures may be low: Campaigns, Thu 19 Nov: 61.0% connected',
  ],
  [
    'that it corrects another',
    { before: [accountTotals({ attempts: 1 })] },
    'Corrected: Campaigns, Thu 19 Nov: 61.0% connected, 12,480 attempts',
  ],
  [
    'the beginning of a long name',
    { name: 'Managers of the northern region and of its partners abroad' },
    'Managers of the northern region and of …, Thu 19 Nov: 61.0% connected',
  ],
  [
    'a week in Spanish',
    { locale: 'es', period: periodOf('week', '2026-11-19') },
    'Campaigns, semana del 16 nov: 61,0\u00a0% de conexión, 12.480 intentos',
  ],
])('the subject says %s', (_, part, subject) => {
  expect(subjectOf(part)).toBe(subject);
  expect(subject.length).toBeLessThan(70);
});
