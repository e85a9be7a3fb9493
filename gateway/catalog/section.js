import { createLogView } from './log.js';
import { element } from './table.js';

/**
 * Fills a section with parts and a log below them. It is shown to those whose roles may read `path`, until it is taken away.
 * @param onShown called once it is shown
 * @param onOpen called each time it is opened
 */
export function fillSection(section, { call, isCurrent }, { path, parts, onShown, onOpen }) {
  const log = element('pre');
  const logs = createLogView(log, { call, isCurrent });
  const body = element('div', ...parts, log);
  section.querySelector('div').replaceWith(body);
  section.addEventListener('toggle', () => isCurrent() && section.open && onOpen?.());
  call(`${path}?size=1`).then(
    ({ ok }) => {
      if (!ok || !isCurrent()) return;
      section.hidden = false;
      onShown?.();
    },
    () => undefined,
  );
  return {
    logs,
    hide() {
      logs.stop();
      section.hidden = true;
      section.open = false;
      body.replaceChildren();
    },
  };
}
