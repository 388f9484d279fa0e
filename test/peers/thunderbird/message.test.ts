import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test, vi } from 'vitest';
import { composeDigest } from '../../../src/digest/compose.ts';
import { chartColours } from '../../../src/digest/render/chart.ts';
import { addressed, toMime } from '../../../src/mail/message.ts';
import { attached, sender as digestSender } from '../../digest/figures.ts';
import { digests } from '../../digest/mails.ts';
import type { Screen } from './display.ts';
import { openMessage } from './thunderbird.ts';

/** A folder for pictures of every variant, as portable pixmaps: then all are opened, which takes minutes. */
const pictures = process.env.SCREENSHOTS;

type Opened = { readonly name: string; readonly locale: string; readonly dark: boolean };

const opened: readonly Opened[] = pictures
  ? Object.keys(digests).flatMap((name) => [
      { name, locale: 'en-GB', dark: false },
      { name, locale: 'es', dark: true },
    ])
  : [
      { name: 'a busy day', locale: 'en-GB', dark: false },
      { name: 'an incomplete day', locale: 'es', dark: false },
      { name: 'a day with every kind of news', locale: 'es', dark: true },
    ];

const colour = (hex: string) => Number.parseInt(hex.slice(1), 16);
const count = ({ pixels }: Screen, hex: string) => pixels.filter((pixel) => pixel === colour(hex)).length;

/** Whether some row has all of these: no row of the chart does. */
function hasRowOf({ width, height, pixels }: Screen, colours: readonly string[]): boolean {
  return Array.from({ length: height }, (_, row) => pixels.subarray(row * width, (row + 1) * width)).some(
    (row) => colours.every((hex) => row.includes(colour(hex))),
  );
}

const messageOf = async ({ name, locale }: Opened) => {
  const message = await composeDigest({ ...digests[name]!, locale }, attached, digestSender);
  const sender = { from: 'Callsheet <callsheet@example.com>', replyTo: 'ops@example.com' };
  const date = new Date('2026-11-20T06:31:00Z');
  return {
    message,
    mime: addressed(await toMime(message, sender, date), ['ana@example.com'], '<a@b.example>'),
  };
};

test.each(opened)('Thunderbird shows $name in $locale, dark: $dark', async (each) => {
  const { message, mime } = await messageOf(each);
  const window = await openMessage(mime, { width: 900, height: 1_700, dark: each.dark });
  try {
    const isEmpty = message.chart === null;
    const screen = await vi.waitFor(
      async () => {
        const screen = await window.display.read();
        if (each.dark) expect(count(screen, '#eeeef0'), 'text').toBeGreaterThan(2_000);
        else expect(count(screen, '#18202b'), 'text').toBeGreaterThan(500);
        if (isEmpty) return screen;
        expect(count(screen, chartColours.connects), 'bars').toBeGreaterThan(5_000);
        const { attempts, connects, rate } = chartColours;
        expect(hasRowOf(screen, [attempts, connects, rate]), 'legend').toBe(true);
        if (!each.dark) expect(count(screen, '#f4f6f9'), 'tiles').toBeGreaterThan(50_000);
        return screen;
      },
      { timeout: 120_000, interval: 300 },
    );
    if (pictures)
      await draw(screen, path.join(pictures, `${each.name.replaceAll(/\W+/g, '-')}-${each.locale}.ppm`));
  } finally {
    await window.close();
  }
});

async function draw({ width, height, pixels }: Screen, file: string): Promise<void> {
  const bytes = Buffer.alloc(pixels.length * 3);
  for (const [index, pixel] of pixels.entries()) bytes.writeUIntBE(pixel, index * 3, 3);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, Buffer.concat([Buffer.from(`P6\n${width} ${height}\n255\n`), bytes]));
}
