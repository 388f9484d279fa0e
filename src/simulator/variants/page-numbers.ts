import { numberIn, withParameter } from '../request.ts';
import { changing, type Envelope, type VariantEntry, without } from '../variant.ts';

/**
 * How pages are numbered and counted: the document gives `page` and `pages` a word each (service.md 2.2), and
 * leaves open where numbering begins. The records are right in all of these. First the numbering, so that the
 * others count from 1.
 */
export const pageNumberVariants = {
  'pages-from-zero': {
    does: 'pages count from 0, in requests and in answers',
    make: () => ({
      clients: (params, next) => {
        const asked = numberIn(params, 'page');
        return plus(
          next(asked === undefined ? params : withParameter(params, 'page', asked + 1)),
          'page',
          -1,
        );
      },
    }),
  },
  'pages-missing': {
    does: 'the answer has no `pages`',
    make: () => ({ clients: changing((envelope) => without(envelope, 'pages')) }),
  },
  'pages-zero': {
    does: '`pages` is always 0',
    make: () => ({ clients: changing((envelope) => ({ ...envelope, pages: 0 })) }),
  },
  'pages-changes': {
    does: '`pages` grows by one in the second half of every walk of two pages or more',
    make: () => ({
      clients: changing((envelope) => {
        const { page, pages } = pagesOf(envelope);
        return pages >= 2 && page > pages / 2 ? plus(envelope, 'pages', 1) : envelope;
      }),
    }),
  },
  'page-missing': {
    does: 'the answer has no `page`',
    make: () => ({ clients: changing((envelope) => without(envelope, 'page')) }),
  },
  'page-number-wrong': {
    does: 'every third page (3, 6, 9, …) says it is the next one',
    make: () => ({
      clients: changing((envelope) =>
        pagesOf(envelope).page % 3 === 0 ? plus(envelope, 'page', 1) : envelope,
      ),
    }),
  },
} satisfies Record<string, VariantEntry>;

/** The numbers of a plain answer; NaN where a variant has taken one away. */
export function pagesOf(envelope: Envelope): { page: number; pages: number } {
  return { page: Number(envelope.page), pages: Number(envelope.pages) };
}

function plus(envelope: Envelope, name: string, more: number): Envelope {
  const value = envelope[name];
  return typeof value === 'number' ? { ...envelope, [name]: value + more } : envelope;
}
