import { html, raw } from 'hono/html';

/** A bar of a strip. */
export type Bar = {
  /** Null leaves a gap. */
  readonly value: number | null;
  /** A tick across the bar; null for none. */
  readonly typical: number | null;
  /** It stands out. */
  readonly low: boolean;
};

/** Four weeks. Fewer bars leave a gap on the left instead of being broad. */
const minSlots = 28;
const barWidth = 10;
const height = 40;

/** A row of bars from a common base line, scaled to the largest. `label` says what they show to those who don't see it. */
export function strip(label: string, bars: readonly Bar[]) {
  const max = bars.reduce((most, { value, typical }) => Math.max(most, value ?? 0, typical ?? 0), 1);
  const scaled = (value: number) => Math.round((value / max) * (height - 2));
  const path = (low: boolean) =>
    bars
      .map((bar, index) => (bar.value === null || bar.low !== low ? '' : barAt(index, scaled(bar.value))))
      .join('');
  const ticks = bars
    .map(({ typical }, index) =>
      typical === null ? '' : `M${index * barWidth} ${height - scaled(typical)}h${barWidth}`,
    )
    .join('');
  const slots = Math.max(bars.length, minSlots);
  const left = (bars.length - slots) * barWidth;
  const box = raw(`viewBox="${left} 0 ${slots * barWidth} ${height}" preserveAspectRatio="none"`);
  return html`<svg class="strip" ${box} role="img" aria-label="${label}"><path d="${path(false)}"/><path class="low" d="${path(true)}"/><path class="tick" d="${ticks}"/></svg>`;
}

/** Even a value of 0 is a line. */
const barAt = (index: number, tall: number) =>
  `M${index * barWidth + 1} ${height}v-${Math.max(1, tall)}h${barWidth - 2}v${Math.max(1, tall)}z`;
