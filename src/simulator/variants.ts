import { isOperation, type Middleware, named } from './middleware.ts';
import { createEveryNth, type Variant } from './variant.ts';
import { figureVariants } from './variants/figures.ts';
import { pageVariants } from './variants/pages.ts';
import { recordVariants } from './variants/records.ts';
import { transportVariants } from './variants/transport.ts';

/**
 * Variants of different themes go together. Whatever order they were chosen in, they apply in this one, the outermost
 * first: transport, then the records, then the list and its pages, then the figures.
 */
const catalogue = {
  ...transportVariants,
  ...recordVariants,
  ...pageVariants,
  ...figureVariants,
} satisfies Record<string, Variant>;

export type VariantName = keyof typeof catalogue;

export const variantNames = Object.keys(catalogue) as readonly VariantName[];

export function isVariantName(name: string): name is VariantName {
  return Object.hasOwn(catalogue, name);
}

/** What the service does in that variant, in half a line. */
export function describeVariant(name: VariantName): string {
  return catalogue[name].does;
}

export function createVariants(names: readonly VariantName[]): Middleware[] {
  const chosen = new Set<string>(names);
  const context = { chosen, everyNth: createEveryNth() };
  return variantNames
    .filter((name) => chosen.has(name))
    .map((name) => onOperations(named(name, (catalogue[name] as Variant).create(context))));
}

/** Another path or method is refused in any variant. */
function onOperations(middleware: Middleware): Middleware {
  return (request, next) => (isOperation(request) ? middleware(request, next) : undefined);
}
