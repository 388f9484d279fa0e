/*
 * Keeps an open page up to date, and moves through calendars with the arrow keys. Without JavaScript the page
 * looks the same, but is refreshed by hand, and only the newest day of a calendar can have the focus.
 */

const everyMs = 60_000;

/** Identifies an element, before and after a refresh. */
const keyOf = (element) => element?.closest('[data-key]')?.dataset.key;

function findFocusable(key) {
  const all = document.querySelectorAll('main [tabindex], main summary');
  return [...all].find((element) => keyOf(element) === key);
}

/** Shows the content of a new page. Open details stay open, and the focus stays where it is. */
function show(page) {
  const open = new Map(
    [...document.querySelectorAll('details')].map((each) => [each.dataset.key, each.open]),
  );
  const focused = document.querySelector('main').contains(document.activeElement)
    ? keyOf(document.activeElement)
    : undefined;
  for (const part of ['#as-of', 'main'])
    document.querySelector(part).replaceChildren(...page.querySelector(part).childNodes);
  document.title = page.title;
  for (const each of document.querySelectorAll('details'))
    each.open = open.get(each.dataset.key) ?? each.open;
  if (focused !== undefined) findFocusable(focused)?.focus({ preventScroll: true });
}

async function refresh() {
  // Not while the page is hidden, or while somebody selects a command to copy it.
  if (document.hidden || !getSelection().isCollapsed) return;
  const stale = document.querySelector('#stale');
  try {
    const response = await fetch(location.href);
    if (!response.headers.get('content-type')?.startsWith('text/html')) throw new Error(response.status);
    show(new DOMParser().parseFromString(await response.text(), 'text/html'));
    stale.textContent = '';
  } catch {
    stale.textContent =
      'This page can’t be refreshed: Callsheet doesn’t respond. What it shows may be out of date.';
  }
}

/** Up and down move by a day, left and right by a week. */
const steps = { ArrowLeft: -7, ArrowRight: 7, ArrowUp: -1, ArrowDown: 1 };

function moveInCalendar(event) {
  const from = event.target.closest('.calendar td span');
  const step = steps[event.key];
  if (!from || !step) return;
  event.preventDefault();
  const cell = from.parentElement;
  const { rows } = cell.closest('tbody');
  const position = 7 * cell.cellIndex + [...rows].indexOf(cell.parentElement) + step;
  const to = rows[position % 7]?.cells[Math.floor(position / 7)]?.querySelector('span');
  if (!to) return;
  from.tabIndex = -1;
  to.tabIndex = 0;
  to.focus();
}

document.addEventListener('keydown', moveInCalendar);
document.addEventListener('visibilitychange', refresh);
setInterval(refresh, everyMs);
