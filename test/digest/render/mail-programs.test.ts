import { describe, expect, test } from 'vitest';
import { mailHtml } from '../../../src/digest/render/html.ts';
import { contentOf } from '../figures.ts';
import { alerts, digests } from '../mails.ts';

/* What mail programs make of HTML, and these mails must not need or trip over. No such program runs here. */

const link = 'https://bi.example.com/?day={day}';
const pages = [
  ...['a day with every kind of news', 'an incomplete day'].map((name) => ({
    name,
    page: mailHtml(contentOf({ ...digests[name]!, link }), 'cid:chart'),
    pictures: 1,
  })),
  { name: 'an alert mail', page: alerts['an alert mail']!.html, pictures: 0 },
];

type Tag = { readonly tag: string; readonly css: readonly string[] };

/** The elements with a style of their own. */
function styled(page: string): Tag[] {
  return [...page.matchAll(/<(\w+)[^>]* style="([^"]*)"/g)].map(([, tag, css]) => ({
    tag: tag!,
    css: css!.split(';'),
  }));
}

const propertyOf = (declaration: string) => declaration.split(':')[0]!.trim();

describe.each(pages)('$name', ({ page, pictures }) => {
  const elements = styled(page);
  const declarations = elements.flatMap(({ css }) => css);
  const outlook = /<head>[\s\S]*?<!--\[if mso\]>([\s\S]*?)<!\[endif\]-->/.exec(page)![1]!;

  test('needs nothing of Outlook that Word can’t draw', () => {
    const unsupported = /^(position|float|flex|grid|background|background-image|transform)$/;
    expect(declarations.map(propertyOf).filter((each) => unsupported.test(each))).toEqual([]);
    expect(declarations.filter((each) => /^display:(?!none|block)/.test(each.trim()))).toEqual([]);
    const tables = page.match(/<table[^>]*>/g)!.filter((table) => !table.includes('width="100%"'));
    // As wide as what is in them: the button, and the card in Outlook, which has no max-width.
    expect(
      tables.filter((table) => !/width="600"|^<table role="presentation" cellpadding/.test(table)),
    ).toEqual([]);
  });

  test('has pixels, fonts and line heights of its own for Outlook', () => {
    expect(page).toContain('xmlns:o="urn:schemas-microsoft-com:office:office"');
    expect(outlook).toMatch(/<o:OfficeDocumentSettings><o:AllowPNG\/><o:PixelsPerInch>96<\/o:PixelsPerInch>/);
    const [, ruled, rule] = /\n([\w, ]+) \{ (font-family[^}]*)\}/.exec(outlook)!;
    expect(rule).toBe("font-family: 'Segoe UI', Arial, sans-serif; mso-line-height-rule: exactly; ");
    const tags = new Set(elements.filter(({ css }) => css.some(hasLineHeight)).map(({ tag }) => tag));
    // Of a line, only its block's height counts; a gap has the rule in its own style.
    expect([...tags].filter((tag) => ![...ruled!.split(', '), 'span', 'div'].includes(tag))).toEqual([]);
    const gaps = elements.filter(({ tag, css }) => tag === 'div' && css.some(hasLineHeight));
    expect(gaps.filter(({ css }) => !css.includes('mso-line-height-rule:exactly'))).toEqual([]);
  });

  test('has its picture whole and in its size in Outlook', () => {
    const images = page.match(/<p [^>]*><img[^>]*>|<img[^>]*>/g) ?? [];
    expect(images).toHaveLength(pictures);
    for (const image of images)
      expect(image).toMatch(
        /^<p style="margin:0;mso-line-height-rule:at-least"><img .* width="544" height="232" /,
      );
  });

  test('has no negative margins, none around tables, and no tiny fonts', () => {
    expect(declarations.filter((each) => /margin[^:]*:[^;]*-\d/.test(each))).toEqual([]);
    const margins = elements.filter(
      ({ tag, css }) => tag === 'table' && css.some((each) => /^margin.*:(?!0$)/.test(each)),
    );
    expect(margins).toEqual([]);
    expect(declarations.filter((each) => /font-size:[0-7](\.\d+)?px/.test(each))).toEqual([]);
  });
});

const hasLineHeight = (declaration: string) => propertyOf(declaration) === 'line-height';
