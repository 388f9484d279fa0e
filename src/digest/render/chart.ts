import { createRequire } from 'node:module';
import type { ChartDay } from '../content/totals.ts';
import { createFormat, type Format } from '../format.ts';
import { chartOptions } from './chart-options.ts';

/** Drawn small, so that its letters stay legible where a phone makes it smaller still. */
const drawn = { width: 408, height: 222 } as const;

/** How wide and high the picture is in a mail, in pixels: Outlook knows no other size. */
export const chartSize = { width: 544, height: 296 } as const;

/** Pixels of the PNG for one of the drawing: sharp at full width on a high-resolution screen. */
const zoom = (2 * chartSize.width) / drawn.width;

/**
 * Attempts, connects and the connect rate of the last days as a PNG on a transparent ground. The libraries that draw
 * are large: they are only loaded where a chart is drawn.
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

/** The same as SVG, with letters as text: a mail program would have neither. */
export async function drawSvg(days: readonly ChartDay[], format: Format): Promise<string> {
  const [{ init, use }, { BarChart, LineChart }, { GridComponent }, { SVGRenderer }] = await Promise.all([
    import('echarts/core'),
    import('echarts/charts'),
    import('echarts/components'),
    import('echarts/renderers'),
  ]);
  use([BarChart, LineChart, GridComponent, SVGRenderer]);
  const chart = init(null, null, { renderer: 'svg', ssr: true, ...drawn });
  try {
    chart.setOption(chartOptions(days, drawable(format), fontFamily));
    return chart.renderToSVGString();
  } finally {
    // Or its timers keep the process from ending.
    chart.dispose();
  }
}

/** The font has the letters of every language, but no other digits than these: with those, all is drawn as in English. */
const drawable = (format: Format) => (format.count(0) === '0' ? format : createFormat('en-GB', 'UTC'));
