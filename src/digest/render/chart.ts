import { createRequire } from 'node:module';
import { type ScaleLinear, scaleLinear } from 'd3-scale';
import { type Day, weekdayOf } from '../../model/day.ts';
import type { ShownDay } from '../content/days.ts';
import { createFormat, type Format } from '../format.ts';

/** Distinct on a light page and on a dark one. */
export const chartColours = {
  attempts: '#93b4f0',
  connects: '#3b76e1',
  rate: '#d9730d',
  lacking: '#8b949e',
} as const;
const ink = '#77808c';
const gridColour = '#8b949e';
const ownDayColour = '#1f5fd0';

/** Size in the mail, in pixels: Outlook ignores relative sizes. */
export const chartSize = { width: 544, height: 232 } as const;

/** Drawn smaller than shown: its letters stay legible on a phone. */
const drawn = { width: 408, height: 174 } as const;

/** PNG pixels per unit of the drawing: sharp at full width on a high-resolution screen. */
const zoom = (2 * chartSize.width) / drawn.width;

/** The connect rate has its own panel above the bars, over the same days. */
const [left, right] = [52, 402];
const ratePanel = { top: 8, bottom: 44 } as const;
const barPanel = { top: 60, bottom: 122 } as const;
const maxBarWidth = 36;
const maxLabelledDays = 16;
const corner = 3;
const paleness = 0.6;

/** A font from a package: every machine draws the same, even one without fonts. */
const fontFile = createRequire(import.meta.url).resolve(
  '@expo-google-fonts/inter/500Medium/Inter_500Medium.ttf',
);
const fontFamily = 'Inter Medium';

/** Draws attempts, connects and the connect rate of the last days as a PNG with a transparent background. */
export async function drawChart(days: readonly ShownDay[], format: Format): Promise<Uint8Array> {
  // Loaded on demand: it is native and large.
  const { Resvg } = await import('@resvg/resvg-js');
  const picture = new Resvg(drawSvg(days, format), {
    fitTo: { mode: 'zoom', value: zoom },
    font: { loadSystemFonts: false, fontFiles: [fontFile], defaultFontFamily: fontFamily },
  });
  return picture.render().asPng();
}

