/* global document */

/** Texts become text, never markup. */
export function element(name, ...children) {
  const made = document.createElement(name);
  made.append(...children.map((child) => (typeof child === 'number' ? String(child) : child)));
  return made;
}

export const toTableRow = (cells) => element('tr', ...cells);

/** @param bodies one or several `tbody` */
export const toTable = (headers, ...bodies) =>
  element('table', element('thead', toTableRow(headers.map((text) => element('th', text)))), ...bodies);

/** @param title names what the button acts on: its text alone is the same in every row */
export function toButton(text, title, act) {
  const button = Object.assign(element('button', text), { type: 'button', title, ariaLabel: title });
  button.addEventListener('click', () => act(button));
  return button;
}

/** A time as the API gives it, shorter; UTC. */
export const toTime = (at = '') => at.slice(0, 19).replace('T', ' ');
