import { parseAst } from 'vitest/node';

/** A condition or a lock in a statement, and the text that replaces it when it is removed. */
export type Condition = {
  /** The function or constant that contains it. With `text`, it identifies the condition wherever it moves in the file. */
  readonly within: string;
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly replace: string;
};

type Part = Omit<Condition, 'within' | 'text'>;
type Node = { readonly type: string; readonly start: number; readonly end: number } & Record<string, unknown>;

/**
 * Finds the conditions and locks of the statements in a source file, in Kysely's builder and in SQL text. Of nested
 * conditions, only the innermost count.
 */
export function conditionsOf(source: string): Condition[] {
  const program = parseAst(source, { lang: 'ts' }) as unknown as { readonly body: readonly Node[] };
  return program.body.flatMap((statement) => {
    const parts = allNodes(statement).flatMap((node) => [...builtParts(node), ...textParts(source, node)]);
    return innermost(parts).map((part) => ({
      within: nameOf(statement),
      text: source
        .slice(part.start, part.end)
        .replaceAll(/\/\/.*|\s+/g, ' ')
        .replaceAll(/ +/g, ' ')
        .trim(),
      ...part,
    }));
  });
}

/** The innermost parts, in their order and without duplicates: text tagged `sql` is found twice, as tag and as literal. */
function innermost(parts: readonly Part[]): Part[] {
  const byPlace = new Map(parts.map((part) => [`${part.start} ${part.end}`, part]));
  const distinct = [...byPlace.values()];
  return distinct
    .filter(
      (part) => !distinct.some((each) => each !== part && each.start >= part.start && each.end <= part.end),
    )
    .sort((one, other) => one.start - other.start);
}

function allNodes(value: unknown): Node[] {
  if (Array.isArray(value)) return value.flatMap(allNodes);
  if (value === null || typeof value !== 'object') return [];
  const below = Object.values(value).flatMap(allNodes);
  return 'type' in value ? [value as Node, ...below] : below;
}

function nameOf(statement: Node): string {
  const declared = (statement.declaration ?? statement) as Node;
  const [first] = (declared.declarations ?? [declared]) as readonly {
    readonly id?: { readonly name: string };
  }[];
  return first?.id?.name ?? statement.type;
}

const methods = new Set(['where', 'whereRef', 'filterWhere', 'having', 'havingRef']);
const joinMethods = new Set(['on', 'onRef']);
const joins = new Set(['innerJoin', 'leftJoin', 'rightJoin', 'fullJoin']);
const locks = new Set(['forUpdate', 'forNoKeyUpdate', 'forShare', 'forKeyShare', 'skipLocked', 'noWait']);

function builtParts(node: Node): Part[] {
  if (node.type !== 'CallExpression') return [];
  const callee = node.callee as Node;
  if (callee.type !== 'MemberExpression') return [];
  const name = (callee.property as { readonly name?: string }).name ?? '';
  const args = node.arguments as readonly Node[];
  const call = { start: (callee.object as Node).end, end: node.end };
  if (methods.has(name) || locks.has(name)) return [{ ...call, replace: '' }];
  // Event handlers also have a method `on`, with two arguments.
  if (joinMethods.has(name) && args.length !== 2) return [{ ...call, replace: '.onTrue()' }];
  if (joins.has(name) && args.length === 3)
    return [{ start: args[1]!.start, end: args[2]!.end, replace: '(join) => join.onTrue()' }];
  if (name !== 'and' && name !== 'or') return [];
  const [list] = args;
  const elements = (list?.elements ?? list?.properties ?? []) as readonly Node[];
  return elements.map((element, index) => {
    const next = elements[index + 1];
    return { start: element.start, end: next ? next.start : element.end, replace: '' };
  });
}

const isStatement = /^\W*(select|with|insert into|update|delete from|lock table)\b/i;

function textParts(source: string, node: Node): Part[] {
  if (node.type === 'TaggedTemplateExpression' && (node.tag as { readonly name?: string }).name === 'sql') {
    const typed = node.typeArguments as Node | null | undefined;
    const type = typed ? source.slice(typed.start, typed.end) : '';
    return partsOfText(source, node.quasi as Node, /^<(SqlBool|boolean)\b/.test(type));
  }
  const isText =
    node.type === 'TemplateLiteral' || (node.type === 'Literal' && typeof node.value === 'string');
  if (!isText || !isStatement.test(source.slice(node.start, node.end))) return [];
  return partsOfText(source, node, false);
}

function partsOfText(source: string, text: Node, isCondition: boolean): Part[] {
  const tokens = tokensOf(masked(source, text));
  if (tokens.length === 0) return [];
  return [...partsOfGroup(tokens, isCondition), ...locksOf(tokens)];
}

