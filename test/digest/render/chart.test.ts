import { inflateSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { lastDays } from '../../../src/digest/content/totals.ts';
import { createFormat } from '../../../src/digest/format.ts';
import { drawChart } from '../../../src/digest/render/chart.ts';
import { busyWeek } from '../busy-week.ts';

const days = lastDays(busyWeek());
const draw = (locale: string, given = days) => drawChart(given, createFormat(locale, 'UTC'));

/** The width in the header of a PNG. */
const widthOf = (png: Uint8Array) => Buffer.from(png).readUInt32BE(16);

/** The colours of the pixels, by how many of them there are: RGBA in hexadecimal. */
function colours(png: Uint8Array): Map<string, number> {
  const file = Buffer.from(png);
  const [width, height] = [file.readUInt32BE(16), file.readUInt32BE(20)];
  expect([...file.subarray(24, 26)], 'eight bits a channel, with alpha').toEqual([8, 6]);
  const data: Buffer[] = [];
  for (let at = 8; at < file.length; ) {
    const length = file.readUInt32BE(at);
    if (file.toString('latin1', at + 4, at + 8) === 'IDAT') data.push(file.subarray(at + 8, at + 8 + length));
    at += 12 + length;
  }
  const raw = inflateSync(Buffer.concat(data));
  const stride = width * 4;
  const pixels = Buffer.alloc(stride * height);
  const found = new Map<string, number>();
  for (let y = 0; y < height; y++) {
    const filter = raw[y * (stride + 1)]!;
    for (let x = 0; x < stride; x++) {
      const left = x >= 4 ? pixels[y * stride + x - 4]! : 0;
      const above = y > 0 ? pixels[(y - 1) * stride + x]! : 0;
      const corner = x >= 4 && y > 0 ? pixels[(y - 1) * stride + x - 4]! : 0;
      const [a, b, c] = [
        Math.abs(above - corner),
        Math.abs(left - corner),
        Math.abs(left + above - 2 * corner),
      ];
      const paeth = a <= b && a <= c ? left : b <= c ? above : corner;
      const guess = [0, left, above, (left + above) >> 1, paeth][filter]!;
      pixels[y * stride + x] = raw[y * (stride + 1) + 1 + x]! + guess;
    }
  }
  for (let at = 0; at < pixels.length; at += 4) {
    const colour = pixels.toString('hex', at, at + 4);
    found.set(colour, (found.get(colour) ?? 0) + 1);
  }
  return found;
}

test('a chart is a PNG with two pixels for each one on the screen, on a transparent ground', async () => {
  const png = await draw('en-GB');
  expect(Buffer.from(png.subarray(0, 8)).toString('latin1')).toBe('\x89PNG\r\n\x1a\n');
  expect(widthOf(png)).toBeGreaterThanOrEqual(2 * 544);
  expect(png.length).toBeLessThan(80_000);
  const found = colours(png);
  expect(found.get('00000000')).toBeGreaterThan(100_000);
  expect(found.get('93b4f0ff'), 'attempts').toBeGreaterThan(20_000);
  expect(found.get('3b76e1ff'), 'connects').toBeGreaterThan(20_000);
});

test('a chart has labels even on a machine without fonts', async () => {
  // The same ink is nowhere but in the labels.
  const inked = async (locale: string) => colours(await draw(locale)).get('77808cff') ?? 0;
  expect(await inked('en-GB')).toBeGreaterThan(500);
  // Arabic digits aren't in the font: what can't be drawn is drawn as in English, instead of not at all.
  expect(await draw('ar-EG')).toEqual(await draw('en-GB'));
});

test('the same days give the same chart', async () => {
  expect(await draw('en-GB')).toEqual(await draw('en-GB'));
});

test('a chart of zeros only can be drawn', async () => {
  const zeros = days.map((day) => ({
    ...day,
    sums: { attempts: 0n, busies: 0n, connects: 0n, liveAnswers: 0n },
  }));
  expect(widthOf(await draw('en-GB', zeros))).toBeGreaterThan(1_000);
});