/** Draws the same chart as SVG, which mail programs don't show. */
export function drawSvg(days: readonly ShownDay[], wanted: Format): string {
  const format = drawable(wanted);
  const step = (right - left) / days.length;
  const barWidth = Math.min(maxBarWidth, 0.72 * step);
  const middleOf = (index: number) => round(left + (index + 0.5) * step);
  const rates = rateScale(days);
  const counts = countScale(days);
  const columns = days.map(
    (each, index) =>
      `<g transform="translate(${middleOf(index)})">${bar(each, days, barWidth, counts)}${dayLabel(each, days, format)}</g>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${drawn.width}" height="${drawn.height}" font-family="${fontFamily}" font-size="12" fill="${ink}">
<pattern id="hatching" width="5.5" height="5.5" patternUnits="userSpaceOnUse" patternTransform="rotate(-45)"><rect width="5.5" height="1.8" fill="${chartColours.lacking}"/></pattern>
${axis(rates, rates.ticks(2), format.shortRate)}
${axis(counts, counts.ticks(3).filter(Number.isInteger), format.shortCount)}
${columns.join('\n')}
${rateLine(days, middleOf, rates)}
</svg>`;
}

/** The font has no digits but 0 to 9: a chart with others is drawn in English. */
const drawable = (format: Format) => (format.count(0) === '0' ? format : createFormat('en-GB', 'UTC'));

type Scale = ScaleLinear<number, number>;

/** Spans ten points at least: a change of one point must not fill the panel. */
function rateScale(days: readonly ShownDay[]): Scale {
  const reported = days.map(({ connectRate }) => connectRate).filter((rate) => rate !== null);
  const rates = reported.toSorted((one, other) => one - other);
  const lowest = Math.min(0.9, Math.floor((rates[0] ?? 0) * 20) / 20);
  const highest = Math.max(lowest + 0.1, Math.ceil((rates.at(-1) ?? 1) * 20) / 20);
  return scaleLinear([lowest, highest], [ratePanel.bottom, ratePanel.top]).nice(2);
}

function countScale(days: readonly ShownDay[]): Scale {
  const highest = days.reduce((most, each) => Math.max(most, barCounts(each).whole), 1);
  return scaleLinear([0, highest], [barPanel.bottom, barPanel.top]).nice(3);
}

function axis(scale: Scale, ticks: readonly number[], format: (tick: number) => string): string {
  return ticks
    .map((tick, index) => {
      const y = round(scale(tick));
      const label = text(format(tick), y, `x="${left - 8}" text-anchor="end"`);
      const opacity = index === 0 ? 0.45 : 0.25;
      // Drawn below the value: bars stand on it.
      return `${label}<rect x="${left}" y="${y}" width="${right - left}" height="1" fill="${gridColour}" opacity="${opacity}"/>`;
    })
    .join('\n');
}

/** Attempts with connects in front, centred on x = 0. The space above is hatched if the day is incomplete or provisional. */
function bar(each: ShownDay, days: readonly ShownDay[], width: number, scale: Scale): string {
  const { whole, connects } = barCounts(each);
  const [top, connectsTop] = [scale(whole), scale(connects)];
  const isLacking = each.state !== 'complete';
  const isPale = isWeekend(each.day) && !isAlone(each, days);
  const attemptsColumn = column(width, top, corner, chartColours.attempts);
  // Near the top of the bar, it needs round corners to stay inside.
  const connectsColumn = column(width, connectsTop, corner - (connectsTop - top), chartColours.connects);
  return `${isLacking ? hatching(width, top) : ''}<g opacity="${isPale ? paleness : 1}">${attemptsColumn}${connectsColumn}</g>`;
}

/** Connects may come without attempts, or exceed them. */
function barCounts(day: ShownDay) {
  const connects = Number(day.connects ?? 0n);
  return { connects, whole: Math.max(connects, Number(day.attempts ?? 0n)) };
}

function column(width: number, top: number, rounding: number, colour: string): string {
  const { bottom } = barPanel;
  if (top >= bottom) return '';
  const radius = round(Math.max(0, Math.min(rounding, bottom - top)));
  const arc = `a${radius} ${radius} 0 0 1`;
  return `<path d="M${round(-width / 2)} ${bottom}V${round(top + radius)}${arc} ${radius} ${-radius}H${round(width / 2 - radius)}${arc} ${radius} ${radius}V${bottom}Z" fill="${colour}"/>`;
}

function hatching(width: number, barTop: number): string {
  const height = round(Math.max(0, barTop - 1.5 - barPanel.top));
  return `<rect x="${round(-width / 2)}" y="${barPanel.top}" width="${round(width)}" height="${height}" fill="url(#hatching)"/>`;
}

/** A dot for each day, joined by a line; a gap for a day without a rate. */
function rateLine(days: readonly ShownDay[], middleOf: (index: number) => number, scale: Scale): string {
  const points = days.map(({ connectRate }, index) =>
    connectRate === null ? null : `${middleOf(index)} ${round(scale(connectRate))}`,
  );
  const line = points.map((point, index) => point && `${points[index - 1] ? 'L' : 'M'}${point}`).join('');
  const dots = points.map((point, index) => {
    if (point === null) return '';
    const [x, y] = point.split(' ');
    return `<circle cx="${x}" cy="${y}" r="${isAlone(days[index]!, days) ? 4 : 2}"/>`;
  });
  return `<g fill="${chartColours.rate}"><path d="${line}" fill="none" stroke="${chartColours.rate}" stroke-width="2"/>${dots.join('')}</g>`;
}

/**
 * Weekday and day, centred on x = 0, and the month under its first label. The digest's own days stand out, weekends are
 * paler. Among many days, only Mondays are labelled.
 */
function dayLabel(each: ShownDay, days: readonly ShownDay[], format: Format): string {
  const labelled = days.filter(({ day }) => days.length <= maxLabelledDays || weekdayOf(day) === 1);
  if (!labelled.includes(each)) return '';
  const { day, emphasised } = each;
  const firstOfMonth = labelled.find((other) => other.day.slice(0, 7) === day.slice(0, 7));
  const centred = 'text-anchor="middle"';
  const number = Number(day.slice(-2));
  return [
    text(format.weekdayLetter(day), 137.5, `${centred} font-size="11"`),
    emphasised
      ? `<rect x="-11" y="145" width="22" height="15" rx="4" fill="${ownDayColour}"/>${text(number, 152.5, `${centred} fill="#ffffff"`)}`
      : text(number, 152.5, `${centred} opacity="${isWeekend(day) ? paleness : 1}"`),
    each === firstOfMonth ? text(format.month(day), 167.5, centred) : '',
  ].join('');
}

const text = (content: string | number, y: number, attributes: string) =>
  `<text y="${y}" dominant-baseline="central" ${attributes}>${content}</text>`;

const isAlone = ({ emphasised }: ShownDay, days: readonly ShownDay[]) =>
  emphasised && days.filter((each) => each.emphasised).length === 1;

const isWeekend = (day: Day) => weekdayOf(day) >= 6;

const round = (length: number) => Math.round(length * 100) / 100;
