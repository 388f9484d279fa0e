import type { Day } from '../../model/day.ts';
import type { ChartDay } from '../content/totals.ts';
import type { Format } from '../format.ts';

/** Colours that differ from each other and from the background, on a light page and on a dark one. */
export const chartColours = {
  attempts: '#93b4f0',
  connects: '#3b76e1',
  rate: '#d9730d',
  lacking: '#8b949e',
} as const;
const ink = '#77808c';
const line = '#8b949e40';

/** Above the connect rate on a scale of its own, below it the bars; both share their days. */
const panels = [
  { left: 48, right: 6, top: 8, height: 48 },
  { left: 48, right: 6, top: 74, height: 96 },
] as const;

/** How many days have a label each. */
const maxLabelled = 16;

/** What echarts draws of the days: it decides no more than where. */
export function chartOptions(days: readonly ChartDay[], format: Format, fontFamily: string) {
  const label = { color: ink, fontFamily, fontSize: 12 };
  const category = {
    type: 'category',
    axisLine: { lineStyle: { color: line } },
  };
  const value = { type: 'value', splitLine: { lineStyle: { color: line } } };
  return {
    animation: false,
    textStyle: label,
    grid: panels,
    xAxis: [
      { ...category, gridIndex: 0, axisLabel: { show: false } },
      { ...category, gridIndex: 1, axisLabel: { ...dayLabels(days, format, label), interval: 0 } },
    ],
    yAxis: [
      {
        ...value,
        gridIndex: 0,
        scale: true,
        splitNumber: 2,
        // Not a wobble of a point across the whole height.
        minInterval: 0.05,
        axisLabel: { ...label, formatter: (rate: number) => format.shortRate(rate) },
      },
      {
        ...value,
        gridIndex: 1,
        splitNumber: 3,
        minInterval: 1,
        axisLabel: { ...label, formatter: (count: number) => format.shortCount(count) },
      },
      { type: 'value', gridIndex: 1, min: 0, max: 1, show: false },
    ],
    series: [rateLine(days), lacking(days), bars('connects', days), bars('attempts', days)],
  };
}

function rateLine(days: readonly ChartDay[]) {
  return {
    type: 'line',
    color: chartColours.rate,
    symbol: 'circle',
    data: days.map((each) => ({
      value: each.connectRate,
      symbolSize: isAlone(each, days) ? 8 : 4,
    })),
  };
}

const layout = {
  type: 'bar',
  xAxisIndex: 1,
  barGap: '-100%',
  barCategoryGap: '28%',
  barMaxWidth: 36,
} as const;

/** Connects, and on top of them the attempts that were none: where weekends are paler, nothing shines through. */
function bars(name: 'attempts' | 'connects', days: readonly ChartDay[]) {
  const top = name === 'attempts' ? 3 : 0;
  return {
    ...layout,
    stack: 'calls',
    yAxisIndex: 1,
    itemStyle: { color: chartColours[name], borderRadius: [top, top, 0, 0] },
    data: days.map((each) => ({
      value: barHeight(name, each),
      itemStyle: { opacity: isWeekend(each.day) && !isAlone(each, days) ? 0.6 : 1 },
    })),
  };
}

// A bar needs no more digits than a double has.
function barHeight(name: 'attempts' | 'connects', { sums }: ChartDay): number | null {
  const [attempts, connects] = [sums?.attempts ?? null, sums?.connects ?? null];
  if (name === 'connects') return connects === null ? null : Number(connects);
  return attempts === null ? null : Math.max(0, Number(attempts - (connects ?? 0n)));
}

/** Hatched to the top where a part of the day isn't loaded, or none of it: a day of zeros has nothing at all. */
function lacking(days: readonly ChartDay[]) {
  return {
    ...layout,
    yAxisIndex: 2,
    itemStyle: {
      color: 'transparent',
      decal: {
        symbol: 'rect',
        color: chartColours.lacking,
        dashArrayX: [1, 0],
        dashArrayY: [1.5, 4],
        rotation: -Math.PI / 4,
      },
    },
    data: days.map((each) => (isLacking(each) ? 1 : null)),
  };
}

/** Whether the digest is about this day alone. */
const isAlone = ({ emphasised }: ChartDay, days: readonly ChartDay[]) =>
  emphasised && days.filter((each) => each.emphasised).length === 1;

/** Whether not all of the day is loaded that ought to be. */
const isLacking = ({ sums, incomplete }: ChartDay): boolean => sums === null || incomplete;

/**
 * Under each bar its weekday's letter and its day, and the month where it begins; the digest's own days stand out, and
 * weekends are paler.
 */
function dayLabels(days: readonly ChartDay[], format: Format, label: { readonly fontSize: number }) {
  const centred = { ...label, align: 'center', lineHeight: 15 };
  const lines = ({ day, emphasised }: ChartDay, index: number): string[] => {
    if (!isLabelled(day, days.length)) return [];
    const look = emphasised ? 'own' : isWeekend(day) ? 'weekend' : 'day';
    const month = labelsMonth(days, index) ? format.month(day) : '';
    return [
      `{letter|${format.weekdayLetter(day)}}`,
      `{${look}|${Number(day.slice(-2))}}`,
      `{month|${month}}`,
    ];
  };
  return {
    ...label,
    formatter: (_: string, index: number) => lines(days[index]!, index).join('\n'),
    rich: {
      letter: { ...centred, fontSize: 11 },
      day: centred,
      weekend: { ...centred, opacity: 0.6 },
      own: { ...centred, color: '#ffffff', backgroundColor: '#1f5fd0', borderRadius: 4, padding: [0, 4] },
      month: centred,
    },
  };
}

/** Whether a label is the first of its month. */
function labelsMonth(days: readonly ChartDay[], index: number): boolean {
  const month = days[index]!.day.slice(0, 7);
  return !days.slice(0, index).some(({ day }) => day.startsWith(month) && isLabelled(day, days.length));
}

/** Of many days, Mondays alone. */
const isLabelled = (day: Day, count: number) => count <= maxLabelled || weekdayOf(day) === 1;

const weekdayOf = (day: Day) => Temporal.PlainDate.from(day).dayOfWeek;

const isWeekend = (day: Day) => weekdayOf(day) >= 6;
