import type { Equivalent } from '../equivalents.ts';

export const inDigest: readonly Equivalent[] = [
  {
    file: 'src/digest/render/chart.ts',
    line: 'font: { loadSystemFonts: false, fontFiles: [fontFile], defaultFontFamily: fontFamily },',
    becomes: 'font: { loadSystemFonts: true, fontFiles: [fontFile], defaultFontFamily: fontFamily },',
    because: 'all that is drawn is in that file; to look for the machine’s own fonts only takes time',
  },
  {
    file: 'src/digest/format.ts',
    line: 'const ofYear = yearOf.format(instant).startsWith(year);',
    becomes: 'const ofYear = yearOf.format(instant).endsWith(year);',
    because: 'either has four digits, or `year` has none',
  },
  {
    file: 'src/digest/format.ts',
    line: 'return part === null || whole === null || Number(whole) === 0 ? null : Number(part) / Number(whole);',
    becomes: 'return part === null || false || Number(whole) === 0 ? null : Number(part) / Number(whole);',
    because: 'Number(null) is 0, too; the condition says what is meant',
  },
];
