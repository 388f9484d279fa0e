import type { Middleware } from '../../../src/simulator/middleware.ts';
import { named } from './journal.ts';
import type { Variant } from './middleware.ts';
import { errorVariants } from './variants/errors.ts';
import { figureVariants } from './variants/figures.ts';
import { pageVariants } from './variants/pages.ts';
import { recordVariants } from './variants/records.ts';
import { transportVariants } from './variants/transport.ts';

/**
 * All variants, the outermost first, in whatever order they were chosen. Each simulator has its own, because some variants
 * remember requests. Variants from different files combine.
 */
function createCatalogue(chosen: ReadonlySet<string> = new Set()) {
  return {
    ...transportVariants(chosen.has('token-expires')),
    ...errorVariants(),
    ...recordVariants(),
    ...pageVariants(),
    ...figureVariants(),
  } satisfies Record<string, Variant>;
}

const descriptions = createCatalogue();

export type VariantName = keyof typeof descriptions;

export const variantNames = Object.keys(descriptions) as readonly VariantName[];

export function createVariants(names: readonly VariantName[]): Middleware[] {
  const chosen = new Set<string>(names);
  const catalogue = Object.entries(createCatalogue(chosen));
  return catalogue
    .filter(([name]) => chosen.has(name))
    .map(([name, [, inject]]) =>
      named(name, (request, next) => {
        const served = request.method === 'GET' && request.operation !== 'unknown';
        return served ? inject(request, next) : undefined;
      }),
    );
}
