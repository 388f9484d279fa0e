import { createRequire } from 'node:module';
import { Resvg } from '@resvg/resvg-js';
import { expect, test } from 'vitest';
import { chartDays, type ShownDay } from '../../../src/digest/content/days.ts';
import { createFormat } from '../../../src/digest/format.ts';
import { chartColours, drawChart, drawSvg } from '../../../src/digest/render/chart.ts';
import { languages } from '../../../src/digest/words/languages.ts';
import { busyWeek } from '../busy-week.ts';
import { digests } from '../mails.ts';

const days = chartDays(busyWeek());
const draw = async (locale: string) => Buffer.from(await drawChart(days, createFormat(locale, 'UTC')));
const svg = (given: readonly ShownDay[], locale = 'en-GB') => drawSvg(given, createFormat(locale, 'UTC'));
const inter = createRequire(import.meta.url).resolve(
  '@expo-google-fonts/inter/500Medium/Inter_500Medium.ttf',
);

test('a chart is a small PNG with two pixels for each one on the screen', async () => {
  const png = await draw('en-GB');
  expect(Buffer.from(png.subarray(0, 8)).toString('latin1')).toBe('\x89PNG\r\n\x1a\n');
  expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([2 * 544, 2 * 232]);
  expect(png.length).toBeLessThan(80_000);
});

test('its labels are in the same letters whatever fonts a machine has', async () => {
  const drawnWith = (fontFiles: readonly string[]) =>
    new Resvg(svg(days), {
      fitTo: { mode: 'width', value: 2 * 544 },
      font: { loadSystemFonts: false, fontFiles: [...fontFiles] },
    })
      .render()
      .asPng();
  const png = await draw('en-GB');
  expect(png.equals(drawnWith([inter]))).toBe(true);
  expect(png.equals(drawnWith([]))).toBe(false);
});

const loaded: ShownDay = { ...days[4]!, day: '2026-11-10', state: 'complete' };
const zero: ShownDay = { ...loaded, attempts: 0n, connects: 0n, connectRate: null };
const lacking: ShownDay = { ...zero, attempts: null, connects: null, state: 'missing' };

/** How often this is in a chart in which one day is this one, and the others are loaded weekdays. */
const countWith = (drawn: RegExp, day: ShownDay) => {
  const others = { ...loaded, emphasised: false };
  return svg([others, day, others]).match(drawn)?.length ?? 0;
};

test.each([
  ['has no hatching', loaded, 0],
  ['of zeros has none either', zero, 0],
  ['that isn’t loaded is hatched', lacking, 1],
  ['of which a part isn’t loaded is hatched, too', { ...loaded, state: 'incomplete' as const }, 1],
  ['that is provisional is hatched as well', { ...loaded, state: 'provisional' as const }, 1],
])('a day %s', (_, day, count) => {
  expect(countWith(/fill="url\(#hatching\)"/g, day)).toBe(count);
});

test('the connect rate is a line, which has a gap where there is no rate', () => {
  const line = /<path d="M[^"]*"(?=[^>]* stroke="#d9730d")/;
  const points = (day: ShownDay) =>
    line
      .exec(svg([loaded, loaded, day, loaded, loaded]))![0]
      .match(/[ML]/g)!
      .join('');
  expect([points(loaded), points(zero)]).toEqual(['MLLLL', 'MLML']);
});

test('the digest’s own day stands out, and weekends are paler', () => {
  expect(chartDays(digests['a week']!).map(({ emphasised }) => emphasised)).toEqual([
    ...Array<boolean>(7).fill(false),
    ...Array<boolean>(7).fill(true),
  ]);
  expect(chartDays(digests['a month']!).some(({ emphasised }) => emphasised)).toBe(false);
  const own = (emphasised: boolean) => countWith(/fill="#1f5fd0"/g, { ...loaded, emphasised });
  expect([own(true), own(false)]).toEqual([1, 0]);
  // Its bar and its label.
  const pale = (day: string, emphasised = false) =>
    countWith(/opacity="0.6"/g, { ...loaded, day, emphasised });
  const weekend = ['2026-11-13', '2026-11-14', '2026-11-15', '2026-11-16'];
  expect(weekend.map((day) => pale(day))).toEqual([0, 2, 2, 0]);
  expect(pale('2026-11-14', true)).toBe(0);
});

/** Texts and shapes of each day: a group each. */
const columnsOf = (drawing: string) =>
  [...drawing.matchAll(/<g transform="translate\([^)]*\)">(.*)<\/g>/g)].map(([, column]) => column!);

test('a bar is as high as its attempts, and its connects are in front of them', () => {
  const given = [
    { attempts: 10n, connects: 4n },
    { attempts: 3n, connects: 5n },
    { attempts: null, connects: 5n },
    { attempts: 7n, connects: null },
    { attempts: 0n, connects: 0n },
  ].map((counts) => ({ ...loaded, ...counts }));
  const heights = columnsOf(svg(given)).map((column) =>
    [...column.matchAll(/<path d="M\S+ 122V([\d.]+)a([\d.]+) [^"]*" fill="(#\w+)"/g)].map(
      // Its corners are above the straight side. Ten attempts are 62 high.
      ([, side, radius, colour]) => [colour, ((122 - Number(side) + Number(radius)) * 10) / 62],
    ),
  );
  const [attempts, connects] = [chartColours.attempts, chartColours.connects];
  expect(heights).toEqual([
    [
      [attempts, 10],
      [connects, expect.closeTo(4, 2)],
    ],
    [
      [attempts, 5],
      [connects, 5],
    ],
    [
      [attempts, 5],
      [connects, 5],
    ],
    [[attempts, expect.closeTo(7, 2)]],
    [],
  ]);
});

test.each([
  [17_800n, 0.58, ['55%', '60%', '65%', '0', '5k', '10k', '15k', '20k']],
  [0n, 0, ['0%', '5%', '10%', '0', '1']],
  [2n, 1, ['90%', '95%', '100%', '0', '1', '2']],
])(
  'with %i attempts and a rate of %d, the scales are whole, short, and reach over both',
  (attempts, connectRate, labels) => {
    const drawn = svg([{ ...loaded, connectRate, attempts, connects: 0n }]);
    expect([...drawn.matchAll(/text-anchor="end">([^<]*)/g)].map(([, label]) => label)).toEqual(labels);
  },
);

test('what isn’t in the font is drawn as in English, instead of not at all', () => {
  expect(svg(days, 'en-u-nu-deva')).toBe(svg(days));
  expect(svg(days, 'es')).not.toBe(svg(days));
});

test.each(Object.keys(languages))('the font has the letters of %s', (language) => {
  const { longDay, count } = createFormat(language, 'UTC');
  expect(longDay('2026-11-19') + count(1_234)).toMatch(
    /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Common}]*$/u,
  );
});
