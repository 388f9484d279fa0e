import type { Middleware } from '../../../src/simulator/middleware.ts';
import { figureVariants } from './variants/figures.ts';
import { pageVariants } from './variants/pages.ts';
import { recordVariants } from './variants/records.ts';
import { transportVariants } from './variants/transport.ts';

/**
 * All variants, the outermost first, in whatever order they were chosen. Each simulator has its own, because some variants
 * remember requests. Variants from different files combine.
 */
function createCatalogue() {
  return {
    ...transportVariants(),
    ...recordVariants(),
    ...pageVariants(),
    ...figureVariants(),
  } satisfies Record<string, Middleware>;
}

export type VariantName = keyof ReturnType<typeof createCatalogue>;

export function createVariants(names: readonly VariantName[]): Middleware[] {
  const chosen = new Set<string>(names);
  return Object.entries(createCatalogue())
    .filter(([name]) => chosen.has(name))
    .map(([, inject]) => (request, next) => {
      const isServed = request.method === 'GET' && request.operation !== 'unknown';
      return isServed ? inject(request, next) : undefined;
    });
}
