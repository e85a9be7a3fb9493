/* global document */

/** Texts become text, never markup. */
export function element(name, ...children) {
  const made = document.createElement(name);
  made.append(...children.map((child) => (typeof child === 'number' ? String(child) : child)));
  return made;
}

export const toTableRow = (cells) => element('tr', ...cells);
