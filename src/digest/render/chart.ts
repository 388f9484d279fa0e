import { createRequire } from 'node:module';
import type { ChartDay } from '../content/totals.ts';
import { createFormat, type Format } from '../format.ts';

/** Drawn small, so that its letters stay legible where a phone makes it smaller still. */
export const chartSize = { width: 440, height: 176 } as const;

/** Colours that differ from each other and from the background, on a light page and on a dark one. */
export const chartColours = { attempts: '#93b4f0', connects: '#3b76e1' } as const;
const ink = '#77808c';
const line = '#8b949e40';

/** Pixels of the PNG for one of the drawing: sharp at full width on a high-resolution screen. */
const zoom = 2.5;

/**
 * Attempts and connects of the last days as a PNG on a transparent ground. The libraries that draw are large: they
 * are only loaded where a chart is drawn.
 */
export async function drawChart(days: readonly ChartDay[], format: Format): Promise<Uint8Array> {
  const svg = await drawSvg(days, format);
  const { Resvg } = await import('@resvg/resvg-js');
  const picture = new Resvg(svg, {
    fitTo: { mode: 'zoom', value: zoom },
    font: { loadSystemFonts: false, fontFiles: [fontFile], defaultFontFamily: fontFamily },
  });
  return picture.render().asPng();
}

/** A font of a package: a machine may have none, and every machine draws the same. */
const fontFile = createRequire(import.meta.url).resolve(
  '@expo-google-fonts/inter/500Medium/Inter_500Medium.ttf',
);
const fontFamily = 'Inter Medium';

async function drawSvg(days: readonly ChartDay[], format: Format): Promise<string> {
  const [{ init, use }, { BarChart }, { GridComponent }, { SVGRenderer }] = await Promise.all([
    import('echarts/core'),
    import('echarts/charts'),
    import('echarts/components'),
    import('echarts/renderers'),
  ]);
  use([BarChart, GridComponent, SVGRenderer]);
  const chart = init(null, null, { renderer: 'svg', ssr: true, ...chartSize });
  try {
    chart.setOption(options(days, drawable(format)));
    return chart.renderToSVGString();
  } finally {
    // Or its timers keep the process from ending.
    chart.dispose();
  }
}

function options(days: readonly ChartDay[], format: Format) {
  const label = { color: ink, fontFamily, fontSize: 12 };
  const bars = (name: 'attempts' | 'connects') => ({
    type: 'bar',
    barGap: '-100%',
    barCategoryGap: '28%',
    barMaxWidth: 36,
    itemStyle: { color: chartColours[name], borderRadius: [3, 3, 0, 0] },
    data: days.map(({ sums, incomplete }) => ({
      value: barHeight(sums?.[name] ?? null),
      itemStyle: { opacity: incomplete ? 0.45 : 1 },
    })),
  });
  return {
    animation: false,
    textStyle: label,
    grid: { left: 2, right: 2, top: 10, bottom: 2, outerBoundsMode: 'same', outerBoundsContain: 'axisLabel' },
    xAxis: {
      type: 'category',
      data: days.map(({ day }) => day),
      axisTick: { show: false },
      axisLine: { lineStyle: { color: line } },
      axisLabel: { ...label, interval: 0, formatter: dayOfMonth },
    },
    yAxis: {
      type: 'value',
      splitNumber: 3,
      minInterval: 1,
      axisLabel: { ...label, formatter: (value: number) => format.count(value) },
      splitLine: { lineStyle: { color: line } },
    },
    series: [bars('attempts'), bars('connects')],
  };
}

// A bar needs no more digits than a double has.
const barHeight = (sum: bigint | null) => (sum === null ? null : Number(sum));

const dayOfMonth = (day: string) => String(Number(day.slice(-2)));

/** The font has Latin, Greek and Cyrillic letters: what is written otherwise is drawn as in English. */
function drawable(format: Format): Format {
  const drawn = /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Common}]*$/u;
  return drawn.test(format.count(1_234)) ? format : createFormat('en-GB', 'UTC');
}