/** Masks `${…}` and quoted texts as words, and comments as blanks. */
function masked(source: string, text: Node): { readonly sql: string; readonly offset: number } {
  const letters = source.slice(text.start + 1, text.end - 1).split('');
  const mask = (start: number, end: number, by: string) => letters.fill(by, start, end);
  for (const hole of (text.expressions ?? []) as readonly Node[])
    mask(
      source.lastIndexOf('${', hole.start) - text.start - 1,
      source.indexOf('}', hole.end) - text.start,
      '_',
    );
  for (const { index, 0: found } of letters.join('').matchAll(/--.*|'[^']*'/g))
    mask(index, index + found.length, found.startsWith('--') ? ' ' : '_');
  return { sql: letters.join('').toLowerCase(), offset: text.start + 1 };
}

type Token = {
  readonly word: string;
  readonly start: number;
  readonly end: number;
  readonly group?: readonly Token[];
};

function tokensOf({ sql, offset }: { readonly sql: string; readonly offset: number }): Token[] {
  const all = [...sql.matchAll(/\w+|[^\s\w(),;]+|[(),;]/g)].map(({ 0: word, index }) => ({
    word,
    start: offset + index,
    end: offset + index + word.length,
  }));
  let next = 0;
  const read = (): Token[] => {
    const tokens: Token[] = [];
    while (next < all.length && all[next]!.word !== ')') {
      const token = all[next++]!;
      if (token.word !== '(') {
        tokens.push(token);
        continue;
      }
      const group = read();
      tokens.push({ ...token, end: all[next++]?.end ?? token.end, group });
    }
    return tokens;
  };
  return read();
}

const begins = new Set(['where', 'on', 'having']);
const ends = new Set(
  (
    'select from set values returning group order limit offset union except intersect window with for do as ' +
    'join left right full inner cross using case when then else end , ;'
  ).split(' '),
);
const connects = new Set(['and', 'or']);

/** Conditions among the tokens, and in their parentheses. */
function partsOfGroup(tokens: readonly Token[], isCondition: boolean): Part[] {
  const parts: Part[] = [];
  let begin = 0;
  let before = isCondition ? 'where' : '';
  let between = false;
  const close = (end: number, after: string) => {
    const [first, last] = [tokens[begin], tokens[end - 1]];
    const connected = before !== '' || connects.has(after);
    if (connected && first && last && begin < end) {
      const isAlternative = [before, after].includes('or') && ![before, after].includes('and');
      parts.push({ start: first.start, end: last.end, replace: isAlternative ? 'false' : 'true' });
    }
  };
  for (const [index, { word, group }] of tokens.entries()) {
    const previous = tokens[index - 1]?.word ?? '';
    const next = tokens[index + 1];
    if (group) {
      parts.push(
        ...(previous === 'using'
          ? columnsOf(tokens[index - 1]!, tokens[index]!)
          : partsOfGroup(group, false)),
      );
      continue;
    }
    if (word === 'between') between = true;
    else if (word === 'and' && between) between = false;
    else if (connects.has(word) || (begins.has(word) && next?.word !== 'conflict')) {
      close(index, word);
      [begin, before] = [index + 1, word];
    } else if (ends.has(word) && previous !== 'distinct' && !(isSide.test(word) && next?.group)) {
      close(index, '');
      [begin, before] = [index + 1, ''];
    }
  }
  close(tokens.length, '');
  return parts;
}

/** `left` and `right` may also be functions. */
const isSide = /^(left|right)$/;

function columnsOf(using: Token, { group, end }: Token): Part[] {
  const columns = group!.filter(({ word }) => word !== ',');
  if (columns.length === 1) return [{ start: using.start, end, replace: 'on true' }];
  return columns.map((column, index) => {
    const next = columns[index + 1];
    const start = next ? column.start : columns[index - 1]!.end;
    return { start, end: next ? next.start : column.end, replace: '' };
  });
}

function locksOf(tokens: readonly Token[]): Part[] {
  const words = tokens.map(({ word }) => word);
  return tokens.flatMap((token, index): Part[] => {
    if (token.group) return locksOf(token.group);
    const at = words.slice(index).join(' ');
    const length = /^(for (update|no key update|share)|nowait|skip locked)\b/.exec(at)?.[0].split(' ').length;
    if (length) return [{ start: token.start, end: tokens[index + length - 1]!.end, replace: '' }];
    if (!at.startsWith('lock table ')) return [];
    const end = words.indexOf(';', index);
    return [{ start: token.start, end: tokens.at(end < 0 ? -1 : end - 1)!.end, replace: 'select 1' }];
  });
}
