import { html, raw } from 'hono/html';

/** A bar of a strip. */
export type Bar = {
  /** Null leaves a gap. */
  readonly value: number | null;
  /** A tick across the bar; null for none. */
  readonly typical: number | null;
  /** Its CSS class. */
  readonly mark: string;
  /** It is shown on hover. */
  readonly title: string;
};

const barWidth = 10;
const height = 40;

/** A row of bars from a common base line, scaled to the largest. `label` says what they show to those who don't see it. */
export function strip(label: string, bars: readonly Bar[]) {
  const max = Math.max(1, ...bars.map(({ value, typical }) => Math.max(value ?? 0, typical ?? 0)));
  const scaled = (value: number) => Math.round((value / max) * (height - 2) * 10) / 10;
  const drawn = bars.map(({ value, typical, mark, title }, index) => {
    const x = index * barWidth;
    const tall = value === null ? 0 : Math.max(1, scaled(value));
    return html`<g class="${mark}"><title>${title}</title><rect class="room" x="${x}" y="0" width="${barWidth}" height="${height}"/><rect x="${x + 1}" y="${height - tall}" width="${barWidth - 2}" height="${tall}"/>${typical === null ? '' : html`<path d="M${x} ${height - scaled(typical)}h${barWidth}"/>`}</g>`;
  });
  const box = raw(`viewBox="0 0 ${bars.length * barWidth} ${height}" preserveAspectRatio="none"`);
  return html`<svg class="strip" ${box} role="img" aria-label="${label}">${drawn}</svg>`;
}
