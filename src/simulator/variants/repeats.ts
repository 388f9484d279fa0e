import { numberIn, withParameter } from '../request.ts';
import { type AnswerHook, changing, type VariantEntry } from '../variant.ts';
import { pagesOf } from './page-numbers.ts';

/**
 * Lists that can't be walked to their end: the document doesn't say what an answer beyond the last page is, nor
 * promises that a page is the one asked for (service.md 4.1). `pages` and the counts tell of the true list.
 */
export const repeatVariants = {
  'page-repeats': {
    does: 'every page is the first page again, numbered as asked',
    make: () => ({ clients: serving(() => 1) }),
  },
  'page-alternates': {
    does: 'odd pages are the first page, even ones the second, numbered as asked',
    make: () => ({ clients: serving((page) => (page % 2 === 1 ? 1 : 2)) }),
  },
  'last-page-forever': {
    does: 'all pages beyond the middle are the middle page again, numbered as asked',
    make: () => ({ clients: serving((page, pages) => Math.min(page, middleOf(pages))) }),
  },
  'empty-page': {
    does: 'the middle page of three or more is empty, whenever it is asked for',
    make: () => ({
      clients: changing((envelope) => {
        const { page, pages } = pagesOf(envelope);
        return pages >= 3 && page === middleOf(pages) ? { ...envelope, count: 0, data: [] } : envelope;
      }),
    }),
  },
} satisfies Record<string, VariantEntry>;

function middleOf(pages: number): number {
  return Math.floor(pages / 2) + 1;
}

/** Serves another page under the number that was asked for. */
function serving(choose: (page: number, pages: number) => number): AnswerHook {
  return (params, next) => {
    const due = next(params);
    const page = numberIn(params, 'page') ?? 1;
    const served = choose(page, pagesOf(due).pages);
    return served === page ? due : { ...next(withParameter(params, 'page', served)), page: due.page };
  };
}
